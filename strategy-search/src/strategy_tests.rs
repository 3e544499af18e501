//! `search` called directly, without a server.

use mcp_disclosure_core::{
    Effects, Era, Marks, Memory, Noted, Permits, Principal, RawText, Receipts, Snapshot, ToolName, Unlimited,
    UpstreamLists, UpstreamName,
};
use proptest::prelude::*;
use serde_json::value::to_raw_value;

use super::*;

fn tools() -> UpstreamLists {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    let huge = "x".repeat(9_000);
    lists.tools = [
        json!({"name": "read_file", "description": "Reads a file as text.", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}),
        json!({"name": "write_file", "description": "Writes text to a file.", "inputSchema": {"type": "object"}}),
        json!({"name": "move_file", "description": "Moves a file.", "inputSchema": {"type": "object"}}),
        json!({"name": "transform", "description": "Transforms matrices.",
            "inputSchema": {"type": "object", "description": huge}}),
    ]
    .map(|tool| to_raw_value(&tool).unwrap())
    .into();
    lists
}

fn view(principal: &Principal) -> View {
    View::of(Arc::new(Snapshot::build(&[tools()], &[]).unwrap().0), principal)
}

fn search(executors: Executors) -> Search {
    Search::new(SearchConfig { executors, ..SearchConfig::default() })
}

/// Polls a future that is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("the built-in ranker never waits"),
    }
}

fn decide(strategy: &Search, view: &View, name: &str, arguments: &Value) -> Decision {
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let (receipts, effects) = (Receipts::Marks(&marks), Effects::default());
    let cx = Context {
        view,
        client: &client,
        noted: Noted::new(&Memory::EMPTY, NAME),
        receipts,
        session: "test",
        fetches: &Unlimited,
        effects: &effects,
    };
    let arguments = Some(RawText::parse(arguments.to_string()).unwrap());
    let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments };
    now(strategy.before_call(&cx, call)).unwrap()
}

fn answer(view: &View, arguments: &Value) -> ToolAnswer {
    match decide(&search(Executors::One), view, SEARCH, arguments) {
        Decision::Answer(answer) => answer,
        other => panic!("{arguments}: {other:?}"),
    }
}

fn all() -> View {
    view(&Principal::anonymous())
}

#[test]
fn s2_a_search_answers_with_what_a_call_needs() {
    let found = answer(&all(), &json!({"query": "read file contents"})).content;
    assert_eq!(found["tools"][0]["name"], "read_file");
    assert_eq!(found["tools"][0]["inputSchema"]["required"], json!(["path"]));
    let brief = answer(&all(), &json!({"query": "file", "detail": "brief"})).content;
    assert!(brief["tools"].as_array().unwrap().iter().all(|hit| hit.get("inputSchema").is_none()));
    let one = answer(&all(), &json!({"query": "file", "limit": 1})).content;
    assert_eq!(one["tools"].as_array().unwrap().len(), 1);
    // A schema of more than 8 kB is not part of the answer, which says so.
    let huge = answer(&all(), &json!({"query": "transform"})).content;
    assert_eq!(huge["tools"][0]["match"], "exact");
    assert!(huge["tools"][0]["note"].as_str().unwrap().contains("too large"), "{huge}");
}

#[test]
fn s2_without_a_query_it_browses() {
    let overview = answer(&all(), &json!({})).content;
    assert_eq!(overview["categories"]["files"]["count"], 4);
    let category = answer(&all(), &json!({"category": "files"})).content;
    assert_eq!(category["tools"].as_array().unwrap().len(), 4);
    let unknown = answer(&all(), &json!({"category": "nowhere", "query": "file"}));
    assert!(unknown.is_error && unknown.content["categories"]["files"].is_object());
}

#[test]
fn s4_a_miss_says_so_and_shows_the_categories() {
    let missed = answer(&all(), &json!({"query": "book a flight"})).content;
    assert_eq!(missed["tools"], json!([]));
    assert_eq!(missed["unmatched"], json!(["book", "flight"]));
    assert!(missed["categories"]["files"].is_object() && missed["note"].is_string());
}

#[test]
fn s5_what_a_principal_may_not_use_changes_nothing() {
    let permits = Permits::Only(
        ["write_file", "move_file"]
            .map(|name| ToolName::parse(name).unwrap())
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into(),
    );
    let permitted = view(&Principal::new("p", permits));
    let mut fewer = tools();
    fewer.tools = vec![fewer.tools[1].clone(), fewer.tools[2].clone()];
    let never_there = View::of(Arc::new(Snapshot::build(&[fewer], &[]).unwrap().0), &Principal::anonymous());
    for query in ["file", "read_file", "reads text", "path", "matrices"] {
        let arguments = json!({"query": query, "detail": "full", "limit": 50});
        assert_eq!(answer(&permitted, &arguments), answer(&never_there, &arguments), "{query}");
    }
}

#[test]
fn s1_executors_forward_what_they_may_run() {
    let (one, two) = (search(Executors::One), search(Executors::ByEffect));
    let view = all();
    let inner = |strategy: &Search, executor: &str, tool: &str| {
        let arguments = json!({"tool": tool, "arguments": {"path": "/a"}});
        match decide(strategy, &view, executor, &arguments) {
            Decision::Forward(call) => (call.name.to_string(), call.arguments.unwrap().get().to_owned()),
            Decision::Refuse(refusal) => (refusal.code.to_owned(), refusal.content.to_string()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(inner(&one, CALL, "write_file"), ("write_file".to_owned(), r#"{"path":"/a"}"#.to_owned()));
    assert_eq!(inner(&two, CALL_READ_ONLY, "read_file").0, "read_file");
    assert_eq!(inner(&two, CALL_READ_ONLY, "write_file").0, "NOT_READ_ONLY");
    assert_eq!(inner(&two, CALL, "write_file").0, "write_file");
    let (code, content) = inner(&one, CALL, "raed_file");
    assert_eq!(code, "UNKNOWN_TOOL");
    assert!(content.contains("read_file"), "{content}");
    // Without a second executor its name is an upstream's, or nobody's.
    assert_eq!(inner(&one, CALL_READ_ONLY, "write_file").0, CALL_READ_ONLY);
    assert_eq!(inner(&one, CALL, CALL).0, "INVALID_ARGUMENTS");
}

proptest! {
    #[test]
    fn every_query_has_an_answer(query in "(\\PC|[\n\t]){0,200}") {
        let view = all();
        let answer = answer(&view, &json!({"query": query}));
        let has_hits = answer.content["tools"].as_array().is_some_and(|hits| !hits.is_empty());
        prop_assert!(has_hits || answer.content["categories"].is_object());
    }
}
