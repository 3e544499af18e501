//! `search` called directly, without a server.

use mcp_disclosure_core::{
    Era, Services, Snapshot, Unlimited, UpstreamLists, UpstreamName,
    fixtures::{self, asked, file, upstream, view, view_of, view_with},
};

use super::*;

mod answers;
mod calls;

fn tools() -> UpstreamLists {
    let huge = "x".repeat(9_000);
    let tools = [
        json!({"name": "read_file", "description": "Reads a file as text.", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}),
        json!({"name": "write_file", "description": "Writes text to a file.", "inputSchema": {"type": "object"}}),
        json!({"name": "move_file", "description": "Moves a file.", "inputSchema": {"type": "object"},
            "annotations": {"destructiveHint": true}}),
        json!({"name": "transform", "description": "Transforms matrices.",
            "inputSchema": {"type": "object", "description": huge}}),
    ];
    upstream("files", tools)
}

fn search() -> Search {
    Search::new(SearchConfig::default())
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
    let (call, client) = (fixtures::call(name, arguments), ClientTraits::plain(Era::Session));
    asked(view, &client, services, async |cx| strategy.before_call(cx, call).await).0.unwrap()
}

fn answer(view: &View, arguments: &Value) -> ToolAnswer {
    answer_of(&search(), view, arguments)
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
    view(&[tools()])
}
