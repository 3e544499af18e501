//! Prints what groups cost over the recorded servers, beside `search` and `info`, as the table of `docs/drafts.md`: see
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
    ClientTraits, Context, Decision, Effects, Era, ListedCategory, Marks, Memory, Noted, Principal, RawText,
    Receipts, Registry, Settings, Snapshot, Stack, ToolCall, ToolName, Unlimited, UpstreamLists, View,
};
use mcp_disclosure_gateway::builtin;
use mcp_disclosure_strategy_groups::{Group, Groups, GroupsConfig};
use serde_json::{Value, json};

fn main() {
    let Some(servers) = recorded() else { panic!("{FOLDER} names no folder of recordings") };
    let lists: Vec<UpstreamLists> = servers.into_iter().map(|(name, server)| server.lists(&name)).collect();
    let largest = lists.iter().max_by_key(|lists| lists.tools.len()).unwrap().clone();
    println!("| servers | tools | strategy | start | to call one tool, on average | requests |");
    println!("|---|---|---|---:|---:|---:|");
    for lists in [vec![largest], lists] {
        table(&lists);
    }
}

fn table(lists: &[UpstreamLists]) {
    let view = View::of(Arc::new(Snapshot::build(lists, &[])), &Principal::anonymous());
    let tools = view.tools().count();
    let row = |name: &str, start: u64, learned: f64, requests: f64| {
        println!(
            "| {} | {tools} | {name} | {start} | {:.0} | {requests:.1} |",
            lists.len(),
            start as f64 + learned
        );
    };
    let registry: Registry = builtin();
    let build = |name: &str, settings: Value| -> Arc<Stack> {
        let settings: Settings = [(name.to_owned(), settings)].into();
        registry.builder(&settings).build(name).unwrap()
    };
    let plain = ClientTraits::plain(Era::Session);
    let bridged = ClientTraits { bridge: true, ..plain };
    row("`full`", start(&build("full", json!({})), &view, &plain), 0.0, 0.0);
    let mean = |strategy: &Stack,
                client: &ClientTraits,
                asks: &dyn Fn(&str) -> Vec<(&'static str, Value)>| {
        let learned: Vec<(u64, usize)> = view
            .tools()
            .map(|tool| {
                let asks = asks(tool.name());
                let cost =
                    asks.iter().map(|(name, arguments)| ask(strategy, &view, client, name, arguments)).sum();
                (cost, asks.len())
            })
            .collect();
        let count = learned.len() as f64;
        (
            learned.iter().map(|(cost, _)| *cost as f64).sum::<f64>() / count,
            learned.iter().map(|(_, requests)| *requests as f64).sum::<f64>() / count,
        )
    };
    let info = build("info", json!({"tools": "entry-only"}));
    let category = |tool: &str| {
        let holds = |category: &ListedCategory<'_>| category.tools().any(|one| **one.name() == *tool);
        view.categories().find(holds).map(|category| category.name().to_owned()).unwrap_or_default()
    };
    let (learned, requests) = mean(&info, &bridged, &|tool| {
        vec![("info", json!({"topic": category(tool)})), ("info", json!({"topic": format!("tool:{tool}")}))]
    });
    row("`info`, entry-only", start(&info, &view, &bridged), learned, requests);
    let search = build("search", json!({}));
    let brief = |tool: &str| view.tool(tool).unwrap().brief().to_owned();
    let (learned, requests) =
        mean(&search, &bridged, &|tool| vec![("search_tools", json!({"query": brief(tool)}))]);
    row("`search`, by a tool's brief", start(&search, &view, &bridged), learned, requests);
    let groups = build("groups", json!({}));
    let of_tool = Groups::of(&view, &GroupsConfig::default());
    let leaf = |tool: &str| of_tool.with_tool(tool).map(|group| group.name.clone());
    let parents = |name: &str| {
        let has = |group: &&Group| of_tool.children(group).any(|child| child.name == name);
        of_tool.all().iter().find(has).map(|group| group.name.clone())
    };
    let first = start(&groups, &view, &bridged);
    let (learned, requests) = mean(&groups, &bridged, &|tool| {
        leaf(tool).map(|group| ("get_group", json!({"name": group}))).into_iter().collect()
    });
    row("`groups`, named by the index", first, learned, requests);
    let (learned, requests) = mean(&groups, &bridged, &|tool| {
        let Some(leaf) = leaf(tool) else { return Vec::new() };
        let path = parents(&leaf).into_iter().chain([leaf]);
        path.map(|group| ("get_group", json!({"name": group}))).collect()
    });
    row("`groups`, from the top down", first, learned, requests);
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
        row(name, first, cost as f64 / tools as f64, count as f64 / tools as f64);
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
