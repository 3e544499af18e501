//! The checks of the working group's portable suite for deterministic groups (M7), restated from what each demands, over the
//! wire. Those that are about manifests alone, `manifest` has, and those about what cannot be called, `callable`. The suite
//! itself runs from outside (docs/drafts.md).

use kit::{
    Bench, Client, Identity, Scenario, Setup,
    client::names_in,
    eventually,
    scenario::{Stage, raw},
};
use mcp_disclosure_core::{Digest, RawObject};
use serde_json::{Value, json};

use crate::{connect_plain, playing};

const KEY: &str = "experimental/deterministic-groups";
const NAMES: [&str; 3] = ["list_tables", "cluster_health", "server_version"];

/// The suite's fixture.
fn fixture() -> [Value; 3] {
    let groups = [json!(["query"]), json!(["operations"]), json!(["query", "operations"])];
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let mut groups = groups.into_iter();
    NAMES.map(|name| {
        let meta = json!({KEY: {"groups": groups.next(), "callable": true}});
        json!({
            "name": name, "description": format!("Read {name}"), "inputSchema": schema,
            "annotations": {"readOnlyHint": true}, "_meta": meta,
        })
    })
}

/// A client of the fixture, before a server that has another one when it is asked for.
struct Portable {
    bench: Bench,
    client: Client,
}

impl Portable {
    async fn start(setup: Setup, replaced: impl FnOnce(&mut [Value; 3])) -> Self {
        Self::with(setup, replaced, true).await
    }

    async fn with(setup: Setup, replaced: impl FnOnce(&mut [Value; 3]), manifest: bool) -> Self {
        let items = |tools: &[Value]| tools.iter().cloned().map(raw).collect::<Vec<_>>();
        let mut next = fixture();
        replaced(&mut next);
        let stages = vec![Stage { tools: items(&next), prompts: Vec::new() }];
        let scenario = Scenario { tools: items(&fixture()), stages, ..Scenario::odd() };
        let directory = json!({"query": "Inspect tables", "operations": "Inspect cluster health"});
        let mut options = playing(scenario).pinned("groups").with_config("# All are allowed.\n");
        options.strategies.manifest = manifest;
        let options = options.set("groups", json!({"deterministic": true, "directory": directory}));
        let (bench, client) = connect_plain(options, setup).await;
        Self { bench, client }
    }

    async fn result(&self, method: &str, params: Value) -> Value {
        self.client.request(method, params).await.result()
    }

    /// The `data` of an error, whose code is checked.
    async fn refused(&self, method: &str, params: Value) -> Value {
        let error = self.client.request(method, params).await.error();
        assert_eq!(error["code"], -32602, "{error}");
        error["data"].clone()
    }

    async fn names(&self, method: &str, member: &str) -> Vec<String> {
        names(&self.result(method, json!({})).await[member])
    }

    async fn groups(&self) -> Value {
        self.result("experimental/groups/list", json!({})).await
    }

    async fn revision(&self) -> Value {
        self.groups().await["revision"].clone()
    }

    async fn expand(&self, id: &str, revision: &Value) -> Value {
        let result = self.result("experimental/groups/expand", json!({"id": id, "revision": revision})).await;
        assert_eq!(&result["revision"], revision);
        result["entries"].clone()
    }

    /// What is left of a group where an old revision is refused.
    async fn stale(&self, old: &Value) -> Vec<String> {
        let params = json!({"id": "query", "revision": old});
        assert_eq!(self.refused("experimental/groups/expand", params).await, json!({"reason": "staleView"}));
        let mut left = names(&self.expand("query", &self.revision().await).await);
        left.sort();
        left
    }

    /// Replaces the fixture, and waits until that is seen.
    async fn replace(&self) {
        let old = self.revision().await;
        self.client.read("kit://control/stage/0").await;
        eventually("another revision", async || (self.revision().await != old).then_some(())).await;
    }

    /// Leaves only these names to the caller.
    async fn allow(&self, allowed: &[&str]) {
        let hidden = NAMES.iter().filter(|name| !allowed.contains(*name));
        let rules: String = hidden.map(|name| format!("[tools.\"kit/{name}\"]\nhidden = true\n")).collect();
        self.bench.configure(&rules).await;
        eventually("another list", async || {
            (self.names("tools/list", "tools").await.len() == allowed.len()).then_some(())
        })
        .await;
    }
}

fn names(items: &Value) -> Vec<String> {
    names_in(items.as_array().unwrap())
}

