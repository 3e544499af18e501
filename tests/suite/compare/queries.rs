//! Tools that are found by words.

use serde_json::{Value, json};

use super::{compare, report};
use crate::command_line::queries;

#[test]
fn q5_tools_are_found_by_words_as_labelled_queries_say() {
    let file = queries(&[
        json!({"query": "linear solve", "tools": ["linear_solve"]}),
        // As in tests/data/tasks.jsonl.
        json!({"id": "x", "query": "symbolic integrat", "tools": ["math-mcp:symbolic_integrate"], "kind": "single"}),
        json!({"query": "zzzz", "tools": ["fft"]}),
        json!({"query": "qqqq", "tools": []}),
    ]);
    let flags = ["--queries", file.path().to_str().unwrap(), "--strategies", "info,describe"];
    let report = report(&flags);
    let [found] = report["retrieval"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!((&found["strategy"], &found["tool"]), (&json!("info"), &json!("info")));
    let possible = &found["possible"];
    assert_eq!((&possible["queries"], &found["impossible"]["queries"]), (&json!(3), &json!(1)));
    let [first, five] = ["hit_at_1", "hit_at_5"].map(|share| possible[share].as_f64().unwrap());
    assert!(0.0 < first && first <= five && five < 1.0, "{found}");
    assert_eq!(found["missed_words"][0], json!({"word": "zzzz", "missed": 1, "queries": 1}));
    assert_eq!(
        (&found["missed"][0]["query"], &found["missed"][0]["tools"]),
        (&json!("zzzz"), &json!(["fft"]))
    );
    let table = compare(&[&flags[..], &["--wide"]].concat()).stdout;
    assert!(table.contains("Tools found by words: 3 possible queries"), "{table}");
    assert!(table.contains(&format!("{:.1} %", five * 100.0)), "{table}");
}

#[test]
fn q5_what_is_no_query_is_refused_with_its_place() {
    let line = |query: &str, tools: Value| json!({"query": query, "tools": tools});
    let refused = |lines: &[Value], expected: &[&str]| {
        let file = queries(lines);
        let path = file.path().to_str().unwrap();
        let expected: Vec<String> =
            expected.iter().map(|said| said.replace("FILE", &format!("--queries {path}"))).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        compare(&["--queries", path]).says(64, &expected);
    };
    refused(&[line("a", json!([])), line("", json!([]))], &["FILE:2: the query is empty"]);
    refused(&[line("a", json!("fft"))], &["FILE:1:26: invalid type", "each line is"]);
    refused(&[json!({"query": "a"})], &["FILE:1:13: missing field `tools`"]);
    refused(&[json!(["a"]), json!(7)], &["FILE:1:", "FILE:2:", "expected an object with 'query'"]);
    refused(&[], &["FILE: there are no queries"]);
    let labels = [line("a", json!(["fft"])), line("b", json!(["ffft"]))];
    refused(&labels, &["FILE:2: unknown tool 'ffft'; did you mean 'fft'?"]);
    compare(&["--queries", "/no/such/file"]).says(64, &["/no/such/file: ", "the file must be readable"]);
}
