//! Figures are consistent, those that anyone can count, and the same in every format.

use mcp_disclosure_compare::Tokenizer;
use serde_json::{Value, json};

use super::{compare, given, grouped, number, report, strategies};
use crate::command_line::{ODD, serve_odd};

#[test]
fn figures_hold_together() {
    for flags in
        [&[][..], &["--set", "info.tools=entry-only"], &["--omit-input-schema"], &["--host", "verbatim"]]
    {
        let report = report(&[&["--detail", "--use", "3", "--turns", "7"], flags].concat());
        let full = &report["strategies"][0];
        for strategy in strategies(&report) {
            let [initial, discovery, total] =
                ["initial_tokens", "discovery_tokens", "total_tokens"].map(|key| number(&strategy[key]));
            assert_eq!(initial + discovery, total, "{strategy}");
            let saved = |key: &str, tokens: i64| {
                let share = 1.0 - tokens as f64 / number(&full[key]) as f64;
                (share * 1e4).round() / 1e4
            };
            assert_eq!(strategy["initial_saving"], json!(saved("initial_tokens", initial)));
            assert_eq!(strategy["total_saving"], json!(saved("total_tokens", total)));
            parts_add_up(strategy, 7);
        }
        assert_eq!(full["discovery_tokens"], 0);
    }
}

/// Parts, steps and the conversation add up to the reported sums.
#[track_caller]
fn parts_add_up(strategy: &Value, turns: i64) {
    let detail = &strategy["detail"];
    let initial: i64 = detail["initial"].as_object().unwrap().values().map(number).sum();
    assert_eq!(initial, number(&strategy["initial_tokens"]));
    let steps = detail["steps"].as_array().unwrap();
    let step = |step: &Value| number(&step["request_tokens"]) + number(&step["answer_tokens"]);
    assert_eq!(steps.iter().map(step).sum::<i64>(), number(&strategy["discovery_tokens"]));
    let learning = i64::try_from(steps.len()).unwrap();
    let requests = turns + learning;
    let learned: i64 = steps.iter().zip(1..).map(|(one, at)| step(one) * (requests - at)).sum();
    assert_eq!(number(&strategy["conversation_tokens"]), initial * requests + learned);
    // Handshake and list, learning, and three calls.
    assert_eq!(number(&strategy["round_trips"]), 2 + learning + 3);
    assert_eq!(detail["calls"]["failed"], 0, "{strategy}");
}

#[test]
fn break_even_is_the_smallest_number_of_tools_that_costs_more() {
    let costs_more = |name: &str, used: i64| {
        let report = report(&["--strategies", name, "--use", &used.to_string()]);
        let [full, strategy] = [0, 1].map(|at| number(&report["strategies"][at]["total_tokens"]));
        strategy > full
    };
    for strategy in strategies(&report(&["--strategies", "resource,info(entry-only),search"])).skip(1) {
        let (name, tools) = (strategy["name"].as_str().unwrap(), number(&strategy["break_even_tools"]));
        assert_eq!([tools - 1, tools].map(|used| costs_more(name, used)), [false, true], "{strategy}");
    }
}

#[test]
fn the_figure_of_full_is_that_of_its_list_counted_by_oneself() {
    let mut gateway = serve_odd(&[], &["ordinary"]);
    let tools = gateway.tools();
    for (host, text) in [("verbatim", json!(tools).to_string()), ("ordinary", given(tools))] {
        let report = report(&["--host", host, "--", ODD, "ordinary"]);
        let counted = Tokenizer::O200kBase.count(&text);
        assert_eq!(report["strategies"][0]["initial_tokens"], json!(counted), "{host}");
        assert_eq!(report["host"], host);
    }
}

/// The figures of a strategy as tables show them, from the JSON report.
fn shown_figures(strategy: &Value) -> Vec<String> {
    let figure = |pointer: &str| grouped(strategy.pointer(pointer).and_then(Value::as_u64).unwrap());
    let saved = match strategy["total_saving"].as_f64().unwrap() {
        0.0 => "–".to_owned(),
        share if share < 0.0 => format!("costs {:.1} % more", -100.0 * share),
        share => format!("{:.1} %", 100.0 * share),
    };
    let steps = number(&strategy["steps"]).to_string();
    let break_even =
        strategy["break_even_tools"].as_i64().map_or("never".to_owned(), |tools| tools.to_string());
    [
        strategy["name"].as_str().unwrap().to_owned(),
        figure("/initial_tokens"),
        figure("/total_tokens"),
        saved,
        steps,
        figure("/discovery_tokens"),
        figure("/conversation_tokens"),
        break_even,
        figure("/round_trips"),
        figure("/negotiating/total_tokens"),
    ]
    .into()
}

/// The first row of this strategy in a format, cell by cell.
fn row(format: &str, text: &str, strategy: &str) -> Vec<String> {
    // The recommended one is marked.
    let text = text.replace("▸ ", "  ").replace("**", "");
    let (rows, beginning, cells) = match format {
        "table" => ("\n", format!("  {strategy} "), "  "),
        "markdown" => ("\n", format!("| {strategy} "), "|"),
        _ => ("<tr", format!(">{strategy}</th>"), "<"),
    };
    let is_row =
        |row: &&str| if rows == "\n" { row.starts_with(&beginning) } else { row.contains(&beginning) };
    let row = text.split(rows).find(is_row).unwrap_or_else(|| panic!("no row {strategy} in {text}"));
    let row = row.split("</tr>").next().unwrap();
    // Those of a page are the texts between tags.
    let cell = |part: &str| part.split_once('>').map_or(part, |(_, text)| text).trim().to_owned();
    row.split(cells).map(cell).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn every_format_has_the_same_figures() {
    let written = |format| compare(&["--format", format, "--wide"]).says(0, &[]).stdout.clone();
    let report = report(&[]);
    let page = written("html");
    for (format, text) in [("table", &written("table")), ("markdown", &written("markdown")), ("html", &page)]
    {
        for strategy in strategies(&report) {
            let name = strategy["name"].as_str().unwrap();
            assert_eq!(row(format, text, name), shown_figures(strategy), "{format}");
        }
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'"));
    let (_, played) = page.split_once("One task, step by step").unwrap();
    // The transcript is that of the report's own tasks.
    for tool in ["linear_solve", "symbolic_integrate"] {
        assert!(report["used"].as_array().unwrap().contains(&json!(tool)));
        assert!(played.contains(&format!("{tool} {{&quot;")), "{tool}");
    }
    for strategy in strategies(&report) {
        let figures = shown_figures(strategy);
        let (name, start, learning) = (&figures[0], &figures[1], &figures[5]);
        let sums = format!("{start} at the start, {learning} to learn, ");
        assert!(played.contains(&sums), "{name}: {sums}");
        let heading = format!("<h4>{name}</h4>");
        assert_eq!(played.matches(&heading).count(), 4, "{heading}: one for each course");
    }
    for loading in ["src=", "href=", "url(", "@import", "<script"] {
        assert!(!page.contains(loading), "the page has {loading}");
    }
    // The recommended strategy is shown beside full, or the next one where that is full.
    let recommended = report["recommendation"]["strategy"].as_str().unwrap();
    let expected = if recommended == "full" { "resource" } else { recommended };
    let (_, chosen) = played.split_once(" checked>").unwrap();
    assert!(chosen.split_once("</label>").unwrap().0.ends_with(&format!(">{expected}")), "{expected}");
}
