//! What is hidden stays hidden (P2): for any upstreams, some of which are missing, come late, rename or drop what they
//! bring, any names that the operator gives (U14), and any rules, in each form in which one can be written.

use std::collections::BTreeSet;

use kit::{
    Bench, Client, Identity, Options, Scenario,
    scenario::{Stage, raw},
};
use mcp_disclosure_gateway::negotiation::Bridge;
use proptest::{collection, prelude::*, sample};
use serde_json::{Value, json, value::RawValue};

use crate::{
    UPSTREAM,
    properties::{hold, setup},
};

const UPSTREAMS: [&str; 3] = ["a", "b", "c"];

/// Names that read as others do.
const NAMES: [&str; 7] = ["x", "y", "a__x", "b/y", "delete_it", "info", "a x"];

/// Names that an operator gives tools; some are another tool's, or a strategy's own.
const NEW_NAMES: [&str; 5] = ["new", "x", "y", "delete_it", "info"];

const PREFIX: &str = "p_";

/// How often lists change.
const STAGES: usize = 2;

/// A rule that hides, as it is written.
fn rule() -> impl Strategy<Value = String> {
    let form = sample::select(vec!["N", "U/N", "U/*", "*/N", "?/N", "N*", "U/?*", "*N"]);
    let mut names = [&NAMES[..], &["new", "p_x", "p_delete_it"]].concat();
    // Alone, it is refused as an older way to write `a/x` (W4).
    names.retain(|name| *name != "a__x");
    let (upstream, name) = (sample::select(&UPSTREAMS[..]), sample::select(names));
    (form, upstream, name).prop_map(|(form, upstream, name)| form.replace('U', upstream).replace('N', name))
}

/// Whether a text is matched by a pattern, decided without the code under test.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.first(), text.first()) {
        (None, None) => true,
        (Some(b'*'), _) => fits(&pattern[1..], text) || (!text.is_empty() && fits(pattern, &text[1..])),
        (Some(b'?'), Some(_)) => fits(&pattern[1..], &text[1..]),
        (Some(wanted), Some(found)) if wanted == found => fits(&pattern[1..], &text[1..]),
        _ => false,
    }
}

/// What an operator calls an upstream's tools and prompts.
#[derive(Clone, Debug)]
struct Named {
    has_prefix: bool,
    renamed: Option<(&'static str, &'static str)>,
}

fn named() -> impl Strategy<Value = Named> {
    let renamed = proptest::option::of((sample::select(&NAMES[..]), sample::select(&NEW_NAMES[..])));
    (any::<bool>(), renamed).prop_map(|(has_prefix, renamed)| Named { has_prefix, renamed })
}

impl Named {
    fn name(&self, kind: &str, own: &str) -> String {
        match self.renamed.filter(|(name, _)| *name == own && kind == "tool") {
            Some((_, new)) => new.to_owned(),
            None if self.has_prefix => format!("{PREFIX}{own}"),
            None => own.to_owned(),
        }
    }

    fn toml(&self, upstream: &str) -> String {
        let prefix = if self.has_prefix { PREFIX } else { "" };
        let renamed = self.renamed.iter().map(|(own, new)| format!("{own:?} = {new:?}"));
        let renamed: String = renamed.collect();
        format!("[upstreams.{upstream}]\nprefix = {prefix:?}\nrename = {{ {renamed} }}\n")
    }
}

/// Whether a rule is about a thing, by any of these names.
fn is_hidden(rules: &[String], upstream: &str, names: &[&str]) -> bool {
    let forms = |name: &&str| [(*name).to_owned(), format!("{upstream}__{name}")];
    let plain: Vec<String> = names.iter().flat_map(forms).collect();
    let with_slash: Vec<String> = names.iter().map(|name| format!("{upstream}/{name}")).collect();
    rules.iter().any(|rule| {
        let with_slash = with_slash.iter().filter(|_| rule.contains('/'));
        plain.iter().chain(with_slash).any(|name| fits(rule.as_bytes(), name.as_bytes()))
    })
}

/// What stands in everything that is said of a thing, and in nothing else.
fn mark(kind: &str, upstream: &str, name: &str) -> String {
    let number = NAMES.iter().position(|known| *known == name).unwrap();
    format!("mark-{kind}-{upstream}-{number}-")
}

