//! Deterministic groups (M7).

use super::*;

/// The fixture of the working group's suite.
fn fixture(callable: bool, groups: &[&str], description: &str) -> UpstreamLists {
    let of = |name: &str, groups: &[&str], callable: bool, schema: Value| {
        json!({"name": name, "description": format!("Read {name}"), "inputSchema": schema, "annotations": {"readOnlyHint": true},
            "_meta": {"experimental/deterministic-groups": {"groups": groups, "callable": callable}}})
    };
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let mut first = schema.clone();
    if !description.is_empty() {
        first["description"] = json!(description);
    }
    let tools = [
        of("list_tables", groups, callable, first),
        of("cluster_health", &["operations"], true, schema.clone()),
        of("server_version", &["query", "operations"], true, schema),
    ];
    upstream("database", &tools)
}

fn deterministic(text: &str) -> GroupsStrategy {
    let directory = [("query", text), ("operations", "Inspect cluster health")];
    let directory = directory.map(|(id, text)| (id.to_owned(), text.to_owned())).into();
    GroupsStrategy::new(GroupsConfig { deterministic: true, directory, ..GroupsConfig::default() })
}

fn ask_directory(view: &View, method: &str, params: &Value) -> Result<Value, Fault> {
    let strategy = deterministic("Inspect tables");
    Ok(request_of(&strategy, view, &bridged(), &format!("experimental/groups/{method}"), params)?.unwrap())
}

fn expand(view: &View, id: &str, revision: &Value) -> Result<Value, Fault> {
    ask_directory(view, "expand", &json!({"id": id, "revision": revision}))
}

fn revision(view: &View) -> Value {
    ask_directory(view, "list", &json!({})).unwrap()["revision"].clone()
}

fn rejected<T: std::fmt::Debug>(result: Result<T, Fault>) -> Value {
    match result {
        Err(Fault::Rejected { data, .. }) => data,
        other => panic!("{other:?}"),
    }
}

#[test]
fn m7_groups_are_entries_of_the_manifest_at_one_revision() {
    let view = view(&[fixture(true, &["query"], "")]);
    let list = ask_directory(&view, "list", &Value::Null).unwrap();
    assert_eq!(
        list["groups"],
        json!([{"id": "query", "description": "Inspect tables", "count": 2}, {"id": "operations", "description": "Inspect cluster health", "count": 2}])
    );
    let query = expand(&view, "query", &list["revision"]).unwrap();
    assert_eq!(
        (names(&query["entries"]), &query["revision"]),
        (vec!["list_tables", "server_version"], &list["revision"])
    );
    assert_eq!(
        query["entries"][0]["digest"],
        "sha256:02e0d498f95e751ba16ca721fe09d02bdc76567516d6992386527b90f307749e"
    );
    assert_eq!(query["entries"][0]["size"], 251);
    let operations = expand(&view, "operations", &list["revision"]).unwrap();
    assert_eq!(query["entries"][1], operations["entries"][1]);
    let is_complete = |strategy: GroupsStrategy| strategy.list(&view, &bridged()).is_complete;
    assert!(is_complete(deterministic("")) && !is_complete(strategy()));
    assert!(deterministic("").own(&view, &bridged()).tools.is_empty());
}

#[test]
fn m7_a_revision_ends_with_whatever_the_caller_sees() {
    let all = view(&[fixture(true, &["query"], "")]);
    let old = revision(&all);
    for (lists, left) in [
        (fixture(true, &["operations"], ""), vec!["server_version"]),
        (fixture(true, &["query"], "Updated"), vec!["list_tables", "server_version"]),
        (fixture(false, &["query"], ""), vec!["list_tables", "server_version"]),
    ] {
        let changed = view(&[lists]);
        assert_eq!(rejected(expand(&changed, "query", &old)), json!({"reason": "staleView"}));
        let fresh = expand(&changed, "query", &revision(&changed)).unwrap();
        assert_eq!(names(&fresh["entries"]), left);
    }
    let other = View::of(snapshot(&[fixture(true, &["query"], "")]), &permitted_only(&["list_tables"]));
    assert_ne!(revision(&other), old);
    assert_eq!(rejected(expand(&other, "query", &old)), json!({"reason": "staleView"}));
    let reworded = request_of(
        &deterministic("Other"),
        &view(&[fixture(true, &["query"], "")]),
        &bridged(),
        "experimental/groups/list",
        &json!({}),
    );
    assert_ne!(reworded.unwrap().unwrap()["revision"], old);
}

#[test]
fn m7_hidden_groups_are_unknown_groups() {
    let view = View::of(snapshot(&[fixture(true, &["query"], "")]), &permitted_only(&["list_tables"]));
    let list = ask_directory(&view, "list", &json!({})).unwrap();
    assert_eq!((list["groups"].as_array().unwrap().len(), &list["groups"][0]["count"]), (1, &json!(1)));
    let (hidden, missing) =
        (expand(&view, "operations", &list["revision"]), expand(&view, "missing", &list["revision"]));
    assert_eq!(hidden, missing);
    assert_eq!(rejected(hidden), json!({"reason": "unknownGroup"}));
}

#[test]
fn m7_what_is_revoked_is_unknown() {
    let view = View::of(
        snapshot(&[fixture(false, &["query"], "")]),
        &permitted_only(&["list_tables", "server_version"]),
    );
    let decide = |name: &str| {
        let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments: None };
        with_context(&view, &bridged(), |cx| now(deterministic("").before_call(cx, call)))
    };
    // The gateway refuses what is not callable.
    assert!(matches!(decide("list_tables"), Ok(Decision::Forward(_))));
    assert!(matches!(decide("server_version"), Ok(Decision::Forward(_))));
    assert_eq!(rejected(decide("cluster_health")), json!({"unknownNames": ["cluster_health"]}));
}

#[test]
fn m7_what_a_filter_leaves_out_is_known_all_the_same_and_its_own_tools_are_its_own() {
    let all = view(&[fixture(false, &["query"], "")]);
    let unlisted = all.narrow(|primitive| match primitive {
        Primitive::Tool(tool) => *tool.key().as_str() != *"list_tables",
        Primitive::Entry(..) => true,
    });
    let unlisted = unlisted.reserving(["choose_concerns".to_owned()]);
    let decide = |name: &str| {
        let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments: None };
        with_context(&unlisted, &bridged(), |cx| now(deterministic("").before_call(cx, call)))
    };
    assert!(unlisted.tools().all(|tool| **tool.name() != *"list_tables"));
    assert!(matches!(decide("list_tables"), Ok(Decision::Forward(_))));
    assert!(matches!(decide("choose_concerns"), Ok(Decision::Forward(_))));
    assert_eq!(rejected(decide("unheard_of")), json!({"unknownNames": ["unheard_of"]}));
}

#[test]
fn m7_each_directory_has_the_texts_of_its_own_settings() {
    let view = view(&[fixture(true, &["query"], "")]);
    let described = |texts: &str| {
        let method = "experimental/groups/list";
        let list = request_of(&deterministic(texts), &view, &bridged(), method, &json!({})).unwrap().unwrap();
        list["groups"][0]["description"].clone()
    };
    assert_eq!((described("Inspect tables"), described("Other")), (json!("Inspect tables"), json!("Other")));
}
