//! Briefs and categories of real servers' lists (docs/briefs.md).

use std::{collections::HashSet, sync::Arc};

use mcp_disclosure_core::{
    Primitive, Principal, RawObject, Snapshot, UpstreamLists, UpstreamName, View,
    brief::{LONGEST, SHORT, shorten},
};
use serde_json::{Value, value::to_raw_value};

/// The view of the recorded servers; `None` if none are recorded.
fn recorded() -> Option<View> {
    let servers = kit::recordings::recorded()?.into_iter();
    let lists: Vec<UpstreamLists> = servers.map(|(name, server)| server.lists(&name)).collect();
    assert_eq!(lists.iter().map(|lists| lists.tools.len()).sum::<usize>(), 131);
    let (snapshot, _) = Snapshot::build(&lists, &[]).unwrap();
    Some(View::of(Arc::new(snapshot), &Principal::anonymous()))
}

/// The view of servers' lists, named as the servers name themselves.
fn view_of(servers: &str) -> View {
    let servers: Vec<Value> = serde_json::from_str(servers).unwrap();
    let lists: Vec<UpstreamLists> = servers.iter().map(lists_of).collect();
    let (snapshot, _) = Snapshot::build(&lists, &[]).unwrap();
    View::of(Arc::new(snapshot), &Principal::anonymous())
}

fn lists_of(server: &Value) -> UpstreamLists {
    let tools = server["tools"].as_array().unwrap();
    UpstreamLists {
        self_named: true,
        server_info: RawObject::parse(server["server"].to_string()).unwrap(),
        tools: tools.iter().map(|tool| to_raw_value(tool).unwrap()).map(Into::into).collect(),
        ..UpstreamLists::empty(UpstreamName::parse(server["upstream"].as_str().unwrap()).unwrap())
    }
}

/// The briefs of a view at both lengths, with the names of their tools.
fn briefs(view: &View) -> Vec<(&str, &str)> {
    let tools = || view.tools();
    let long = tools().map(|tool| (tool.name().as_str(), tool.brief()));
    let short = tools().map(|tool| (tool.name().as_str(), tool.short_brief()));
    long.chain(short).collect()
}

#[test]
fn b1_no_brief_of_recorded_servers_is_empty_too_long_or_cut_within_a_word_or_bracket() {
    let Some(view) = recorded() else { return };
    for tool in view.tools() {
        let written = tool.tool().written_brief();
        for (brief, cap) in [(tool.brief(), LONGEST), (tool.short_brief(), SHORT)] {
            let name = tool.name();
            assert!(cap.holds(brief) && brief.split_whitespace().count() >= 2, "{name}: {brief}");
            for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
                assert_eq!(brief.matches(open).count(), brief.matches(close).count(), "{name}: {brief}");
            }
            if let Some((kept, _)) = brief.split_once('…') {
                let last = kept.split_whitespace().next_back().unwrap();
                let whole = written.split(|letter: char| letter.is_whitespace());
                let mut whole = whole.map(|word| word.trim_end_matches([',', '.', ';', ':']));
                assert!(whole.any(|word| word == last), "{name}: {brief}");
            }
        }
    }
}

#[test]
fn b2_no_two_briefs_of_recorded_servers_are_equal_and_each_names_its_product() {
    let Some(view) = recorded() else { return };
    for short in [false, true] {
        let mut seen = HashSet::new();
        for tool in view.tools() {
            let brief = if short { tool.short_brief() } else { tool.brief() };
            assert!(seen.insert(brief.to_lowercase()), "{}: {brief}", tool.name());
            let product = match tool.tool().upstream().as_str() {
                "chrome-devtools" => ["chrome", "devtools"],
                "filesystem" => ["filesystem", "file system"],
                other => [other, other],
            };
            let said = format!("{} {brief}", tool.name()).to_lowercase();
            assert!(product.iter().any(|product| said.contains(product)), "{}: {brief}", tool.name());
        }
    }
}