/// Which names an upstream has from the start, and in each stage.
type Brought = Vec<BTreeSet<&'static str>>;

fn brought() -> impl Strategy<Value = Brought> {
    collection::vec(collection::btree_set(sample::select(&NAMES[..]), 0..5), STAGES + 1)
}

fn things(kind: &str, upstream: &str, names: &BTreeSet<&str>) -> Vec<Box<RawValue>> {
    let thing = |name: &&str| json!({"name": name, "description": mark(kind, upstream, name), "inputSchema": {"type": "object"}});
    names.iter().map(thing).map(raw).collect()
}

/// An upstream that says in everything whose it is.
fn scenario(upstream: &str, brought: &Brought) -> Scenario {
    let lists = |names: &BTreeSet<&str>| Stage {
        tools: things("tool", upstream, names),
        prompts: things("prompt", upstream, names),
    };
    let controls = (0..STAGES)
        .map(|stage| json!({"uri": format!("kit://control/{upstream}/stage/{stage}"), "name": "control"}));
    let mut scenario = Scenario::odd();
    let first = lists(&brought[0]);
    (scenario.tools, scenario.prompts) = (first.tools, first.prompts);
    scenario.resources = controls.map(raw).collect();
    scenario.templates = Vec::new();
    scenario.stages = brought[1..].iter().map(lists).collect();
    for name in NAMES {
        let text = |kind: &str| json!({"type": "text", "text": mark(kind, upstream, name)});
        scenario.on(format!("tools/call {name}"), json!({"content": [text("tool")]}));
        let messages = json!([{"role": "user", "content": text("prompt")}]);
        scenario.on(format!("prompts/get {name}"), json!({"messages": messages}));
    }
    scenario
}

/// Calls of a strategy's own tools that are about this name.
fn own_calls(strategy: &str, name: &str) -> Vec<(&'static str, Value)> {
    let calling = json!({"tool": name, "arguments": {}});
    match strategy {
        "info" => vec![("info", json!({"topic": format!("tool:{name}")})), ("invoke", calling)],
        "search" => vec![("search_tools", json!({"query": name, "limit": 50})), ("call_tool", calling)],
        "groups" => vec![("get_group", json!({"name": name})), ("call_tool", calling)],
        _ => Vec::new(),
    }
}

/// Asks in every way there is for everything by every name it may have.
async fn ask_everything(client: &Client) {
    for list in ["tools/list", "prompts/list", "server/discover"] {
        client.request(list, json!({})).await;
    }
    let prefixed = NAMES.iter().map(|name| format!("{PREFIX}{name}"));
    let given = NAMES.iter().chain(&NEW_NAMES).map(|name| (*name).to_owned()).chain(prefixed);
    let given: BTreeSet<String> = given.collect();
    let qualified = UPSTREAMS.iter().flat_map(|upstream| {
        NAMES.iter().flat_map(move |name| ["__", "/"].map(|between| format!("{upstream}{between}{name}")))
    });
    let names: Vec<String> = given.iter().cloned().chain(qualified).collect();
    for name in &names {
        client.call(name, json!({})).await;
        client.request("tools/describe", json!({"name": name})).await;
        for (own, arguments) in own_calls(client.setup.strategy, name) {
            client.call(own, arguments).await;
        }
        client.request("prompts/get", json!({"name": name})).await;
        let reference = json!({"type": "ref/prompt", "name": name});
        client
            .request("completion/complete", json!({"ref": reference, "argument": {"name": "n", "value": ""}}))
            .await;
    }
    client.call("describe_tools", json!({"names": names})).await;
    client.request("tools/describe", json!({"names": names})).await;
    client.read("resource:///tool_descriptions").await;
    for topic in ["overview", "a", "b", "c", "deletf"] {
        client.call("info", json!({"topic": topic})).await;
    }
}

/// Answers that enumerate names without being asked for one of them.
async fn enumerated(client: &Client) -> String {
    let mut answers = String::new();
    for reply in [
        client.request("tools/list", json!({})).await,
        client.request("prompts/list", json!({})).await,
        client.describe("unknown").await,
        client.call("describe_tools", json!({"names": ["unknown"]})).await,
        client.call("info", json!({"topic": "unknown"})).await,
        client.call("info", json!({"topic": "a"})).await,
        client.call("search_tools", json!({"query": "unknown"})).await,
        client.call("search_tools", json!({"category": "a"})).await,
    ] {
        answers.push_str(&reply.text.unwrap());
    }
    answers
}

