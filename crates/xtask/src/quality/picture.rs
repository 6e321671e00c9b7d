//! The picture: one small chart for each set.

use std::fmt::Write as _;

use anyhow::Result;

use super::measured::{Measured, MeasuredSet, Method};
use super::page::curve;

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 34.0;
const STEP: f64 = 330.0;

/// What is drawn, with colour, dash and words. The dashes tell the lines apart without the colours.
const LINES: [(Method, &str, &str, &str); 4] = [
    (Method::Oracle, "#6b7280", "2 3", "oracle"),
    (Method::SubjectMajority, "#b45309", "8 4", "by the subject's name"),
    (Method::Lexical, "#1d4ed8", "", "by lexical features"),
    (Method::Longest, "#047857", "12 3 2 3", "the longest first"),
];

/// An SVG with a chart for each set and one legend.
pub(super) fn picture(measured: &Measured) -> Result<String> {
    let width = STEP * f64::from(u32::try_from(measured.sets.len()).unwrap_or_default()) + 10.0;
    let height = TOP + HEIGHT + 92.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Quality over the share of calls to the strong model</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
    );
    let mut left = LEFT;
    for set in &measured.sets {
        chart(&mut svg, set, left)?;
        left += STEP;
    }
    let mut x = LEFT;
    let y = TOP + HEIGHT + 68.0;
    let legend =
        LINES.iter().map(|(_, colour, dash, words)| (*colour, *dash, *words)).chain([("#000000", "1 5", "by lot")]);
    for (colour, dash, words) in legend {
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.0}\" y1=\"{y:.0}\" x2=\"{:.0}\" y2=\"{y:.0}\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dash}\"/><text x=\"{:.0}\" y=\"{:.0}\">{words}</text>",
            x + 34.0,
            x + 40.0,
            y + 4.0,
        );
        x += 190.0;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn chart(svg: &mut String, set: &MeasuredSet, left: f64) -> Result<()> {
    let [cheap, strong, best] = set.qualities();
    // A margin of 2 points, so that a curve that dips below the cheap model stays inside.
    let (bottom, top) = ((cheap - 0.02) * 20.0, (best + 0.01) * 20.0);
    let (bottom, top) = (bottom.floor() / 20.0, top.ceil() / 20.0);
    let x = |share: f64| left + share * WIDTH;
    let y = |quality: f64| TOP + HEIGHT * (1.0 - (quality - bottom) / (top - bottom));
    let (end, base) = (x(1.0), y(bottom));
    let _ = write!(
        svg,
        "<text x=\"{left:.0}\" y=\"{:.0}\" font-weight=\"bold\">{}</text>\n\
         <rect x=\"{left:.0}\" y=\"{TOP:.0}\" width=\"{WIDTH:.0}\" height=\"{HEIGHT:.0}\" fill=\"none\" stroke=\"#9ca3af\"/>\n\
         <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">share of calls to the strong model</text>\n",
        TOP - 12.0,
        set.name,
        f64::midpoint(left, end),
        base + 34.0,
    );
    for share in [0.0, 0.5, 1.0] {
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{:.0} %</text>",
            x(share),
            base + 16.0,
            share * 100.0
        );
    }
    let mut quality = bottom;
    while quality < top + 1e-9 {
        let at = y(quality);
        let _ = writeln!(
            svg,
            "<line x1=\"{left:.0}\" y1=\"{at:.1}\" x2=\"{end:.0}\" y2=\"{at:.1}\" stroke=\"#e5e7eb\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{quality:.2}</text>",
            left - 6.0,
            at + 4.0
        );
        quality += 0.05;
    }
    let _ = writeln!(
        svg,
        "<line x1=\"{left:.0}\" y1=\"{:.1}\" x2=\"{end:.0}\" y2=\"{:.1}\" stroke=\"#000000\" stroke-width=\"2\" stroke-dasharray=\"1 5\"/>",
        y(cheap),
        y(strong)
    );
    for (method, colour, dash, _) in LINES {
        if method == Method::SubjectMajority && set.subjects.len() < 2 {
            continue;
        }
        let mut points = String::new();
        let mut share = 0.0;
        for quality in &curve(set, method)?.quality {
            let _ = write!(points, "{:.1},{:.1} ", x(share), y(*quality));
            share += 0.05;
        }
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>",
            points.trim_end()
        );
    }
    Ok(())
}
