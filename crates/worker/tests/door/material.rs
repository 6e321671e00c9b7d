//! What the worker reads: put together in order, opened by what it is, and cut where no value is torn.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;

use lwa_worker::material::{
    CommandMaterial, Material, MaterialRequest, capped, capped_ends, command_label, gather, of_command, plain_text,
    shown_path,
};
use lwa_worker::trailer::CommandEnd;
use proptest::prelude::{ProptestConfig, any, prop, proptest};
use rstest::rstest;

fn request<'m>(folder: &'m Path, paths: &'m [String]) -> MaterialRequest<'m> {
    MaterialRequest {
        inline: "",
        command: None,
        paths,
        folder,
        home: Some(folder),
        root: None,
        kept: &[],
        is_verbatim: false,
        most_chars: 10_000,
    }
}

fn output(text: &str, end: CommandEnd) -> CommandMaterial<'_> {
    CommandMaterial {
        as_written: "make\ntest",
        output: text,
        end,
        raw_chars: text.chars().count() as u64,
        is_truncated: false,
    }
}

fn one(folder: &Path, path: &str) -> Material {
    gather(request(folder, &[path.to_owned()]))
}

#[test]
fn pieces_stand_in_their_order_each_under_its_head() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("a.txt"), "alpha\n").unwrap();
    let paths = ["a.txt".to_owned(), "missing".to_owned()];
    let material = gather(MaterialRequest {
        inline: "in line",
        command: Some(output("built\n", CommandEnd::Exited(2))),
        ..request(temp.path(), &paths)
    });
    assert_eq!(
        material.text,
        "in line\n\n== command: make test (exit code 2) ==\nbuilt\n\n== file a.txt (6 bytes) ==\nalpha\n\n[missing: not found]"
    );
    assert_eq!(material.source, "inline (7 chars); command: make test; paths: a.txt, missing");
    assert_eq!((material.inline_chars, material.gathered_chars), (7, 12), "pasted text was no work of the worker");
    assert!(!material.is_truncated && !material.is_single_file);
}

#[test]
fn nothing_asked_for_is_no_material() {
    let temp = tempfile::tempdir().unwrap();
    let material = gather(MaterialRequest { inline: " \n", ..request(temp.path(), &[]) });
    assert!(material.is_empty());
    assert_eq!(material.source, "");
}

#[rstest]
#[case(CommandEnd::Exited(0), "(no output; exit code 0)")]
#[case(CommandEnd::TimedOut, "(no output; timed out)")]
#[case(CommandEnd::Signalled(9), "(no output; ended by signal 9)")]
fn a_command_without_output_says_how_it_ended(#[case] end: CommandEnd, #[case] text: &str) {
    let material = of_command(output(" \n", end), 1_000);
    assert_eq!((material.text.as_str(), material.source.as_str()), (text, "command: make test"));
    let temp = tempfile::tempdir().unwrap();
    let piece = gather(MaterialRequest { command: Some(output("", end)), ..request(temp.path(), &[]) });
    assert!(piece.text.ends_with("==\n(no output)"), "{}", piece.text);
}

#[test]
fn a_single_file_to_be_quoted_has_no_head_so_its_lines_are_its_own() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("a.txt"), "alpha\nbeta\n").unwrap();
    let paths = ["a.txt".to_owned()];
    let material = gather(MaterialRequest { is_verbatim: true, ..request(temp.path(), &paths) });
    assert_eq!((material.text.as_str(), material.source.as_str()), ("alpha\nbeta\n", "a.txt"));
    assert!(material.is_single_file);
    let two = ["a.txt".to_owned(), "a.txt".to_owned()];
    assert!(!gather(MaterialRequest { is_verbatim: true, ..request(temp.path(), &two) }).is_single_file);
}

#[test]
fn a_folder_is_listed_by_name_with_what_was_left_out() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("sub")).unwrap();
    fs::write(temp.path().join("a\u{1b}[31m.txt"), "12345").unwrap();
    let text = one(temp.path(), ".").text;
    assert_eq!(text, "== folder . (2 entries) ==\nfile            5 a[31m.txt\nfolder          - sub");
    for number in 0..510 {
        fs::write(temp.path().join("sub").join(format!("f{number:03}")), "").unwrap();
    }
    let material = one(temp.path(), "sub");
    assert!(material.text.ends_with("f499\n(and 10 more)"), "{}", &material.text[material.text.len() - 100..]);
    assert!(material.is_truncated);
}

