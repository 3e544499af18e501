//! What a caller may not use is, to the letter, what does not exist (docs/CONTRACT.md R10, A3): everything that it is answered
//! is the same in two worlds, one where such things exist and one where they do not.

#![allow(clippy::print_stdout, reason = "the count of probes is quoted in docs/CONFORMANCE.md")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use kit::{
    Bench, Client, Identity, Options, Scenario, Setup, eventually,
    scenario::{Stage, control, raw},
};
use mcp_disclosure_gateway::negotiation::Bridge;
use mcp_disclosure_server::config::AccessFlags;
use proptest::{collection, prelude::*};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{properties, several};

const STRATEGIES: [&str; 6] = ["full", "resource", "describe", "info", "search", "groups"];
const UPSTREAMS: [&str; 2] = ["a", "b"];

/// Callers and their tokens: two who may use some things, and for each upstream one who may use all tools and prompts, and its
/// resources.
const TOKENS: [(&str, &str); 4] = [
    ("ann", "the-secret-token-of-ann"),
    ("bob", "the-secret-token-of-bob"),
    ("all_a", "the-secret-token-of-all-of-a"),
    ("all_b", "the-secret-token-of-all-of-b"),
];

/// The combinations of transport and era.
const SETUPS: usize = 4;

/// Names that are asked for, of those that a caller may use and of those that it may not.
const ASKED: usize = 2;

/// Something of each kind by one name: a tool, a resource, a template and a prompt.
#[derive(Clone, Debug)]
struct Thing {
    upstream: usize,
    /// Whether Ann and Bob may use it.
    permitted: [bool; 2],
    /// Whether it comes later.
    is_late: bool,
}

/// Things by names that are near to each other, since suggestions and searches compare names.
type World = BTreeMap<String, Thing>;

fn worlds() -> impl Strategy<Value = World> {
    let thing = (0..UPSTREAMS.len(), any::<[bool; 2]>(), prop::bool::weighted(0.2));
    let thing = thing.prop_map(|(upstream, permitted, is_late)| Thing { upstream, permitted, is_late });
    collection::btree_map("(list|get|drop)_(card|cart|cars)_[p-r]{2,3}", thing, 1..24)
}

fn uri(name: &str) -> String {
    format!("file:///{name}/listed")
}

fn template(name: &str) -> String {
    format!("file:///{name}/{{part}}")
}

/// What one upstream has, now and later. Each has one thing more, for those alone who may use all of it, so that in neither
/// world an upstream's own texts are for everyone.
fn scenario(world: &World, upstream: usize) -> Scenario {
    let own = |late: bool| {
        let own =
            world.iter().filter(move |(_, thing)| thing.upstream == upstream && (late || !thing.is_late));
        own.map(|(name, _)| name.clone()).chain([format!("vark_{}", UPSTREAMS[upstream])])
    };
    let tool = |name: String| {
        let properties = json!({name.clone(): {"type": "string", "description": format!("The {name}.")}});
        let schema = json!({"type": "object", "properties": properties});
        let description = format!("Handles {name}. Use it for {name}.");
        raw(json!({"name": name, "description": description, "inputSchema": schema, "resolve": true}))
    };
    let prompt = |name: String| raw(json!({"name": name, "description": format!("Asks for {name}.")}));
    let mut scenario = Scenario { tools: own(false).map(tool).collect(), ..Scenario::odd() };
    scenario = scenario.with_tool_capability("resolve");
    scenario.answers.clear();
    scenario.resources = own(false).map(|name| raw(json!({"uri": uri(&name), "name": name}))).collect();
    scenario.templates =
        own(false).map(|name| raw(json!({"uriTemplate": template(&name), "name": name}))).collect();
    scenario.prompts = own(false).map(prompt).collect();
    scenario.stages =
        vec![Stage { tools: own(true).map(tool).collect(), prompts: own(true).map(prompt).collect() }];
    // An upstream may name in a result what does not exist for everyone.
    let links = ["drop_card_qq", "vark_a"]
        .map(|name| json!({"type": "resource_link", "uri": uri(name), "name": name}));
    let result = raw(json!({"result": {"content": links}}));
    for name in own(true) {
        scenario.answers.insert(format!("tools/call {name}"), result.clone());
        let text = json!({"type": "text", "text": "asked"});
        let messages = json!([{"role": "user", "content": text}]);
        scenario.on(format!("prompts/get {name}"), json!({"messages": messages}));
        let completion = json!({"completion": {"values": [name], "total": 1}});
        scenario.on(format!("completion/complete {name}"), completion);
    }
    scenario
}

