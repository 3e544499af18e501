//! Prints what groups cost over the recorded servers, beside `search`, as the table of `docs/drafts.md`: see
//! `tests/recordings/run.sh`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program of measurements, whose table is its output"
)]

use std::sync::Arc;

use kit::recordings::{FOLDER, recorded};
use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{
    ClientTraits, Context, Decision, Effects, Era, Marks, Memory, Noted, Principal, RawText, Receipts,
    Registry, Settings, Snapshot, Stack, ToolCall, ToolName, Unlimited, UpstreamLists, View,
};
use mcp_disclosure_gateway::builtin;
use mcp_disclosure_strategy_groups::{Group, Groups, GroupsConfig};
use serde_json::{Value, json};

fn main() {
    let Some(servers) = recorded() else { panic!("{FOLDER} names no folder of recordings") };
    let lists: Vec<UpstreamLists> = servers.into_iter().map(|(name, server)| server.lists(&name)).collect();
    let view = View::of(Arc::new(Snapshot::build(&lists, &[])), &Principal::anonymous());
    let tools = view.tools().count();
    println!("| strategy | start | to call one tool, on average | requests |");
    println!("|---|---:|---:|---:|");
    let row = |name: &str, start: u64, (learned, requests): (f64, f64)| {
        println!("| {name} | {start} | {:.0} | {requests:.1} |", start as f64 + learned);
    };
    let registry: Registry = builtin();
    let build = |name: &str| -> Arc<Stack> { registry.builder(&Settings::new()).build(name).unwrap() };
    let plain = ClientTraits::plain(Era::Session);
    let bridged = ClientTraits { bridge: true, ..plain };
    let mean = |strategy: &Stack, asks: &dyn Fn(&str) -> Vec<(&'static str, Value)>| {
        let (mut cost, mut requests) = (0, 0);
        for tool in view.tools() {
            let asks = asks(tool.name());
            let answers =
                asks.iter().map(|(name, arguments)| ask(strategy, &view, &bridged, name, arguments));
            cost += answers.sum::<u64>();
            requests += asks.len();
        }
        (cost as f64 / tools as f64, requests as f64 / tools as f64)
    };
    let search = build("search");
    let brief = |tool: &str| view.tool(tool).unwrap().brief().to_owned();
    let learned = mean(&search, &|tool| vec![("search_tools", json!({"query": brief(tool)}))]);
    row("`search`, by a tool's brief", start(&search, &view, &bridged), learned);
    let groups = build("groups");
    let of_tool = Groups::of(&view, &GroupsConfig::default());
    let leaf = |tool: &str| of_tool.with_tool(tool).map(|group| group.name.clone());
    let parents = |name: &str| {
        let has = |group: &&Group| of_tool.children(group).any(|child| child.name == name);
        of_tool.all().iter().find(has).map(|group| group.name.clone())
    };
    let first = start(&groups, &view, &bridged);
    let learned = mean(&groups, &|tool| {
        leaf(tool).map(|group| ("get_group", json!({"name": group}))).into_iter().collect()
    });
    row("`groups`, named by the index", first, learned);
    let learned = mean(&groups, &|tool| {
        let Some(leaf) = leaf(tool) else { return Vec::new() };
        let path = parents(&leaf).into_iter().chain([leaf]);
        path.map(|group| ("get_group", json!({"name": group}))).collect()
    });
    row("`groups`, from the top down", first, learned);
    let declared = ClientTraits { declared: true, ..plain };
    let listed: Vec<&str> = of_tool.top().map(|group| group.object.text()).collect();
    let first = start(&groups, &view, &declared) + tokens(&listed.join(","));
    let nested = |tool: &str| -> Vec<String> {
        let Some(leaf) = leaf(tool) else { return Vec::new() };
        parents(&leaf).into_iter().chain([leaf]).collect()
    };
    let whole = |tool: &str| -> Vec<String> {
        let Some(top) = nested(tool).into_iter().next().and_then(|name| of_tool.named(&name)) else {
            return Vec::new();
        };
        of_tool.children(top).chain([top]).map(|group| group.name.clone()).collect()
    };
    // What a model reads of the answers: in flat groups, all of an upstream at once.
    let native = |name: &str, read: &dyn Fn(&str) -> Vec<String>, requests: fn(usize) -> usize| {
        let contents = |name: &String| of_tool.named(name).map(|group| of_tool.contents(&view, group));
        let (mut cost, mut count) = (0, 0);
        for tool in view.tools() {
            let groups = read(tool.name());
            cost += groups.iter().filter_map(contents).map(|contents| tokens(contents.text())).sum::<u64>();
            count += requests(groups.len());
        }
        row(name, first, (cost as f64 / tools as f64, count as f64 / tools as f64));
    };
    native("`groups/get`, nested", &nested, |groups| groups);
    native("`groups/get`, flat: whole upstreams", &whole, |groups| groups.min(1));
}

/// What a model reads first.
fn start(strategy: &Stack, view: &View, client: &ClientTraits) -> u64 {
    let view = view.clone().reserving(strategy.reserved_names(view, client));
    let mut listing = strategy.list(&view, client);
    listing.tools.extend(strategy.own(&view, client).tools.iter().map(|tool| tool.definition().clone()));
    let texts = listing.tools.iter().map(|tool| tool.text().to_owned()).chain(listing.instructions);
    tokens(&texts.collect::<Vec<_>>().join("\n"))
}

/// What an own tool's call and its answer cost.
fn ask(strategy: &Stack, view: &View, client: &ClientTraits, name: &str, arguments: &Value) -> u64 {
    let (marks, effects) = (Marks::default(), Effects::default());
    let cx = Context {
        view,
        client,
        noted: Noted::new(&Memory::EMPTY, "measured"),
        receipts: Receipts::Marks(&marks),
        session: "measured",
        services: &Unlimited,
        effects: &effects,
    };
    let text = arguments.to_string();
    let call = ToolCall {
        name: ToolName::parse(name).unwrap(),
        arguments: Some(RawText::parse(text.clone()).unwrap()),
    };
    let decision = futures::executor::block_on(strategy.before_call(&cx, call)).unwrap();
    let Decision::Answer(answer) = decision else {
        panic!("{name} {arguments} is not answered: {decision:?}")
    };
    assert!(!answer.is_error, "{name} {arguments}: {answer:?}");
    tokens(&text) + tokens(&answer.content.to_string())
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}
