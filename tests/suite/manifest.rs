//! Manifests of complete lists (M1 to M6, SEP-2636): what clients are sent, and what our own client and the gateway make of
//! those of others.

use kit::{
    Bench, Client, Options, Scenario, Setup, eventually,
    scenario::{Stage, raw},
};
use mcp_disclosure_client::{Host, Preferences};
use mcp_disclosure_core::{Digest, RawObject};
use mcp_disclosure_drafts::manifest::ManifestEntry;
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::{Value, json, value::RawValue};

use crate::{client::link, concerns, connect, connect_plain, connected, odd, playing};

/// The items of a list as exact text.
pub(crate) async fn items(client: &Client, method: &str, params: Value, member: &str) -> Vec<RawObject> {
    let result = RawObject::parse(client.request(method, params).await.result_text()).unwrap();
    serde_json::from_str(result.member(member).unwrap()).unwrap()
}

fn tool(name: &str, text: &str) -> Box<RawValue> {
    raw(json!({"name": name, "description": text, "inputSchema": {"type": "object"}}))
}

fn names(items: &[RawObject]) -> Vec<String> {
    items.iter().map(|item| item.string("name").unwrap()).collect()
}

/// What must hold of the three methods together; the entries.
async fn agrees(client: &Client) -> Vec<RawObject> {
    let listed = items(client, "tools/list", json!({}), "tools").await;
    let entries = items(client, "tools/manifest", json!({}), "entries").await;
    assert_eq!(names(&entries), names(&listed));
    for (entries, listed) in entries.chunks(50).zip(listed.chunks(50)) {
        let described = items(client, "tools/describe", json!({"names": names(entries)}), "tools").await;
        assert_eq!(described, listed);
        for (entry, tool) in entries.iter().zip(&described) {
            let (digest, size) = Digest::with_size(tool.text());
            assert_eq!(entry.string("digest"), Some(digest.to_string()));
            assert_eq!(entry.member("size"), Some(&*size.to_string()));
            for (key, value) in entry.iter().filter(|(key, _)| !["digest", "size"].contains(key)) {
                assert!(["name", "title", "annotations"].contains(&key), "{entry:?}");
                let parse = |text| serde_json::from_str::<Value>(text).unwrap();
                assert_eq!(parse(value), parse(tool.member(key).unwrap()));
            }
        }
    }
    entries
}

async fn m1_m2_entries_are_those_of_the_list_and_have_what_is_allowed(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let entries = agrees(&client).await;
    assert_eq!(entries.len(), Scenario::odd().tools.len());
    assert!(entries.iter().any(|entry| entry.member("annotations").is_some()), "{entries:?}");
}

async fn m1_what_is_added_to_a_list_is_in_its_manifest(setup: Setup) {
    // A client that knows nothing of disclosure is offered the choice of concerns as a tool.
    let (_bench, client) = connect_plain(concerns::options(json!({})).pinned("concerns"), setup).await;
    let names = names(&agrees(&client).await);
    assert_eq!(names.contains(&"choose_concerns".to_owned()), setup.has_sessions(), "{names:?}");
}

/// What operators say to hosts is not part of a definition: digests are those of the upstream's own.
async fn s12_m1_host_hints_are_in_no_manifest(setup: Setup) {
    let config = "[pins]\ntools = [\"kit/a\"]\n[tools.\"kit/b\"]\nbrief = \"Does b\"\n".to_owned();
    let scenario = Scenario::named(["a", "b", "c"]);
    let own: Vec<RawObject> =
        scenario.tools.iter().map(|tool| RawObject::parse(tool.get()).unwrap()).collect();
    let (bench, client) = connect(Options { config, ..playing(scenario) }, setup).await;
    let entries = items(&client, "tools/manifest", json!({}), "entries").await;
    for (entry, tool) in entries.iter().zip(&own) {
        assert_eq!(entry.string("digest"), Some(Digest::of(tool.text()).to_string()));
    }
    let described = items(&client, "tools/describe", json!({"names": ["a", "b", "c"]}), "tools").await;
    assert_eq!(described, own);
    // Lists have them for hosts (`pins::s12_full_says_*`); who says that it compares gets what it can compare.
    assert_ne!(items(&client, "tools/list", json!({}), "tools").await, own);
    let compares = json!({"io.github.mcp-disclosure/manifest": {"compares": true}});
    for filter in [json!({}), json!({"namePatterns": ["*"]})] {
        let params = json!({"_meta": compares, "filter": filter});
        assert_eq!(items(&client, "tools/list", params, "tools").await, own);
    }
    for known in [Vec::new(), own.clone()] {
        let preferences = Preferences { eras: vec![setup.era], ..Preferences::of(["full"]) };
        let host = Host::connect(link(&bench, setup), preferences.knowing(known)).await.unwrap();
        assert_eq!(host.list().await.unwrap(), own);
    }
}

