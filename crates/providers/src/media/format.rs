//! What bytes are, by what they begin with. What somebody calls them is not asked.

use super::request::{ImageFormat, MediaKind};

/// As many bytes as decide.
pub(crate) const HEAD_BYTES: usize = 512;

/// A kind of file that is kept. The list is closed: its extensions are the only ones that a name can end in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// GIF.
    Gif,
    /// MPEG-4.
    Mp4,
    /// `WebM`.
    Webm,
}

impl FileFormat {
    /// The extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
            Self::Gif => "gif",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    /// Image or video.
    pub const fn kind(self) -> MediaKind {
        match self {
            Self::Png | Self::Jpeg | Self::Webp | Self::Gif => MediaKind::Image,
            Self::Mp4 | Self::Webm => MediaKind::Video,
        }
    }

    /// Whether it is the format that was asked for.
    pub fn is(self, wanted: ImageFormat) -> bool {
        matches!(
            (self, wanted),
            (Self::Png, ImageFormat::Png) | (Self::Jpeg, ImageFormat::Jpeg) | (Self::Webp, ImageFormat::Webp)
        )
    }

    /// What `head`, the first bytes of a file, belongs to; or what it is instead.
    pub fn sniff(head: &[u8]) -> Result<Self, Stranger> {
        // The kinds of MPEG-4 that hold a still image or sound alone are named in the same place.
        let brand = (head.get(4..8) == Some(b"ftyp")).then(|| head.get(8..12)).flatten();
        match brand {
            Some(b"avif" | b"avis" | b"heic" | b"heix" | b"mif1" | b"msf1" | b"M4A ") => return Err(Stranger::Other),
            Some(_) => return Ok(Self::Mp4),
            None => {}
        }
        if head.starts_with(b"\x89PNG\r\n\x1a\n") {
            Ok(Self::Png)
        } else if head.starts_with(b"\xff\xd8\xff") {
            Ok(Self::Jpeg)
        } else if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
            Ok(Self::Webp)
        } else if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
            Ok(Self::Gif)
        } else if head.starts_with(b"\x1a\x45\xdf\xa3") && head.windows(4).any(|window| window == b"webm") {
            Ok(Self::Webm)
        } else {
            Err(Stranger::of(head))
        }
    }
}

/// What bytes are that are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stranger {
    /// Nothing at all.
    Empty,
    /// A web page or another document with tags, SVG included: it can carry scripts.
    Markup,
    /// JSON, mostly an error.
    Json,
    /// Neither image nor video of a known kind.
    Other,
}

impl Stranger {
    fn of(head: &[u8]) -> Self {
        let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        match start.first() {
            None => Self::Empty,
            Some(b'<') => Self::Markup,
            Some(b'{' | b'[') => Self::Json,
            Some(_) => Self::Other,
        }
    }

    /// For people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Markup => "a web page or drawing with tags",
            Self::Json => "JSON",
            Self::Other => "a file of an unknown kind",
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Ok(FileFormat::Png))]
    #[case(b"\xff\xd8\xff\xe0\0\x10JFIF", Ok(FileFormat::Jpeg))]
    #[case(b"RIFF\x24\0\0\0WEBPVP8 ", Ok(FileFormat::Webp))]
    #[case(b"RIFF\x24\0\0\0WAVEfmt ", Err(Stranger::Other))]
    #[case(b"GIF89a\x01\0", Ok(FileFormat::Gif))]
    #[case(b"\0\0\0\x20ftypisom\0\0\x02\0", Ok(FileFormat::Mp4))]
    #[case(b"\0\0\0\x20ftypavif\0\0\0\0", Err(Stranger::Other))]
    #[case(b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", Ok(FileFormat::Webm))]
    #[case(b"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska", Err(Stranger::Other))]
    #[case(b"\xef\xbb\xbf  <!doctype html>", Err(Stranger::Markup))]
    #[case(b"<svg xmlns=", Err(Stranger::Markup))]
    #[case(b"\n{\"error\":1}", Err(Stranger::Json))]
    #[case(b"", Err(Stranger::Empty))]
    #[case(b"\x7fELF", Err(Stranger::Other))]
    fn the_first_bytes_decide(#[case] head: &[u8], #[case] expected: Result<FileFormat, Stranger>) {
        assert_eq!(FileFormat::sniff(head), expected);
    }
}