#[test]
fn w_20_pipes_sockets_devices_and_binaries_are_named_and_not_read() {
    let temp = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(temp.path().join("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = UnixListener::bind(temp.path().join("socket")).unwrap();
    fs::write(temp.path().join("binary"), b"\x7fELF\0\0\x01\x02").unwrap();
    let read = |path: &str| one(temp.path(), path).text;
    assert_eq!(read("pipe"), "[pipe: a named pipe, not read]");
    assert_eq!(read("socket"), "[socket: a socket, not read]");
    assert_eq!(read("/dev/zero"), "[/dev/zero: a device, not read]");
    assert_eq!(read("binary"), "[binary: binary file of 8 bytes, not read]");
}

#[test]
fn w_20_a_huge_file_is_read_at_its_ends_alone() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("huge");
    let file = fs::File::create(&path).unwrap();
    // A gigabyte that takes no room on the disk; reading it whole would show in memory and time.
    file.set_len(1 << 30).unwrap();
    let text = one(temp.path(), "huge").text;
    assert!(text.starts_with("[huge: binary file of 1073741824 bytes"), "{text}");
    let line = "a line of a log\n";
    fs::write(&path, format!("first line\n{}last line\n", line.repeat(60_000))).unwrap();
    let material = one(temp.path(), "huge");
    assert!(material.text.contains("first line\n") && material.text.ends_with("last line"), "{}", material.text.len());
    assert!(material.text.contains("bytes left out here") && material.is_truncated);
    assert!(material.text.chars().count() <= 10_200);
}

#[test]
fn files_of_the_system_that_say_they_are_empty_are_read() {
    let temp = tempfile::tempdir().unwrap();
    assert!(one(temp.path(), "/proc/self/status").text.contains("Name:"));
}

#[test]
fn encodings_are_read_as_text() {
    let temp = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> = std::iter::once(0xfeff).chain("Grüße\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    fs::write(temp.path().join("utf16"), utf16).unwrap();
    fs::write(temp.path().join("latin"), b"Gr\xfc\xdfe and many other words that are plain\n").unwrap();
    fs::write(temp.path().join("bom"), "\u{feff}alpha\r\nbeta\r\n").unwrap();
    assert!(one(temp.path(), "utf16").text.ends_with("==\nGrüße"));
    assert!(one(temp.path(), "latin").text.contains("Gr\u{fffd}\u{fffd}e and"));
    assert!(one(temp.path(), "bom").text.ends_with("==\nalpha\nbeta"));
}

#[test]
fn paths_start_from_home_or_the_folder_and_stay_under_a_root() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(temp.path().join("outside"), "outside text").unwrap();
    fs::write(root.join("inside"), "inside text").unwrap();
    std::os::unix::fs::symlink(temp.path().join("outside"), root.join("link")).unwrap();
    assert!(one(temp.path(), "~/outside").text.ends_with("outside text"));
    let read = |path: &str| {
        let paths = [path.to_owned()];
        gather(MaterialRequest { root: Some(&root), ..request(&root, &paths) }).text
    };
    assert!(read("inside").ends_with("inside text"));
    for path in ["../outside", "link", "/proc/self/status"] {
        assert!(read(path).ends_with("outside the folder that this client may read]"), "{}", read(path));
    }
    assert!(one(temp.path(), "a\0b").text.ends_with("not found]"));
}

#[test]
fn every_file_has_a_floor_and_the_whole_has_a_limit() {
    let temp = tempfile::tempdir().unwrap();
    let paths: Vec<String> = (0..8).map(|number| format!("f{number}")).collect();
    for path in &paths {
        fs::write(temp.path().join(path), format!("begin {path}\n{}", "word and word\n".repeat(600))).unwrap();
    }
    let material = gather(MaterialRequest { most_chars: 5_000, ..request(temp.path(), &paths) });
    assert!(material.text.chars().count() <= 5_100, "{}", material.text.chars().count());
    assert!(material.is_truncated && material.raw_chars > 60_000);
    assert!(material.text.contains("begin f0") && material.text.contains("left out here"));
}

#[rstest]
#[case("\u{1b}[1;31merror\u{1b}[0m", "error")]
#[case("\u{1b}]0;title\u{7}text", "text")]
#[case("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link")]
#[case("10%\r50%\r100%\n", "10%\n50%\n100%\n")]
#[case("a\r\nb\r\n", "a\nb\n")]
#[case("pass\u{8}\u{8}st", "past")]
#[case("\u{1b}(Btext\u{9b}2Kmore\0", "textmore")]
#[case("\u{1b}", "")]
#[case("\u{1b}]0;no end\nnext", "0;no end\nnext")]
fn escapes_are_no_text(#[case] raw: &str, #[case] plain: &str) {
    assert_eq!(plain_text(raw), plain);
}

#[test]
fn labels_are_short_and_on_one_line() {
    assert_eq!(command_label("ls\n-l", 200), "command: ls -l");
    assert_eq!(command_label(&"x".repeat(300), 120), format!("command: {}…", "x".repeat(120)));
    assert_eq!(shown_path(&format!("/{}/a/b.txt", "x".repeat(100))), "…/a/b.txt");
}

#[test]
fn a_long_text_keeps_seven_tenths_of_its_beginning_and_three_of_its_end() {
    let text: String = (0..1_000).map(|number| format!("line {number:>4}\n")).collect();
    let cut = capped(&text, 1_000);
    let (head, tail) = cut.text.split_once("[… ").unwrap();
    assert!((650..=700).contains(&head.len()) && head.ends_with('\n'), "{}", head.len());
    let (mark, tail) = tail.split_once("]\n").unwrap();
    assert!((270..=300).contains(&tail.len()) && tail.ends_with("line  999\n"), "{}", tail.len());
    assert_eq!(mark, format!("{} characters left out here …", cut.dropped));
    assert_eq!(cut.dropped, (text.len() - head.len() - tail.len()) as u64);
    assert_eq!(capped("short", 1_000).dropped, 0);
}

#[test]
fn a_cut_leaves_no_half_of_a_value_in_data_without_blanks() {
    let token = ["AKIA", "Q3EG", "RWXX", "PLNT", "9F2K"].concat();
    let row = format!("{{\"key\":\"{token}\",\"n\":17}},");
    let text = row.repeat(2_000);
    for most in 1_000..1_040 {
        let cut = capped(&text, most).text.replace(&token, "");
        for window in token.as_bytes().windows(8) {
            assert!(!cut.contains(std::str::from_utf8(window).unwrap()), "at {most}");
        }
    }
}

#[test]
fn torn_ends_are_cut_back_even_where_they_fit() {
    let cut = capped_ends("alpha beta secr", "et123 gamma\ndelta", 1_000, 10_000);
    assert_eq!(cut.text, "alpha beta\n[… 1017 bytes left out here …]\ndelta");
    let whole = capped_ends("alpha be", "ta", 0, 100);
    assert_eq!((whole.text.as_str(), whole.is_truncated()), ("alpha beta", false));
}

#[test]
fn a_cut_inside_a_key_block_takes_the_rest_of_it_along() {
    let block = format!(
        "-----BEGIN {0}-----\n{1}-----END {0}-----\n",
        ["PRIVATE", "KEY"].join(" "),
        "QUJDREVGR0g=\n".repeat(40)
    );
    let text = format!("{}{}after\n", "word\n".repeat(400), block);
    for most in (200..1_600).step_by(20) {
        let cut = capped(&text, most).text;
        if cut.contains("left out here") {
            let tail = cut.split_once("]\n").unwrap().1;
            assert!(tail.contains("-----BEGIN") || !tail.contains("QUJDREVGR0g"), "at {most}: {tail}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_capped_text_is_within_its_limit_and_made_of_its_ends(
        text in prop::collection::vec("[a-zäß€😀 ,\"]{0,50}", 0..60),
        most in 10_usize..600,
    ) {
        let text = text.join("\n");
        let cut = capped(&text, most);
        assert!(cut.text.chars().count() <= most + 60);
        assert_eq!(cut.raw_chars, text.chars().count() as u64);
        match cut.text.split_once("[… ") {
            Some((head, rest)) => {
                let tail = rest.split_once("]\n").unwrap().1;
                assert!(text.starts_with(head.trim_end_matches('\n')) && text.ends_with(tail));
                assert!(cut.is_truncated());
            }
            None => assert_eq!(cut.text, text),
        }
    }

    #[test]
    fn plain_text_has_no_control_characters_and_is_stable(text in any::<String>()) {
        let plain = plain_text(&text).into_owned();
        assert!(!plain.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        assert_eq!(plain_text(&plain), plain);
    }
}

#[test]
fn what_is_kept_from_the_worker_is_not_read_by_any_path() {
    let temp = tempfile::tempdir().unwrap();
    let (kept, open) = (temp.path().join("kept"), temp.path().join("open"));
    fs::create_dir(&kept).unwrap();
    fs::create_dir(&open).unwrap();
    fs::write(kept.join("a.txt"), "violetkettle").unwrap();
    std::os::unix::fs::symlink(kept.join("a.txt"), open.join("link")).unwrap();
    std::os::unix::fs::symlink(&kept, open.join("folder")).unwrap();
    let opened = fs::File::open(kept.join("a.txt")).unwrap();
    let by_number = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&opened));
    let around = format!("/proc/self/root{}/a.txt", kept.display());
    let kept_folders = [kept.canonicalize().unwrap()];
    let names = ["link", "folder", "folder/a.txt", "../kept", "../kept/a.txt", "/proc/self/environ"];
    for name in names.into_iter().map(str::to_owned).chain([by_number, around]) {
        for is_verbatim in [false, true] {
            let paths = [name.clone()];
            let material = gather(MaterialRequest { kept: &kept_folders, is_verbatim, ..request(&open, &paths) });
            assert!(!material.text.contains("violetkettle"), "{name}: {}", material.text);
            assert!(!material.text.contains("a.txt ") && !material.text.contains("PATH="), "{name}: {}", material.text);
            assert_eq!(material.gathered_chars, 0, "{name}: {}", material.text);
        }
    }
    fs::write(open.join("plain.txt"), "plain text").unwrap();
    let paths = ["plain.txt".to_owned()];
    let material = gather(MaterialRequest { kept: &kept_folders, ..request(&open, &paths) });
    assert!(material.text.contains("plain text"), "{}", material.text);
}
