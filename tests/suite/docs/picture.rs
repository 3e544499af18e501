//! docs/disclosure.svg: the figures of `compare` for the demonstration, as bars, with what is written by hand around them; and
//! docs/compare.md, which has them as printed.

use std::{fmt::Write, fs, path::Path};

use kit::process::Process;
use serde_json::Value;

use super::ROOT;
use crate::{command_line::program, compare::grouped};

const LEFT: u64 = 150;
const LONGEST: u64 = 255;
const ROW: u64 = 30;
const TOP: u64 = 66;

/// A bar for each strategy: what a model reads before it can start, and what it has read once it has used its tools.
fn bars(report: &Value) -> String {
    let rows = report["strategies"].as_array().unwrap();
    let figure = |row: &Value, member: &str| row[member].as_u64().unwrap();
    let most = rows.iter().map(|row| figure(row, "initial_tokens")).max().unwrap();
    let mut bars = format!(
        "<text class=\"small\" x=\"20\" y=\"50\">{} tools; in all: once it has learned the two that it uses</text>\n",
        report["tools"]
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
            bars,
            "<text x=\"20\" y=\"{}\">{name}</text>\n\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{long}\" height=\"18\" rx=\"3\"/>\n\
             <text x=\"{after}\" y=\"{}\">{start} <tspan class=\"small\">{total}</tspan></text>",
            y + 17,
            y + 3,
            y + 17,
        )
        .unwrap();
    }
    bars
}

/// Run with `UPDATE_PICTURE=1` to draw it again.
#[test]
fn w4_the_picture_shows_what_compare_measures() {
    let report = Process::start(&mut program(&["compare", "--format", "json"])).finish().json();
    let file = Path::new(ROOT).join("docs/disclosure.svg");
    let written = fs::read_to_string(&file).unwrap();
    let (before, rest) = written.split_once("<g>\n").unwrap();
    let (_, after) = rest.split_once("</g>").unwrap();
    let drawn = format!("{before}<g>\n{}</g>{after}", bars(&report));
    match std::env::var_os("UPDATE_PICTURE") {
        Some(_) => fs::write(&file, &drawn).unwrap(),
        None => assert!(written == drawn, "docs/disclosure.svg is old: run this test with UPDATE_PICTURE=1"),
    }
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