/// A file that says what Ann and Bob may use of the world where everything exists. Some tools are pinned, whoever may use them.
fn config(world: &World, folder: &TempDir) -> String {
    let pins: Vec<&String> = world.keys().step_by(3).collect();
    let mut config = format!("[pins]\ntools = {pins:?}\n[auth]\ntokens = [");
    for (name, token) in TOKENS {
        let path = folder.path().join(name);
        fs::write(&path, token).unwrap();
        config.push_str(&format!("{{ name = {name:?}, file = {:?} }},", path.display().to_string()));
    }
    config.push_str("]\n");
    for (at, (name, _)) in TOKENS.iter().take(2).enumerate() {
        let own = || world.iter().filter(move |(_, thing)| thing.permitted[at]);
        let list = |of: &dyn Fn(&str) -> Vec<String>| {
            let patterns = own().flat_map(|(name, thing)| {
                of(name).into_iter().map(|what| format!("{}/{what}", UPSTREAMS[thing.upstream]))
            });
            json!(patterns.collect::<Vec<_>>()).to_string()
        };
        let names = list(&|name| vec![name.to_owned()]);
        let uris = list(&|name| vec![uri(name), template(name)]);
        config.push_str(&format!(
            "[[principals]]\nname = {name:?}\ntoken = {name:?}\ntools = {names}\nprompts = {names}\nresources = {uris}\n"
        ));
    }
    for (name, (who, _)) in UPSTREAMS.into_iter().zip(&TOKENS[2..]) {
        config.push_str(&format!(
            "[[principals]]\nname = {who:?}\ntoken = {who:?}\ntools = [\"*\"]\nprompts = [\"*\"]\nresources = [\"{name}/*\"]\n"
        ));
    }
    config
}

async fn start(world: &World, config: &str, on_stdio: &str) -> Bench {
    let access = AccessFlags { principal: Some(on_stdio.to_owned()), ..AccessFlags::default() };
    let upstreams = [0, 1].map(|at| (UPSTREAMS[at], scenario(world, at)));
    let options = Options { access, ..several(upstreams) };
    Bench::start(options.bridge(Bridge::Always).with_config(config)).await
}

/// The requests whose answers are compared, with the names that are asked for.
fn probes(names: &[String]) -> Vec<(&'static str, Value)> {
    let call = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    let mut probes = vec![
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        ("tools/manifest", json!({})),
        ("groups/list", json!({})),
        ("resources/read", json!({"uri": "resource:///tool_descriptions"})),
        call("describe_tools", json!({"names": []})),
        call("info", json!({})),
        call("search_tools", json!({})),
        call(
            "search_tools",
            json!({"query": "handles listed cards and carts", "limit": 50, "detail": "full"}),
        ),
    ];
    for upstream in UPSTREAMS {
        probes.extend([
            call("info", json!({"topic": upstream})),
            call("search_tools", json!({"category": upstream})),
            call("get_group", json!({"name": upstream})),
            ("groups/get", json!({"name": upstream})),
        ]);
    }
    for name in names {
        let of_template = json!({"type": "ref/resource", "uri": template(name)});
        let of_prompt = json!({"type": "ref/prompt", "name": name});
        let argument = json!({"name": "part", "value": ""});
        probes.extend([
            call(name, json!({})),
            call(&format!("a__{name}"), json!({})),
            call(name, json!({"disclosure_receipt": "x", "wrong": 1})),
            ("tools/resolve", json!({"name": name, "arguments": {}})),
            ("tools/describe", json!({"name": name})),
            ("tools/describe", json!({"names": [name]})),
            ("tools/list", json!({"filter": {"namePatterns": [format!("{name}*")]}})),
            ("resources/read", json!({"uri": format!("resource:///tool_descriptions?tools={name}")})),
            call("describe_tools", json!({"names": [name]})),
            call("info", json!({"topic": name})),
            call("info", json!({"topic": format!("tool:{name}")})),
            call("search_tools", json!({"query": name})),
            call("call_tool", json!({"tool": name, "arguments": {}})),
            call("get_group", json!({"name": name})),
            ("groups/get", json!({"name": name})),
            ("resources/read", json!({"uri": uri(name)})),
            ("resources/read", json!({"uri": format!("file:///{name}/other")})),
            ("resources/subscribe", json!({"uri": uri(name)})),
            ("prompts/get", json!({"name": name})),
            ("completion/complete", json!({"ref": of_prompt, "argument": argument})),
            ("completion/complete", json!({"ref": of_template, "argument": argument})),
        ]);
    }
    probes
}

/// A text without signed handles: they have 43 characters, some of them random.
fn without_handles(text: &str) -> String {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (run, after) = from.split_at(from.find(|character| !is_part(character)).unwrap_or(from.len()));
        plain.push_str(before);
        plain.push_str(if run.len() == 43 { "HANDLE" } else { run });
        rest = after;
    }
    plain + rest
}

