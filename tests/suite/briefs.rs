//! Briefs and categories of real servers' lists (docs/briefs.md).

use std::sync::Arc;

use mcp_disclosure_core::{
    Principal, RawObject, Snapshot, UpstreamLists, UpstreamName, View, brief::shorten,
};
use serde_json::{Value, json, value::to_raw_value};

fn view_of(lists: &[UpstreamLists]) -> View {
    View::of(Arc::new(Snapshot::build(lists, &[])), &Principal::anonymous())
}

/// A server's lists, named as it names itself.
fn lists_of(server: &Value) -> UpstreamLists {
    let tools = server["tools"].as_array().unwrap();
    UpstreamLists {
        self_named: true,
        server_info: RawObject::parse(server["server"].to_string()).unwrap(),
        tools: tools.iter().map(|tool| to_raw_value(tool).unwrap()).map(Into::into).collect(),
        ..UpstreamLists::empty(UpstreamName::parse(server["upstream"].as_str().unwrap()).unwrap())
    }
}

#[test]
fn b8_the_categories_of_recorded_servers_are_words_of_their_tools_names() {
    let Some(servers) = kit::recordings::recorded() else { return };
    let view = view_of(&servers.into_iter().map(|(name, server)| server.lists(&name)).collect::<Vec<_>>());
    let mut others = 0;
    for category in view.categories() {
        let (name, count) = (category.own_name(), category.tools().len());
        println!("{} ({count}): {}", category.name(), category.description());
        assert!((1..=40).contains(&count), "{name}: {count}");
        if name == "other" {
            others += count;
            continue;
        }
        let mut tools = category.tools();
        assert!(tools.any(|tool| tool.name().to_lowercase().contains(name)), "{name}");
        assert!(category.description().is_empty(), "{name}: {}", category.description());
    }
    assert!(others * 100 <= view.tools().count() * 8, "{others}");
}

/// Descriptions of public servers, by server and tool.
const DESCRIPTIONS: &str = include_str!("../data/descriptions.json");

/// Between these, docs/briefs.md has some rows of the table.
const TABLE: [&str; 2] = ["<!-- the table, made by the program -->\n", "<!-- the end of the table -->"];

#[test]
fn b1_the_table_of_the_documentation_is_what_the_program_makes() {
    let rows: Vec<Value> = serde_json::from_str(DESCRIPTIONS).unwrap();
    let mut servers: Vec<Value> = Vec::new();
    for row in &rows {
        let name = &row["server"];
        if servers.last().is_none_or(|server| server["server"]["name"] != *name) {
            let upstream = format!("u{}", servers.len());
            servers.push(json!({"upstream": upstream, "server": {"name": name}, "tools": []}));
        }
        let tool = json!({"name": row["tool"], "title": row["title"], "description": row["description"]});
        servers.last_mut().unwrap()["tools"].as_array_mut().unwrap().push(tool);
    }
    let view = view_of(&servers.iter().map(lists_of).collect::<Vec<_>>());
    let mut table =
        String::from("| tool, its server and its description | brief at 160, and at 60 |\n|---|---|\n");
    for (row, tool) in rows.iter().zip(view.tools()) {
        let cell = |text: &str| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            line.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
        };
        let shown = cell(&shorten(row["description"].as_str().unwrap(), 320));
        let (name, server) = (tool.name(), row["server"].as_str().unwrap());
        let (long, short) = (cell(tool.brief()), cell(tool.short_brief()));
        table.push_str(&format!("| `{name}` of {server}: {shown} | {long}<br>{short} |\n"));
    }
    assert_eq!(rows.len(), 40);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/briefs.md");
    if std::env::var_os("UPDATE_BRIEFS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let old = std::fs::read_to_string(path).unwrap();
    assert!(old == table, "tests/data/briefs.md is old: run this test with UPDATE_BRIEFS=1");
    let page = include_str!("../../docs/briefs.md");
    let shown = page.split_once(TABLE[0]).unwrap().1.split_once(TABLE[1]).unwrap().0;
    assert!(shown.lines().count() > 5);
    for row in shown.lines() {
        assert!(table.lines().any(|line| line == row), "docs/briefs.md has an old row: {row}");
    }
}
