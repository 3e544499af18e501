//! docs/disclosure.svg: the figures of `compare` for the demonstration, as bars; and docs/compare.md, which has them as printed.

use std::{fmt::Write, fs, path::Path};

use kit::process::Process;
use serde_json::Value;

use super::ROOT;
use crate::command_line::program;

// Narrow, so that it can be read on a phone.
const WIDTH: u64 = 480;
const LEFT: u64 = 150;
const LONGEST: u64 = 255;
const ROW: u64 = 30;
const TOP: u64 = 66;

/// Colours that can be read in light and in dark: the card has its own background.
const STYLE: &str = "\
text { font: 15px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.small { font-size: 13px; fill: #57606a; }
.card { fill: #ffffff; stroke: #d0d7de; }
.full { fill: #8c959f; }
.less { fill: #0969da; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .small { fill: #9ea7b1; }
  .card { fill: #161b22; stroke: #30363d; }
  .full { fill: #6e7681; }
  .less { fill: #4493f8; }
}";

/// `4483` as `4,483`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let (head, rest) = digits.split_at(first);
    rest.as_bytes().chunks(3).fold(head.to_owned(), |text, part| text + "," + str::from_utf8(part).unwrap())
}

/// A bar for each strategy: what a model reads before it can start, and what it has read once it has used its tools.
fn drawn(report: &Value) -> String {
    let tools = &report["tools"];
    let rows = report["strategies"].as_array().unwrap();
    let figure = |row: &Value, member: &str| row[member].as_u64().unwrap();
    let most = rows.iter().map(|row| figure(row, "initial_tokens")).max().unwrap();
    let height = TOP + ROW * rows.len() as u64 + 34;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" role=\"img\">\n\
         <title>Tokens that a model reads before it can start</title>\n<style>\n{STYLE}\n</style>\n\
         <rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
         <text class=\"title\" x=\"20\" y=\"30\">Tokens that a model reads before it can start</text>\n\
         <text class=\"small\" x=\"20\" y=\"50\">{tools} tools; in all: once it has learned the two that it uses</text>\n",
        WIDTH - 1,
        height - 1,
    );
    for (index, row) in (0..).zip(rows) {
        let (start, total) = (figure(row, "initial_tokens"), figure(row, "total_tokens"));
        let (y, long) = (TOP + ROW * index, (LONGEST * start / most).max(2));
        let name = row["name"].as_str().unwrap();
        let class = if start == most { "full" } else { "less" };
        let after = LEFT + long + 8;
        let total = if total == start { String::new() } else { format!("in all {}", grouped(total)) };
        let start = grouped(start);
        writeln!(
            svg,
            "<text x=\"20\" y=\"{}\">{name}</text>\n\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{long}\" height=\"18\" rx=\"3\"/>\n\
             <text x=\"{after}\" y=\"{}\">{start} <tspan class=\"small\">{total}</tspan></text>",
            y + 17,
            y + 3,
            y + 17,
        )
        .unwrap();
    }
    let command = format!(
        "<text class=\"small\" x=\"20\" y=\"{}\">mcp-disclosure compare</text>\n</svg>\n",
        height - 14
    );
    svg + &command
}

/// Run with `UPDATE_PICTURE=1` to draw it again.
#[test]
fn w4_the_picture_shows_what_compare_measures() {
    let svg = drawn(&Process::start(&mut program(&["compare", "--format", "json"])).finish().json());
    let file = Path::new(ROOT).join("docs/disclosure.svg");
    if std::env::var_os("UPDATE_PICTURE").is_some() {
        fs::write(&file, &svg).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == svg, "docs/disclosure.svg is old: run this test with UPDATE_PICTURE=1");
}

#[test]
fn w4_the_page_shows_what_compare_prints() {
    let printed =
        |arguments: &[&str]| Process::start(&mut program(arguments)).finish().says(0, &[]).stdout.clone();
    let table = printed(&["compare"]).replace("gateway serve", "mcp-disclosure serve");
    let printed = table + &printed(&["compare", "--transcript", "--strategies", "resource"]);
    let page = fs::read_to_string(Path::new(ROOT).join("docs/compare.md")).unwrap();
    for beginning in ["Use full:", "── resource ─"] {
        let block = page.split("```\n").find(|block| block.starts_with(beginning)).unwrap();
        for line in block.lines().filter(|line| line.trim() != "…") {
            assert!(printed.contains(line), "{line}\n{printed}");
        }
    }
}