fn ids(groups: &Value) -> Vec<String> {
    let groups = groups["groups"].as_array().unwrap().iter();
    let mut ids: Vec<String> = groups.map(|group| group["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

fn is_entry_of(entry: &Value, tool: &Value) {
    let (digest, size) = Digest::with_size(RawObject::parse(tool.to_string()).unwrap().text());
    assert_eq!((&entry["digest"], &entry["size"]), (&json!(digest.to_string()), &json!(size)));
    assert!(entry.get("description").is_none() && entry.get("inputSchema").is_none(), "{entry}");
}

async fn m7_selective_expansion(setup: Setup) {
    let portable = Portable::start(setup, |_| {}).await;
    let groups = portable.groups().await;
    assert_eq!(ids(&groups), ["operations", "query"]);
    let described = json!({"id": "query", "description": "Inspect tables", "count": 2});
    assert!(groups["groups"].as_array().unwrap().contains(&described), "{groups}");
    let query = portable.expand("query", &groups["revision"]).await;
    assert_eq!(names(&query), ["list_tables", "server_version"]);
    let [tables, _, version] = fixture();
    is_entry_of(&query[0], &tables);
    is_entry_of(&query[1], &version);
    let operations = portable.expand("operations", &groups["revision"]).await;
    assert!(operations.as_array().unwrap().contains(&query[1]), "it is the same in both: {operations}");
    let order = json!({"names": ["server_version", "list_tables"]});
    assert_eq!(
        names(&portable.result("tools/describe", order).await["tools"]),
        ["server_version", "list_tables"]
    );
}

async fn m7_hidden_groups(setup: Setup) {
    let portable = Portable::start(setup, |_| {}).await;
    portable.allow(&["list_tables"]).await;
    let groups = portable.groups().await;
    assert_eq!((ids(&groups), &groups["groups"][0]["count"]), (vec!["query".to_owned()], &json!(1)));
    for (method, member) in [("tools/list", "tools"), ("tools/manifest", "entries")] {
        assert_eq!(portable.names(method, member).await, ["list_tables"]);
    }
    for name in ["cluster_health", "missing"] {
        let data = portable.refused("tools/describe", json!({"names": [name]})).await;
        assert_eq!(data, json!({"unknownNames": [name]}));
    }
    let expand = async |id: &str| {
        let params = json!({"id": id, "revision": groups["revision"]});
        portable.client.request("experimental/groups/expand", params).await.error()
    };
    let missing = expand("missing").await;
    assert_eq!((&missing["code"], &missing["data"]), (&json!(-32602), &json!({"reason": "unknownGroup"})));
    assert_eq!(expand("operations").await, missing);
}

/// A view is old once a tool is in another group, a schema is another, or the caller may use less.
async fn m7_an_old_view_is_refused(setup: Setup) {
    let left = async |replaced: fn(&mut [Value; 3])| {
        let portable = Portable::start(setup, replaced).await;
        let old = portable.revision().await;
        portable.replace().await;
        portable.stale(&old).await
    };
    let in_another = left(|tools| tools[0]["_meta"][KEY]["groups"] = json!(["operations"])).await;
    assert_eq!(in_another, ["server_version"]);
    let with_another_schema = left(|tools| tools[0]["inputSchema"]["description"] = json!("Updated")).await;
    assert_eq!(with_another_schema, ["list_tables", "server_version"]);
    let portable = Portable::start(setup, |_| {}).await;
    let old = portable.revision().await;
    portable.allow(&["server_version"]).await;
    assert_eq!(portable.stale(&old).await, ["server_version"]);
}

async fn m7_revoked_call(setup: Setup) {
    let portable = Portable::start(setup, |_| {}).await;
    portable.result("tools/describe", json!({"names": ["list_tables"]})).await;
    portable.allow(&["server_version"]).await;
    let call = json!({"name": "list_tables", "arguments": {}});
    assert_eq!(portable.refused("tools/call", call).await, json!({"unknownNames": ["list_tables"]}));
    let called = portable.client.call("server_version", json!({})).await.result();
    assert!(called.get("isError").is_none(), "{called}");
}

async fn m7_legacy_list(setup: Setup) {
    let portable = Portable::with(setup, |_| {}, false).await;
    let capabilities = portable.client.capabilities().await;
    let said = capabilities.to_string();
    assert!(capabilities["tools"].is_object(), "{said}");
    assert!(!said.contains("manifest\":") && !said.contains("deterministic"), "{said}");
    for method in
        ["tools/manifest", "tools/describe", "experimental/groups/list", "experimental/groups/expand"]
    {
        assert_eq!(portable.client.request(method, json!({})).await.code(), -32601, "{method}");
    }
    assert_eq!(portable.client.tool_names().await, NAMES);
    let called = portable.client.call("list_tables", json!({})).await.result();
    assert!(called.get("isError").is_none(), "{called}");
}

/// A client that declares groups gets those, and no manifest of an incomplete list.
async fn m7_clients_that_declare_groups_get_those(setup: Setup) {
    let portable = Portable::start(setup, |_| {}).await;
    let capabilities = portable.client.capabilities().await;
    assert_eq!(capabilities["tools"]["manifest"], true);
    assert_eq!(capabilities["experimental"][KEY]["version"], 1);
    let grouping = Client::connect_as(&portable.bench, setup, Identity::grouping()).await;
    for method in ["tools/manifest", "experimental/groups/list"] {
        assert_eq!(grouping.request(method, json!({})).await.code(), -32601, "{method}");
    }
    assert_eq!(names_in(&grouping.list("groups").await), ["kit"]);
}

under_groups!(
    m7_selective_expansion,
    m7_hidden_groups,
    m7_an_old_view_is_refused,
    m7_revoked_call,
    m7_legacy_list,
    m7_clients_that_declare_groups_get_those,
);
