//! Deterministic groups (M7).

use super::*;

/// The fixture of the working group's suite.
fn fixture(callable: bool) -> UpstreamLists {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let of = |name: &str, groups: &[&str], callable: bool| {
        json!({"name": name, "description": format!("Read {name}"), "inputSchema": schema, "annotations": {"readOnlyHint": true},
            "_meta": {"experimental/deterministic-groups": {"groups": groups, "callable": callable}}})
    };
    let tools = [
        of("list_tables", &["query"], callable),
        of("cluster_health", &["operations"], true),
        of("server_version", &["query", "operations"], true),
    ];
    upstream("database", &tools)
}

fn deterministic(text: &str) -> GroupsStrategy {
    let directory = [("query", text), ("operations", "Inspect cluster health")];
    let directory = directory.map(|(id, text)| (id.to_owned(), text.to_owned())).into();
    GroupsStrategy::new(GroupsConfig { deterministic: true, directory, ..GroupsConfig::default() })
}

fn rejected<T: std::fmt::Debug>(result: Result<T, Fault>) -> Value {
    match result {
        Err(Fault::Rejected { data, .. }) => data,
        other => panic!("{other:?}"),
    }
}

#[test]
fn m7_what_a_filter_leaves_out_is_known_all_the_same_and_its_own_tools_are_its_own() {
    let all = view(&[fixture(false)]);
    let unlisted = keeping(all, |name| name != "list_tables").reserving(["choose_concerns".to_owned()]);
    let decide = |name: &str| {
        let (call, strategy) = (fixtures::call(name, &json!({})), deterministic(""));
        asked(&unlisted, &bridged(), &Unlimited, async |cx| strategy.before_call(cx, call).await).0
    };
    assert!(unlisted.tools().all(|tool| **tool.name() != *"list_tables"));
    assert!(matches!(decide("list_tables"), Ok(Decision::Forward(_))));
    assert!(matches!(decide("choose_concerns"), Ok(Decision::Forward(_))));
    assert_eq!(rejected(decide("unheard_of")), json!({"unknownNames": ["unheard_of"]}));
}
