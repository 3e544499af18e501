//! What tests of strategies, and of all else that stands on a catalogue, begin with.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::{
    pin::pin,
    sync::Arc,
    task::{Poll, Waker},
};

use serde_json::{Value, json, value::to_raw_value};

use crate::{
    ClientTraits, Context, DescriptionFile, Effect, Effects, Marks, Material, Memory, Noted, Primitive,
    Principal, RawText, Receipts, Rules, Services, Snapshot, ToolCall, ToolName, UpstreamLists, UpstreamName,
    View,
};

/// A value as the text that a peer sends.
pub fn raw(value: &Value) -> RawText {
    to_raw_value(value).unwrap().into()
}

/// An upstream with these tools.
pub fn upstream(name: &str, tools: impl IntoIterator<Item = Value>) -> UpstreamLists {
    let tools = tools.into_iter().map(|tool| raw(&tool)).collect();
    UpstreamLists { tools, ..UpstreamLists::empty(UpstreamName::parse(name).unwrap()) }
}

/// An upstream with tools of these names.
pub fn named(name: &str, tools: impl IntoIterator<Item = impl AsRef<str>>) -> UpstreamLists {
    upstream(name, tools.into_iter().map(|tool| json!({"name": tool.as_ref(), "inputSchema": {}})))
}

/// Everything that these upstreams list.
pub fn view(upstreams: &[UpstreamLists]) -> View {
    view_of(Snapshot::build(upstreams, &[]))
}

/// Everything in a snapshot.
pub fn view_of(snapshot: impl Into<Arc<Snapshot>>) -> View {
    View::of(snapshot.into(), &Principal::anonymous())
}

/// What these upstreams list under an operator's rules.
pub fn ruled(upstreams: &[UpstreamLists], rules: Rules) -> Snapshot {
    Snapshot::assemble(Material { upstreams, complete: true, files: &[], rules: &Arc::new(rules) })
}

/// A view as a filter leaves it that keeps tools of these keys only.
pub fn keeping(view: View, is_kept: impl Fn(&str) -> bool) -> View {
    view.narrow(|primitive| !matches!(primitive, Primitive::Tool(tool) if !is_kept(tool.key())))
}

/// The view of one upstream, `u`, with these tools.
pub fn view_with(tools: impl IntoIterator<Item = Value>) -> View {
    view(&[upstream("u", tools)])
}

/// An operator's file about the tool that it names.
pub fn file(file: &Value) -> DescriptionFile {
    let name = file["name"].as_str().unwrap();
    DescriptionFile::parse(&format!("{name}.json"), name, &file.to_string()).unwrap()
}

/// A call of a tool.
pub fn call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { name: ToolName::parse(name).unwrap(), arguments: Some(raw(arguments)) }
}

/// What a strategy answers in a session in which nothing was delivered or noted, and its effects.
pub fn asked<T>(
    view: &View,
    client: &ClientTraits,
    services: &dyn Services,
    ask: impl AsyncFnOnce(&Context<'_>) -> T,
) -> (T, Vec<Effect>) {
    let (marks, effects) = (Marks::default(), Effects::default());
    let (noted, receipts) = (Noted::new(&Memory::EMPTY, "test"), Receipts::Marks(&marks));
    let context = Context { view, client, noted, receipts, session: "test", services, effects: &effects };
    let answer = match pin!(ask(&context)).as_mut().poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("a built-in strategy never waits"),
    };
    (answer, effects.take())
}