async fn m1_where_something_is_withheld_there_is_no_manifest(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    assert_eq!(client.request("tools/manifest", json!({})).await.code(), -32601);
    let described = client.request("tools/describe", json!({"name": "echo"})).await;
    match setup.strategy {
        "describe" => assert_eq!(described.result()["name"], "echo"),
        _ => assert_eq!(described.code(), -32601),
    }
}

async fn m1_a_complete_list_that_was_selected_has_a_manifest(setup: Setup) {
    for (budget, offered) in [(1_000_000, true), (0, false)] {
        let strategies = StrategyOptions { budget, ..StrategyOptions::default() };
        let (_bench, client) = connect_plain(Options { strategies, ..odd() }, setup).await;
        assert_eq!(client.capabilities().await["tools"]["manifest"] == true, offered);
        if offered {
            agrees(&client).await;
        } else {
            assert_eq!(client.request("tools/manifest", json!({})).await.code(), -32601);
        }
    }
}

async fn m2_hints_are_those_of_the_list(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let (list, manifest) = (
        client.request("tools/list", json!({})).await.result(),
        client.request("tools/manifest", json!({})).await.result(),
    );
    for hint in ["ttlMs", "cacheScope", "resultType"] {
        assert_eq!(manifest.get(hint), list.get(hint));
        assert_eq!(manifest.get(hint).is_some(), !setup.has_sessions());
    }
    assert!(manifest.get("nextCursor").is_none());
    let refused = client.request("tools/manifest", json!({"cursor": "x"})).await.error();
    assert_eq!(refused["code"], -32602);
    // The digest of the whole: what holds it is sent no entries.
    let own = "io.github.mcp-disclosure/manifest";
    let stated = json!({"_meta": {own: {"digest": manifest["_meta"][own]["digest"]}}});
    let unchanged = client.request("tools/manifest", stated).await.result();
    assert_eq!((&unchanged["entries"], &unchanged["_meta"][own]["unchanged"]), (&json!([]), &json!(true)));
    let other = json!({"_meta": {own: {"digest": Digest::of("{}").to_string()}}});
    assert_eq!(client.request("tools/manifest", other).await.result()["entries"], manifest["entries"]);
}

async fn m4_what_cannot_be_described_is_refused_as_a_whole(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let refused = async |names: Value| {
        let error = client.request("tools/describe", json!({"names": names})).await.error();
        assert_eq!(error["code"], -32602);
        error.get("data").cloned()
    };
    assert_eq!(refused(json!([])).await, Some(json!({"reason": "empty"})));
    assert_eq!(refused(json!(["x", "echo", "y", "x"])).await, Some(json!({"unknownNames": ["x", "y"]})));
    assert_eq!(refused(json!(vec!["echo"; 51])).await, Some(json!({"maxNames": 50})));
    assert_eq!(refused(json!(vec!["x"; 51])).await, Some(json!({"maxNames": 50})));
    for odd in [json!(null), json!("echo"), json!([7]), json!({"echo": 1})] {
        assert_eq!(refused(odd).await, None);
    }
    assert_eq!(client.request("tools/describe", json!({})).await.code(), -32602);
    let fifty = client.request("tools/describe", json!({"names": vec!["echo"; 50]})).await.result();
    assert_eq!(fifty["tools"].as_array().unwrap().len(), 50);
}

async fn m1_a_change_of_a_digest_is_announced(setup: Setup) {
    let mut scenario = Scenario::with_tools([tool("a", "Old.").get().to_owned()]);
    scenario.stages = vec![Stage { tools: vec![tool("a", "New.")], prompts: Vec::new() }];
    let (_bench, client) = connect(playing(scenario), setup).await;
    client.open_stream_of_session().await;
    let digest = async || {
        let entries = items(&client, "tools/manifest", json!({}), "entries").await;
        entries[0].string("digest").unwrap()
    };
    let before = digest().await;
    client.read("kit://control/stage/0").await;
    if setup.has_sessions() {
        client.notification("notifications/tools/list_changed").await;
    }
    eventually("another digest", async || if digest().await == before { None } else { Some(()) }).await;
    agrees(&client).await;
}

