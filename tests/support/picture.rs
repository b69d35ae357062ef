//! The pictures of the README, as SVG: terminals and bars. They are drawn from what a run printed or a benchmark measured, and
//! compared with the files in `man/` by their text: how they look is nobody's promise. `SNAPSHOTS=overwrite` draws them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The columns of a terminal, and the pixels of one character of the font.
const COLUMNS: usize = 80;
const CHARACTER: f64 = 8.43;
const LINE: usize = 20;
const MARGIN: usize = 16;
/// Height of a window's title bar.
const BAR: usize = 34;

/// A terminal: what its title says, its colour, and the transcript, in which commands begin with `$ `.
pub struct Terminal<'a> {
    pub title: &'a str,
    pub colour: &'a str,
    pub transcript: &'a str,
}

/// Terminals of 80 columns, one below the other.
pub fn terminals(all: &[Terminal<'_>]) -> String {
    let width = (COLUMNS as f64 * CHARACTER) as usize + 2 * MARGIN;
    let (mut y, mut body) = (0, String::new());
    for terminal in all {
        let lines: Vec<_> = terminal.transcript.lines().flat_map(wrapped).collect();
        let height = BAR + lines.len() * LINE + MARGIN;
        let _ = writeln!(body, r##"<rect y="{y}" width="{width}" height="{height}" rx="8" fill="#1b1f27"/>"##);
        let _ = writeln!(body, r#"<circle cx="{}" cy="{}" r="6" fill="{}"/>"#, MARGIN + 2, y + 18, terminal.colour);
        text(&mut body, MARGIN + 18, y + 23, terminal.colour, true, terminal.title);
        for (number, (is_typed, line)) in lines.iter().enumerate() {
            let colour = if *is_typed { "#ffffff" } else { "#aab4c3" };
            text(&mut body, MARGIN, y + BAR + 14 + number * LINE, colour, *is_typed, line);
        }
        y += height + 12;
    }
    page(width, y - 12, &body)
}

/// A line as the terminal breaks it, and whether it was typed.
fn wrapped(line: &str) -> Vec<(bool, String)> {
    let (is_typed, characters) = (line.starts_with("$ "), line.chars().collect::<Vec<_>>());
    let rows = characters.chunks(COLUMNS).map(|row| (is_typed, row.iter().collect())).collect::<Vec<_>>();
    if rows.is_empty() { vec![(false, String::new())] } else { rows }
}

/// A bar: its name, how long it is, and whether it is the one that the picture is about.
pub struct Bar {
    pub name: String,
    pub value: f64,
    pub is_ours: bool,
}

/// Bars for milliseconds, one below the other; one of more than `most` is broken off, with its number behind.
pub fn bars(title: &str, all: &[Bar], most: f64) -> String {
    const NAMES: usize = 330;
    const LONGEST: f64 = 330.0;
    let mut body = String::new();
    let height = BAR + all.len() * 28 + MARGIN;
    let width = NAMES + LONGEST as usize + 110;
    let _ = writeln!(body, r##"<rect width="{width}" height="{height}" rx="8" fill="#1b1f27"/>"##);
    text(&mut body, MARGIN, 24, "#ffffff", true, title);
    for (number, bar) in all.iter().enumerate() {
        let y = BAR + 6 + number * 28;
        let colour = if bar.is_ours { "#5fd38d" } else { "#7d8aa0" };
        text(&mut body, MARGIN, y + 14, if bar.is_ours { "#ffffff" } else { "#aab4c3" }, bar.is_ours, &bar.name);
        let length = (bar.value.min(most) / most * LONGEST).max(1.0);
        let _ = writeln!(body, r#"<rect x="{NAMES}" y="{y}" width="{length:.0}" height="18" fill="{colour}"/>"#);
        if bar.value > most {
            let x = NAMES + LONGEST as usize - 26;
            let slash = format!("M{x},{} l10,-18 h6 l-10,18 z", y + 18);
            let _ = writeln!(body, r##"<path d="{slash}" fill="#1b1f27"/>"##);
        }
        text(&mut body, NAMES + length as usize + 8, y + 14, "#ffffff", bar.is_ours, &format!("{:.2} ms", bar.value));
    }
    page(width, height, &body)
}

fn text(body: &mut String, x: usize, y: usize, colour: &str, is_bold: bool, text: &str) {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let weight = if is_bold { r#" font-weight="bold""# } else { "" };
    let _ = writeln!(body, r#"<text x="{x}" y="{y}" fill="{colour}"{weight}>{escaped}</text>"#);
}

fn page(width: usize, height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xml:space=\"preserve\" font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n{body}</svg>\n"
    )
}

/// The lines of text in a picture.
pub fn words(svg: &str) -> Vec<String> {
    let texts =
        svg.split("<text ").skip(1).map(|rest| rest.split_once('>').unwrap().1.split("</text>").next().unwrap());
    texts.map(|text| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).collect()
}

/// `SNAPSHOTS=overwrite`: pictures are drawn anew, and not compared.
pub fn is_to_be_drawn() -> bool {
    std::env::var_os("SNAPSHOTS").is_some_and(|word| word == "overwrite")
}

/// The picture in `man/` says what this one says; with `SNAPSHOTS=overwrite` it is this one.
#[track_caller]
pub fn is_drawn(name: &str, svg: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("man").join(name);
    if is_to_be_drawn() {
        fs::write(&path, svg).unwrap();
    }
    let drawn = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(words(&drawn), words(svg), "{} is out of date: run this test with SNAPSHOTS=overwrite", path.display());
}
