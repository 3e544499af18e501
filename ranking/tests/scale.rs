//! What a search over many tools costs (docs/CONTRACT.md S9). An order of magnitude is what must
//! hold, since builds and machines differ.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::time::{Duration, Instant};

use mcp_disclosure_core::{View, fixtures::view_with};
use mcp_disclosure_ranking::{BuiltIn, LexicalSettings, Query};
use serde_json::json;

/// Tools like those of real servers: a name of three words, a description of thirty, four parameters.
fn tools(count: usize) -> View {
    let word = |at: usize| {
        let syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "to", "vi", "xe", "zu"];
        [at % 10, at / 10 % 10, at / 100 % 10, at / 1000 % 10].map(|at| syllables[at]).concat()
    };
    let tool = |at: usize| {
        let description = (0..30).map(|n| word(at * 7 + n * n)).collect::<Vec<_>>().join(" ");
        let parameter = |n: usize| (word(at + n), json!({"type": "string", "description": word(at * n)}));
        let properties: serde_json::Map<_, _> = (1..5).map(parameter).collect();
        json!({
            "name": format!("{}_{}_{at}", word(at), word(at / 3)), "description": description,
            "inputSchema": {"type": "object", "properties": properties},
        })
    };
    view_with((0..count).map(tool))
}

#[test]
fn s9_ten_thousand_tools_are_indexed_once_and_queries_end() {
    let view = tools(10_000);
    let ranker = BuiltIn::new(&LexicalSettings::default());
    // Briefs and categories are made for lists as well.
    assert!(view.tools().all(|tool| !tool.brief().is_empty()));
    assert!(view.categories().len() > 0);
    let timed = |text: &str| {
        let start = Instant::now();
        let hits = ranker.rank_now(&view, &Query::new(text, 5)).hits.len();
        (start.elapsed(), hits)
    };
    let (first, _) = timed("kalomine ruzusa");
    let (later, hits) = timed("kalomine lokamine delete the unheard records of lasttt month");
    let (long, _) = timed(&"unheardof lokamine xyzzyx ".repeat(5_000));
    println!("index {first:?}, query {later:?}, long query {long:?}");
    assert!(hits > 0);
    for took in [first, later, long] {
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
}
