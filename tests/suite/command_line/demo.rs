//! `demo`: one screen, for readers who have never seen MCP.

use std::process::Stdio;

use rustix::termios::{Winsize, tcsetwinsize};

use super::{
    program, run,
    terminal::{said_to, terminal},
};
use crate::compare::grouped;

/// What `demo` shows on a terminal of this width.
fn shown(width: u16, arguments: &[&str]) -> String {
    let (ours, theirs) = terminal();
    tcsetwinsize(&ours, Winsize { ws_row: 60, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut command = program(&[&["demo"], arguments].concat());
    command.env("NO_COLOR", "1").env("TERM", "xterm").stdout(Stdio::from(theirs));
    said_to(ours, command).replace("\r\n", "\n")
}

#[test]
fn q6_it_fits_on_one_screen() {
    for (strategy, width) in [
        ("resource", 60),
        ("resource", 80),
        ("resource", 200),
        ("describe", 60),
        ("describe", 80),
        ("info", 80),
        ("concerns+info", 80),
        ("info(entry-only)", 60),
        ("info(entry-only)", 80),
        ("concerns(precision=exact)+info", 60),
    ] {
        let text = shown(width, &["--strategy", strategy]);
        assert!(text.lines().count() <= 60, "{} lines for {strategy}:\n{text}", text.lines().count());
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= usize::from(width.min(92)), "{longest} columns:\n{text}");
    }
    // A narrow one has to be scrolled, and no line is wrapped by the terminal.
    let narrow = shown(40, &["--strategy", "info(entry-only)"]);
    assert!(narrow.lines().all(|line| line.chars().count() <= 40 && !line.ends_with('…')), "{narrow}");
}

#[test]
fn q6_it_says_what_was_withheld_when_it_was_learned_and_what_that_saved() {
    let text = shown(100, &[]);
    let places = ["Without disclosure", "With disclosure", "Withheld", "Learned", "Saved", "Try next"];
    let places = places.map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is missing:\n{text}")));
    assert!(places.is_sorted(), "{text}");
    // Both have the answer, which the server has computed.
    assert_eq!(text.matches(r#"{"solutions":[-2,2],"variables":["x"]}"#).count(), 2, "{text}");
    assert!(text.contains("refuses: TOOL_DESCRIPTION_REQUIRED"), "{text}");
    let next = &text[places[5]..];
    assert!(next.contains("compare -- COMMAND\n") && next.contains(" init\n"), "{text}");
    // The sums are those of the parts.
    let [plain, saving] = [&text[places[0]..places[1]], &text[places[1]..places[2]]].map(|part| {
        let figures =
            part.lines().take_while(|line| !line.contains("in all")).filter_map(figure).sum::<u64>();
        let sum = part.lines().find(|line| line.contains("in all")).and_then(figure).unwrap();
        assert_eq!(figures, sum, "{part}");
        sum
    });
    let share = 100.0 * (plain - saving) as f64 / plain as f64;
    let saved = format!("{} of {} tokens ({share:.1} %)", grouped(plain - saving), grouped(plain));
    assert!(text.contains(&saved), "{saved}:\n{text}");
}

#[test]
fn q6_the_figures_are_those_of_compare() {
    let strategy = "info(entry-only)";
    let text = shown(100, &["--strategy", strategy]);
    let starts: Vec<u64> =
        text.lines().filter(|line| line.contains("The gateway lists ")).filter_map(figure).collect();
    let arguments = ["compare", "--format", "json", "--strategies", strategy, "--use", "symbolic_solve"];
    let report = run(&arguments).json();
    let expected = report["strategies"].as_array().unwrap().iter();
    let expected: Vec<u64> = expected.map(|row| row["initial_tokens"].as_u64().unwrap()).collect();
    assert_eq!(starts, expected, "{text}");
}

#[test]
fn q6_the_command_serves_what_is_shown() {
    let text = shown(200, &["--strategy", "concerns(precision=exact)+info(entry-only)"]);
    let command =
        "serve --strategy concerns+info --set info.tools=entry-only --concern precision=exact -- COMMAND";
    // At the greatest width it is continued in the next line.
    let text = text.replace(" \\\n      ", " ");
    assert!(text.contains(command), "{text}");
}

/// The figure in the last column of a line.
fn figure(line: &str) -> Option<u64> {
    let (_, last) = line.rsplit_once("  ")?;
    last.replace(',', "").parse().ok()
}

#[test]
fn q6_a_strategy_that_cannot_be_shown_is_refused() {
    for (strategy, code, expected) in [
        ("full", 2, "withholds nothing"),
        ("resorce", 64, "unknown strategy 'resorce'"),
        ("info,describe", 2, "one strategy"),
        ("concerns(nonsense=7)+info", 64, "--strategy: 'concerns(nonsense=7)+info': no concern 'nonsense'"),
        ("concerns(precision=some)", 64, "no value \"some\""),
    ] {
        assert_eq!(run(&["demo", "--strategy", strategy]).says(code, &[expected]).stdout, "");
    }
}
