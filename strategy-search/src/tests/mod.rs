//! `search` called directly, without a server.

use mcp_disclosure_core::{
    DescriptionFile, Effects, Era, Executors, Marks, Memory, Noted, Principal, RawText, Receipts, Services,
    Snapshot, ToolName, Unlimited, UpstreamLists, UpstreamName,
};
use serde_json::value::to_raw_value;

use super::*;

mod answers;
mod calls;

fn tools() -> UpstreamLists {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    let huge = "x".repeat(9_000);
    lists.tools = [
        json!({"name": "read_file", "description": "Reads a file as text.", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}),
        json!({"name": "write_file", "description": "Writes text to a file.", "inputSchema": {"type": "object"}}),
        json!({"name": "move_file", "description": "Moves a file.", "inputSchema": {"type": "object"},
            "annotations": {"destructiveHint": true}}),
        json!({"name": "transform", "description": "Transforms matrices.",
            "inputSchema": {"type": "object", "description": huge}}),
    ]
    .map(|tool| to_raw_value(&tool).unwrap().into())
    .into();
    lists
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
    decide_with(strategy, view, name, arguments, &Unlimited)
}

fn decide_with(
    strategy: &Search,
    view: &View,
    name: &str,
    arguments: &Value,
    services: &dyn Services,
) -> Decision {
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let (receipts, effects) = (Receipts::Marks(&marks), Effects::default());
    let cx = Context {
        view,
        client: &client,
        noted: Noted::new(&Memory::EMPTY, NAME),
        receipts,
        session: "test",
        services,
        effects: &effects,
    };
    let arguments = Some(RawText::parse(arguments.to_string()).unwrap());
    let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments };
    now(strategy.before_call(&cx, call)).unwrap()
}

fn answer(view: &View, arguments: &Value) -> ToolAnswer {
    answer_of(&search(Executors::One), view, arguments)
}

/// An answer, with its text read as JSON.
fn answer_of(strategy: &Search, view: &View, arguments: &Value) -> ToolAnswer {
    match decide(strategy, view, SEARCH, arguments) {
        Decision::Answer(ToolAnswer { content, is_error }) => {
            ToolAnswer { content: serde_json::from_str(content.as_str().unwrap()).unwrap(), is_error }
        }
        other => panic!("{arguments}: {other:?}"),
    }
}

fn all() -> View {
    View::of(Arc::new(Snapshot::build(&[tools()], &[])), &Principal::anonymous())
}

fn view_of(tools: impl IntoIterator<Item = Value>) -> View {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    lists.tools = tools.into_iter().map(|tool| to_raw_value(&tool).unwrap().into()).collect();
    View::of(Arc::new(Snapshot::build(&[lists], &[])), &Principal::anonymous())
}