#[test]
fn b1_marks_of_danger_and_deprecation_of_recorded_servers_are_kept_at_both_lengths() {
    let Some(view) = recorded() else { return };
    for (name, mark) in [
        ("read_file", "[deprecated"),
        ("browser_run_code_unsafe", "[unsafe: RCE-equivalent]"),
        ("git_reset", "[destructive]"),
        ("edit_file", "[destructive]"),
    ] {
        let own: Vec<_> = briefs(&view).into_iter().filter(|(tool, _)| *tool == name).collect();
        assert!(own.len() == 2 && own.iter().all(|(_, brief)| brief.contains(mark)), "{name}: {own:?}");
    }
    // Its server marks every acting tool as destructive, which distinguishes none.
    assert!(!view.tool("browser_hover").unwrap().brief().contains("[destructive]"));
}

#[test]
fn b2_the_briefs_of_a_list_depend_on_nothing_that_is_not_listed() {
    let server = serde_json::json!([{"upstream": "u", "server": {"name": "Notes"}, "tools": [
        {"name": "add_note", "description": "Adds a note. Keeps it for a day."},
        {"name": "add_memo", "description": "Adds a note."},
        {"name": "note_remover", "description": "Wipes.", "annotations": {"destructiveHint": true}},
    ]}]);
    let view = view_of(&server.to_string());
    let brief = |view: &View, name: &str| view.tool(name).unwrap().short_brief().to_owned();
    assert_eq!(brief(&view, "add_note"), "Adds a note. Keeps it for a day.");
    assert_eq!(brief(&view, "add_memo"), "Adds a note.", "a note is one of Notes");
    let same = serde_json::json!([{"upstream": "u", "server": {"name": "Shelf"}, "tools": [
        {"name": "put_tag", "description": "Adds a thing."},
        {"name": "put_star", "description": "Adds a thing."},
    ]}]);
    let view = view_of(&same.to_string());
    assert_eq!(brief(&view, "put_tag"), "Shelf: Tag: Adds a thing.");
    assert_eq!(brief(&view, "put_star"), "Shelf: Star: Adds a thing.");
    let narrow =
        view.narrow(|primitive| !matches!(primitive, Primitive::Tool(tool) if **tool.key() == *"put_tag"));
    assert_eq!(brief(&narrow, "put_star"), "Shelf: Adds a thing.");
}

#[test]
fn b2_ten_thousand_equal_tools_get_briefs_of_their_own() {
    let tools: Vec<Value> = (0..10_000)
        .map(|at| serde_json::json!({"name": format!("tool_{at}"), "description": "Does the same as all of the others do."}))
        .collect();
    let server = serde_json::json!([{"upstream": "u", "server": {"name": "many"}, "tools": tools}]);
    let view = view_of(&server.to_string());
    let distinct: HashSet<&str> = view.tools().map(|tool| tool.short_brief()).collect();
    assert_eq!(distinct.len(), 10_000);
}

/// Descriptions of public servers, by server and tool.
const DESCRIPTIONS: &str = include_str!("../data/descriptions.json");

/// Where the table stands in docs/briefs.md.
const TABLE: [&str; 2] = ["<!-- the table, made by the program -->\n", "<!-- the end of the table -->"];

#[test]
fn b1_the_table_of_the_documentation_is_what_the_program_makes() {
    let rows: Vec<Value> = serde_json::from_str(DESCRIPTIONS).unwrap();
    let mut servers: Vec<Value> = Vec::new();
    for row in &rows {
        let name = &row["server"];
        if servers.last().is_none_or(|server| server["server"]["name"] != *name) {
            let upstream = format!("u{}", servers.len());
            servers.push(serde_json::json!({"upstream": upstream, "server": {"name": name}, "tools": []}));
        }
        let tool = serde_json::json!({"name": row["tool"], "title": row["title"], "description": row["description"]});
        servers.last_mut().unwrap()["tools"].as_array_mut().unwrap().push(tool);
    }
    let view = view_of(&Value::from(servers).to_string());
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
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/briefs.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(TABLE[0]).unwrap();
    let (old, after) = rest.split_once(TABLE[1]).unwrap();
    if std::env::var_os("UPDATE_BRIEFS").is_some() {
        std::fs::write(path, [before, TABLE[0], &table, TABLE[1], after].concat()).unwrap();
        return;
    }
    assert_eq!(rows.len(), 40);
    assert!(old == table, "the table of docs/briefs.md is old: run this test with UPDATE_BRIEFS=1");
}
