//! `groups` called directly, without a server.

use std::{collections::HashSet, sync::Arc};

use mcp_disclosure_core::{
    Era, OwnGroup, Permits, Principal, Snapshot, ToolAnswer, Unlimited, UpstreamLists,
    fixtures::{self, asked, keeping, raw, view},
};
use serde_json::Value;

use super::*;

mod bridge;
#[cfg(feature = "drafts")]
mod directory;
mod lists;
mod texts;

const NAMES: [&str; 5] = ["issue", "label", "branch", "release", "comment"];
const VERBS: [&str; 4] = ["list", "open", "close", "edit"];

fn tool(name: &str) -> Value {
    let path = json!({"type": "string", "description": "Which one is meant, in a sentence that is long enough to cost something"});
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object", "properties": {"path": path}}})
}

fn upstream(name: &str, tools: &[Value]) -> UpstreamLists {
    let instructions = Some(format!("Use {name} with care."));
    UpstreamLists { instructions, ..fixtures::upstream(name, tools.iter().cloned()) }
}

/// An upstream whose twenty tools are of five categories.
fn forge() -> UpstreamLists {
    let tools = NAMES.iter().flat_map(|noun| VERBS.iter().map(move |verb| tool(&format!("{verb}_{noun}"))));
    upstream("forge", &tools.collect::<Vec<_>>())
}

fn files() -> UpstreamLists {
    upstream("files", &["read_file", "write_file", "move_file", "stat_file"].map(tool))
}

fn tiny() -> UpstreamLists {
    let tool = json!({"name": "now", "inputSchema": {"type": "object"}});
    UpstreamLists { instructions: None, ..upstream("clock", &[tool]) }
}

/// An upstream's own group of these tools and groups.
fn group(name: &str, is_top: bool, tools: &[&str], groups: &[&str]) -> OwnGroup {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let (name, description) = (name.to_owned(), format!("About {name}"));
    OwnGroup { name, description, is_top, tools: owned(tools), groups: owned(groups), ..OwnGroup::default() }
}

/// An upstream with groups of its own: `a`, and in it `b`, which leads back to `a`; `c`, which is in no other and shares a tool;
/// has what is not served; and one that nothing leads to.
fn grouped() -> UpstreamLists {
    let groups = vec![
        group("a", true, &["one", "two"], &["b"]),
        group("c", true, &["two", "three", "gone"], &["unknown"]),
        group("b", false, &["four"], &["a", "b"]),
        group("lost", false, &["five"], &[]),
    ];
    UpstreamLists { groups, ..upstream("own", &["one", "two", "three", "four", "five", "six"].map(tool)) }
}

fn snapshot(upstreams: &[UpstreamLists]) -> Arc<Snapshot> {
    Arc::new(Snapshot::build(upstreams, &[]))
}

fn permitted_only(names: &[&str]) -> Principal {
    Principal::new("p", Permits::of_tools(names.iter().map(|name| format!("*/{name}"))))
}

fn native(era: Era) -> ClientTraits {
    ClientTraits { declared: true, ..ClientTraits::plain(era) }
}

fn bridged() -> ClientTraits {
    ClientTraits { bridge: true, ..ClientTraits::plain(Era::Session) }
}

fn strategy() -> GroupsStrategy {
    GroupsStrategy::new(GroupsConfig::default())
}

fn request_of(
    strategy: &GroupsStrategy,
    view: &View,
    client: &ClientTraits,
    method: &str,
    params: &Value,
) -> Result<Option<Value>, Fault> {
    let params = RawObject::parse(params.to_string()).unwrap_or_default();
    let (answer, _) = asked(view, client, &Unlimited, async |cx| strategy.request(cx, method, &params).await);
    Ok(answer?.map(|answer| serde_json::from_str(answer.text()).unwrap()))
}

fn request(view: &View, method: &str, params: &Value) -> Result<Value, Fault> {
    Ok(request_of(&strategy(), view, &native(Era::Session), method, params)?.unwrap())
}

fn get(view: &View, name: &str) -> Value {
    request(view, "groups/get", &json!({"name": name})).unwrap()
}

fn names(of: &Value) -> Vec<&str> {
    of.as_array().map(|all| all.iter().map(|one| one["name"].as_str().unwrap()).collect()).unwrap_or_default()
}

fn listed(view: &View, client: &ClientTraits) -> Vec<String> {
    let listing = strategy().list(view, client);
    listing.tools.iter().map(|tool| tool.string("name").unwrap()).collect()
}

/// Every group that can be reached from the top, with its contents.
fn reachable(view: &View) -> Vec<(String, Value)> {
    let top = request(view, "groups/list", &json!({})).unwrap();
    let mut next: Vec<String> = names(&top["groups"]).into_iter().map(str::to_owned).collect();
    let mut found: Vec<(String, Value)> = Vec::new();
    while let Some(name) = next.pop() {
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let contents = get(view, &name);
        next.extend(names(&contents["contents"]["groups"]).into_iter().map(str::to_owned));
        found.push((name, contents));
    }
    found
}

fn cases() -> Vec<View> {
    let all = [forge(), files(), tiny(), grouped()];
    let mut cases: Vec<View> = all.iter().map(|one| view(std::slice::from_ref(one))).collect();
    cases.push(view(&all));
    cases.push(view(&[]));
    let some = permitted_only(&["list_issue", "one", "read_file"]);
    cases.push(View::of(snapshot(&all), &some));
    cases
}