/// Everything that a caller is sent in a world: what answers each probe, and what comes unasked when there is more later.
async fn sent(
    world: &World,
    config: &str,
    setup: Setup,
    (name, token): (&'static str, &'static str),
    (probes, watched): (&[(&'static str, Value)], Option<&str>),
) -> Vec<(String, String)> {
    let bench = start(world, config, name).await;
    let identity = Identity::offering(setup.strategy).bearing(token);
    let client = Client::connect_as(&bench, setup, identity).await;
    let mut all = vec![("introduction".to_owned(), without_handles(&client.introduction.to_string()))];
    let _listening = client.hear(watched.as_slice()).await;
    for (method, params) in probes {
        let reply = client.request(method, params.clone()).await;
        let answer = without_handles(reply.text.as_deref().unwrap_or_default());
        all.push((format!("{method} {params}"), format!("{:?} {answer}", reply.status)));
    }
    grow(&bench, watched).await;
    if watched.is_some() {
        // Sent after everything else.
        client.notification("notifications/resources/updated").await;
    }
    for method in ["tools/list", "prompts/list", "resources/list", "groups/list"] {
        let reply = client.request(method, json!({})).await;
        all.push((format!("{method} later"), without_handles(reply.text.as_deref().unwrap_or_default())));
    }
    let unasked = client.inbox.since(0).into_iter().filter(|message| message.contains("\"notifications/"));
    // Changes that come at about the same time are one or several.
    let unasked: BTreeSet<String> = unasked.collect();
    all.push(("what comes unasked".to_owned(), format!("{unasked:?}")));
    all
}

/// Makes both upstreams list what is late, and then one of them update a resource.
async fn grow(bench: &Bench, watched: Option<&str>) {
    let setup = Setup::named("full_http_session");
    for (_, token) in &TOKENS[2..] {
        let watcher = Client::connect_as(bench, setup, Identity::default().bearing(token)).await;
        watcher.read(&control("stage/0")).await.result();
        eventually("it has more", async || {
            // Both have it, so that the URI leads to one of them.
            json!(watcher.list("resources").await).to_string().contains("/staged/0").then_some(())
        })
        .await;
        if let Some(uri) = watched {
            // One of the two upstreams has it.
            watcher.read(&control(&format!("updated:{uri}"))).await.result();
        }
    }
}

fn misspelt(name: &str) -> String {
    let mut characters: Vec<char> = name.chars().collect();
    let last = characters.len() - 1;
    characters.swap(last, last - 1);
    characters.into_iter().chain(['s']).collect()
}

/// Under one strategy, over both transports and in both eras, a world for each.
fn nothing_differs(strategy: &'static str) {
    let count = AtomicUsize::new(0);
    let at = STRATEGIES.iter().position(|name| *name == strategy).unwrap();
    // Those of other strategies are drawn, too, so that no two have the same.
    properties::hold_in(1, collection::vec(worlds(), STRATEGIES.len() * SETUPS), async |worlds| {
        for (choice, world) in worlds.iter().skip(at * SETUPS).take(SETUPS).enumerate() {
            let setup = properties::setup(strategy, u8::try_from(choice).unwrap());
            count.fetch_add(compare(world, setup).await, Ordering::Relaxed);
        }
    });
    let count = count.into_inner();
    println!("{count} probes under {strategy}, each in two worlds");
    assert!(count > 500);
}

/// How many probes of two callers were compared.
async fn compare(world: &World, setup: Setup) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let config = config(world, &folder);
    let mut count = 0;
    for (at, who) in TOKENS.into_iter().take(2).enumerate() {
        let (own, others): (World, World) =
            world.clone().into_iter().partition(|(_, thing)| thing.permitted[at]);
        let asked = own.keys().take(ASKED).chain(others.keys().take(ASKED)).cloned();
        let asked: Vec<String> = asked.flat_map(|name| [misspelt(&name), name]).collect();
        let probes = probes(&asked);
        let watched = own.iter().find(|(_, thing)| !thing.is_late).map(|(name, _)| uri(name));
        let asked = (&probes[..], watched.as_deref());
        let with = sent(world, &config, setup, who, asked).await;
        let without = sent(&own, &config, setup, who, asked).await;
        assert_eq!(with.len(), without.len());
        for ((probe, with), (_, without)) in with.iter().zip(&without) {
            assert_eq!(with, without, "{} under {setup:?}: {probe}", who.0);
        }
        count += with.len();
        // The same probes show the difference to who may use everything.
        let everyone = |world| sent(world, &config, setup, TOKENS[2], (&probes[..20], None));
        let (with, without) = (everyone(world).await, everyone(&own).await);
        let differences = with.iter().zip(&without).filter(|(with, without)| with != without).count();
        assert!(others.is_empty() || differences >= 3, "{differences}");
    }
    count
}

macro_rules! under {
    ($($test:ident = $strategy:literal,)+) => {
        $(#[test]
        fn $test() {
            nothing_differs($strategy);
        })+
    };
}
under! {
    r10_what_is_not_permitted_changes_nothing_that_full_sends = "full",
    r10_what_is_not_permitted_changes_nothing_that_resource_sends = "resource",
    r10_what_is_not_permitted_changes_nothing_that_describe_sends = "describe",
    r10_what_is_not_permitted_changes_nothing_that_info_sends = "info",
    r10_what_is_not_permitted_changes_nothing_that_search_sends = "search",
    r10_what_is_not_permitted_changes_nothing_that_groups_sends = "groups",
}
