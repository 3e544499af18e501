//! Queries that do not find their tool.

use kit::messages::tool;
use serde_json::json;

use super::{findings, found, has, with_tools};
use crate::{
    command_line::{configured, playing, queries, run, scratch, shown},
    docs::blocks_of,
};

#[test]
fn s7_queries_that_do_not_find_their_tool_are_findings_with_the_words_that_miss() {
    let tools = [tool("move_file", "Moves a file to another place."), tool("sum", "Adds two numbers.")];
    let file = queries(&[
        json!({"query": "move a file", "tools": ["move_file"]}),
        json!({"query": "frobnicate zorps", "tools": ["up:move_file", "move_file"]}),
        json!({"query": "numbers of a file", "tools": ["move_file"]}),
        json!({"query": "two numbers", "tools": []}),
        json!({"query": "book a flight", "tools": []}),
        json!({"query": "sum", "tools": ["summ"]}),
    ]);
    let path = shown(file.path()).to_owned();
    let found = found(&tools, &["--queries", &path]);
    has(&found, "not-found", &[("move_file", "the tool lacks: frobnicate, zorps")]);
    let unknown = format!("{path}:6: unknown tool 'summ'; did you mean 'sum'?");
    for (code, expected) in [("found-wrongly", "sum"), ("unknown-label", &unknown)] {
        let is_said = found.iter().any(|(of, _, said)| of == code && said.contains(expected));
        assert!(is_said, "{code}: {found:?}");
    }
    // With the words as synonyms it is found.
    let (_directory, scenario) = with_tools(&tools);
    let synonyms = "[strategy.search.synonyms]\nfrobnicate = [\"move\"]\nzorps = [\"file\"]\n";
    let (_folder, config) = configured(&(playing("up", &scenario) + synonyms));
    let ended = run(&["check", "--format", "json", "--queries", &path, "--config", shown(&config)]);
    assert!(findings(&ended.stdout).iter().all(|(code, ..)| code != "not-found"), "{}", ended.stdout);
    run(&["check", "--queries", "/no/such/file"]).says(64, &["/no/such/file"]);
}

#[test]
fn s7_the_page_about_words_is_true() {
    let (_directory, queries) = scratch("queries.jsonl");
    let documented = |kind| blocks_of("search.md", kind);
    std::fs::write(&queries, &documented("json")[0]).unwrap();
    let [before, after] = documented("text").try_into().unwrap();
    assert_eq!(
        run(&["check", "--notes", "--queries", shown(&queries)]).says(0, &[]).stdout.trim_end(),
        before.trim_end()
    );
    let (_folder, config) = configured(&format!("demo = true\n{}", documented("toml")[0]));
    let ended = run(&["check", "--notes", "--queries", shown(&queries), "--config", shown(&config)]);
    assert_eq!(ended.says(0, &[]).stdout.trim_end(), after.trim_end());
}