under_full!(
    m1_m2_entries_are_those_of_the_list_and_have_what_is_allowed,
    m1_what_is_added_to_a_list_is_in_its_manifest,
    s12_m1_host_hints_are_in_no_manifest,
    m1_a_complete_list_that_was_selected_has_a_manifest,
    m1_a_change_of_a_digest_is_announced,
    m2_hints_are_those_of_the_list,
    m4_what_cannot_be_described_is_refused_as_a_whole,
);
where_schemas_are_withheld!(m1_where_something_is_withheld_there_is_no_manifest);

/// The methods by which the upstream was asked for tools.
async fn asked(client: &Client) -> Vec<String> {
    let journal = client.journal().await.into_iter();
    let methods = journal.map(|message| message["method"].as_str().unwrap_or_default().to_owned());
    methods.filter(|method| ["tools/list", "tools/manifest", "tools/describe"].contains(&&**method)).collect()
}

/// An upstream that offers a manifest, and lists something else in the end.
async fn staged(scenario: Scenario) -> (Bench, Client) {
    let (bench, client) = connect(playing(scenario), Setup::named("full_stdio_session")).await;
    let before = asked(&client).await;
    assert!(!before.is_empty() && before.iter().all(|method| method == "tools/list"), "cold: {before:?}");
    client.read("kit://control/stage/0").await;
    (bench, client)
}

fn old_and_new() -> [Vec<Box<RawValue>>; 2] {
    let old = ["a", "b", "c", "d", "e"].map(|name| tool(name, "Old.")).to_vec();
    let mut new = old.clone();
    new[1] = tool("b", "New.");
    [old, new]
}

/// An upstream that lists these tools after its own.
fn stages(manifest: bool, next: Vec<Box<RawValue>>) -> Scenario {
    let stages = vec![Stage { tools: next, prompts: Vec::new() }];
    let [tools, _] = old_and_new();
    let scenario = Scenario { tools, stages, ..Scenario::odd() };
    if manifest { scenario.with_tool_capability("manifest") } else { scenario }
}

/// An upstream that lists `next` in the end, and always has this manifest.
fn claiming(next: Vec<Box<RawValue>>, manifest: &[Box<RawValue>]) -> Scenario {
    let entries: Vec<Value> = manifest
        .iter()
        .map(|tool| ManifestEntry::of(&RawObject::parse(tool.get()).unwrap()))
        .map(|entry| serde_json::from_str(entry.text().text()).unwrap())
        .collect();
    answering("tools/manifest", stages(true, next), json!({"result": {"entries": entries}}))
}

fn answering(method: &str, mut scenario: Scenario, answer: Value) -> Scenario {
    scenario.answers.insert(format!("{method} "), raw(answer));
    scenario
}

async fn lists(client: &Client, expected: &[Box<RawValue>]) {
    let expected: Vec<RawObject> =
        expected.iter().map(|tool| RawObject::parse(tool.get()).unwrap()).collect();
    eventually("the new list", async || {
        (items(client, "tools/list", json!({}), "tools").await == expected).then_some(())
    })
    .await;
}

/// Which tools there are is what the list says: a manifest that leaves some out loses none.
#[tokio::test]
async fn m1_of_an_upstream_with_a_manifest_what_changed_is_fetched_and_where_it_is_wrong_the_list() {
    let [_, new] = old_and_new();
    let less = [&new[..3], &new[4..]].concat();
    let refusal = json!({"error": {"code": -32602, "message": "no", "data": {"unknownNames": ["b"]}}});
    let offered = || stages(true, new.clone());
    for (scenario, has_manifest, lists_read, last) in [
        (offered(), true, 1, "tools/describe"),
        (claiming(new.clone(), &less), true, 2, "tools/list"),
        (answering("tools/manifest", offered(), json!({"result": {"entries": 7}})), true, 2, "tools/list"),
        (answering("tools/describe", offered(), refusal), true, 2, "tools/list"),
        (stages(false, new.clone()), false, 2, "tools/list"),
    ] {
        let (_bench, client) = staged(scenario).await;
        lists(&client, &new).await;
        let asked = asked(&client).await;
        let count = |wanted: &str| asked.iter().filter(|method| *method == wanted).count();
        assert_eq!(
            (count("tools/manifest") > 0, &**asked.last().unwrap()),
            (has_manifest, last),
            "{asked:?}"
        );
        // A list of five tools has two pages.
        assert_eq!(count("tools/list"), 2 * lists_read, "{asked:?}");
    }
}