#[test]
fn nothing_hidden_is_seen_or_called_whoever_comes_and_goes_p2() {
    let rules = collection::vec((rule(), any::<bool>()), 1..5);
    let named = [named(), named(), named()];
    // Where everything is pinned, too (S12).
    let drawn = (rules, [brought(), brought(), brought()], named, 0..4usize, any::<u8>(), any::<bool>());
    hold(drawn, async |(rules, brought, named, missing, choice, pinned)| {
        let of = |tools: bool| {
            rules.iter().filter(|(_, of)| *of == tools).map(|(rule, _)| rule.clone()).collect::<Vec<String>>()
        };
        let (of_tools, of_prompts) = (of(true), of(false));
        let mut written: BTreeSet<String> = BTreeSet::new();
        for (rule, tools) in &rules {
            written
                .insert(format!("[{}.{rule:?}]\nhidden = true\n", if *tools { "tools" } else { "prompts" }));
        }
        // A rule about nothing is refused at the start where no upstream is missing; a fourth one always is.
        let mut options = Options { missing: vec!["d"], ..Options::without_upstream() };
        for (upstream, brought) in UPSTREAMS.into_iter().zip(&brought) {
            if UPSTREAMS.get(missing) == Some(&upstream) {
                options.missing.push(upstream);
            } else {
                options.upstreams.push((UPSTREAM.into(), upstream, scenario(upstream, brought)));
            }
        }
        written.extend(pinned.then(|| "[pins]\ntools = [\"*\", \"x\", \"a/*\"]\n".to_owned()));
        written.extend(UPSTREAMS.iter().zip(&named).map(|(upstream, named)| named.toml(upstream)));
        options.config = written.into_iter().collect();
        let bench = Bench::start(options.bridge(Bridge::Always)).await;
        for (at, strategy) in
            ["full", "resource", "describe", "info", "search", "groups"].into_iter().enumerate()
        {
            let client =
                Client::connect_as(&bench, setup(strategy, choice), Identity::offering(strategy)).await;
            ask_everything(&client).await;
            if at < STAGES {
                for upstream in UPSTREAMS.iter().filter(|upstream| UPSTREAMS.get(missing) != Some(upstream)) {
                    change(&client, upstream, at).await;
                    ask_everything(&client).await;
                }
            }
            let everything = client.inbox.since(0).join("\n");
            for (upstream, named) in UPSTREAMS.into_iter().zip(&named) {
                for name in NAMES {
                    for (kind, rules) in [("tool", &of_tools), ("prompt", &of_prompts)] {
                        let mark = mark(kind, upstream, name);
                        let hidden = is_hidden(rules, upstream, &[name, &named.name(kind, name)]);
                        assert!(
                            !hidden || !everything.contains(&mark),
                            "{upstream} {name} as {named:?}: {rules:?}"
                        );
                    }
                }
            }
            // Names that are hidden from every upstream are in no answer to a request without them.
            let answers = enumerated(&client).await;
            for name in NAMES.iter().filter(|name| {
                let everywhere =
                    |rules: &[String]| UPSTREAMS.iter().all(|upstream| is_hidden(rules, upstream, &[name]));
                everywhere(&of_tools) && everywhere(&of_prompts)
            }) {
                let (own, escaped) = (json!(name).to_string(), json!(json!(name).to_string()).to_string());
                let own_tools = strategy == "info" && *name == "info";
                let is_named = answers.contains(&own) || answers.contains(escaped.trim_matches('"'));
                assert!(own_tools || !is_named, "{name} in {answers}");
            }
        }
    });
}

/// Brings an upstream's next stage, and waits until the gateway has seen it.
async fn change(client: &Client, upstream: &str, stage: usize) {
    // Where several have it, each has a URI that leads to it.
    let staged = format!("/staged/{stage}");
    let count = async || {
        let listed = client.list("resources").await;
        listed.iter().filter(|one| one["uri"].as_str().is_some_and(|uri| uri.ends_with(&staged))).count()
    };
    let before = count().await;
    client.read(&format!("kit://control/{upstream}/stage/{stage}")).await.result();
    kit::eventually("the changed lists", async || (count().await > before).then_some(())).await;
}
