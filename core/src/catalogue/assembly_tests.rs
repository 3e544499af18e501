//! Building snapshots from upstreams' lists and description files.

use serde_json::json;

use super::*;
use crate::{
    Lock, OnChange, Review, Rule, Switches,
    catalogue::pattern::Pattern,
    fixtures::{file, named, raw, ruled, upstream, view_of},
};

fn names(snapshot: &Snapshot) -> Vec<String> {
    snapshot.tools().iter().map(|tool| tool.key().to_string()).collect()
}

#[test]
fn a_snapshot_shares_the_tools_that_are_as_they_were() {
    let tool = |name: &str, says: &str| json!({"name": name, "description": says, "inputSchema": {}});
    let before = [
        upstream("a", [tool("same", "1"), tool("grows", "1"), tool("filed", "1")]),
        upstream("b", [tool("same", "1"), tool("ruled", "1"), tool("late", "1")]),
    ];
    let now = [
        upstream("a", [tool("same", "1"), tool("grows", "2"), tool("late", "1"), tool("filed", "1")]),
        before[1].clone(),
    ];
    let rule = Rule { brief: Some("Brief.".to_owned()), ..Rule::new("b/ruled", String::new()) };
    let (none, rules) = (Arc::default(), Arc::new(Rules { tools: vec![rule], ..Rules::default() }));
    let made = |after: &Snapshot, upstreams: &[UpstreamLists], rules, says| {
        let files = &[file(&tool("filed", says))];
        Snapshot::assemble_after(after, Material { upstreams, complete: true, files, rules }, &[])
    };
    let old = made(&Snapshot::default(), &before, &none, "2");
    let new = made(&old, &now, &rules, "3");
    let shared = new.tools().iter().filter(|tool| old.tools().iter().any(|old| Arc::ptr_eq(old, tool)));
    assert_eq!(shared.map(|tool| tool.key().as_str()).collect::<Vec<_>>(), ["a__same", "b__same"]);
    let afresh = made(&Snapshot::default(), &now, &rules, "3");
    for (one, other) in new.tools().iter().zip(afresh.tools()) {
        assert_eq!((one.key(), one.entry(), one.brief()), (other.key(), other.entry(), other.brief()));
    }
    assert!(new.is_same(&afresh) && !new.is_same(&old));
}

#[test]
fn odd_items_are_reported_and_the_rest_served() {
    let tools = [
        json!({"name": "t", "x": 1}),
        json!({"name": "t"}),
        json!({"title": "?"}),
        json!(7),
        json!({"name": ""}),
        json!({"name": "n", "inputSchema": null, "x": 1}),
        json!({"name": "b", "inputSchema": true}),
    ];
    let lists = upstream("u", tools);
    let snapshot = Snapshot::build(&[lists], &[]);
    let texts: Vec<&str> = snapshot.tools().iter().map(|tool| tool.definition().text()).collect();
    assert_eq!(
        texts,
        [
            r#"{"name":"t","x":1,"inputSchema":{"type":"object"}}"#,
            r#"{"name":"n","inputSchema":{"type":"object"},"x":1}"#,
            r#"{"name":"b","inputSchema":{"type":"object"}}"#
        ]
    );
    let warnings: Vec<_> = snapshot.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 7, "{warnings:?}");
    assert!(warnings[0].contains("lists 't' twice among its tools"), "{warnings:?}");
    assert!(warnings[4].contains("tool 't' has no inputSchema"), "{warnings:?}");
}

#[test]
fn a_file_is_laid_over_what_the_upstream_sent() {
    let tool = json!({"name": "get", "description": "old", "inputSchema": {}, "_meta": {"k": 1}});
    let over =
        json!({"name": "get", "description": "new", "inputSchema": {"type": "object"}, "examples": []});
    let snapshot = Snapshot::build(&[upstream("u", [tool])], &[file(&over)]);
    let texts = snapshot.tools().iter().flat_map(|tool| [tool.definition().text(), tool.entry().text()]);
    assert_eq!(
        texts.collect::<Vec<_>>(),
        [
            r#"{"name":"get","description":"new","inputSchema":{"type":"object"},"_meta":{"k":1}}"#,
            r#"{"name":"get","description":"new","inputSchema":{"type":"object"},"examples":[]}"#
        ]
    );
}

#[test]
fn a_tool_with_a_reserved_name_is_qualified() {
    let snapshot = Snapshot::build(&[named("u", ["info", "u__info2"])], &[]);
    assert!(snapshot.unresolvable(&["info", "info2"]).is_empty());
    let view = view_of(snapshot).reserving(["info".to_owned()]);
    assert!(view.tool("info").is_none());
    assert_eq!(view.tool("u__info").unwrap().definition().string("name").unwrap(), "u__info");
    assert_eq!(view.tools().map(|tool| tool.name().to_string()).collect::<Vec<_>>(), ["u__info", "u__info2"]);

    let snapshot = Snapshot::build(&[named("u", ["info", "u__info"])], &[]);
    assert_eq!(snapshot.unresolvable(&["info"])[0].as_str(), "info");
}

#[test]
fn a_file_named_with_its_upstream_is_about_that_tool_whoever_else_is_there_p2() {
    let file =
        |name: &str| file(&json!({"name": name, "description": format!("of {name}"), "inputSchema": {}}));
    let described = |upstreams: &[UpstreamLists], files: &[DescriptionFile]| {
        let snapshot = Snapshot::build(upstreams, files);
        let tools = snapshot.tools().iter();
        tools
            .map(|tool| {
                format!("{}: {}", tool.key(), tool.definition().string("description").unwrap_or_default())
            })
            .collect::<Vec<_>>()
    };
    let (a, b) = (named("a", ["x"]), named("b", ["x"]));
    assert_eq!(described(&[a.clone(), b], &[file("a__x")]), ["a__x: of a__x", "b__x: "]);
    assert_eq!(described(std::slice::from_ref(&a), &[file("a__x")]), ["x: of a__x"]);
    assert_eq!(described(&[a], &[file("a__x"), file("x")]), ["x: of a__x"]);
    let both = named("a", ["x", "a__x"]);
    assert_eq!(described(&[both], &[file("a__x")]), ["x: ", "a__x: of a__x"]);
}

#[test]
fn a_file_by_a_bare_name_is_of_the_tool_that_is_not_hidden_u14() {
    let upstreams = ["a", "b"].map(|name| named(name, ["x"]));
    let files = &[file(&json!({"name": "x", "description": "of the file", "inputSchema": {}}))];
    for (hidden, described) in [(vec!["a/x"], vec!["of the file"]), (vec!["a/x", "b/x"], vec![])] {
        let hide = |text| Rule { hidden: Some(true), ..Rule::new(text, "f:1".to_owned()) };
        let rules = Arc::new(Rules { tools: hidden.into_iter().map(hide).collect(), ..Rules::default() });
        let material = Material { upstreams: &upstreams, complete: true, files, rules: &rules };
        let snapshot = Snapshot::assemble(material);
        let said = snapshot.tools().iter().filter_map(|tool| tool.definition().string("description"));
        assert_eq!(said.collect::<Vec<_>>(), described);
        assert_eq!(snapshot.warnings(), []);
    }
    let snapshot = Snapshot::build(&upstreams, files);
    let said = snapshot.warnings().iter().map(ToString::to_string);
    assert_eq!(said.collect::<Vec<_>>(), ["x.json: no upstream has a tool 'x'; did you mean 'a__x'?"]);
}

#[test]
fn u14_what_is_new_and_held_takes_no_name_from_others_and_what_changed_keeps_its_own() {
    let (b, accepted) = (named("b", ["x"]), named("a", ["x"]));
    let changed = upstream("a", [json!({"name": "x", "description": "Another.", "inputSchema": {}})]);
    let served = |a: &UpstreamLists, known: &UpstreamLists| {
        let mut lock = Lock::default();
        lock.add(&known.name, &known.definitions());
        let on_change = [(a.name.clone(), OnChange::Hold)].into();
        let rules = Rules { review: Arc::new(Review { lock, on_change }), ..Rules::default() };
        names(&ruled(&[a.clone(), b.clone()], rules))
    };
    let nothing = upstream("a", []);
    assert_eq!(served(&accepted, &nothing), ["x"]);
    assert_eq!(served(&accepted, &accepted), ["a__x", "b__x"]);
    assert_eq!(served(&changed, &accepted), ["b__x"]);
}

#[test]
fn u3_names_stay_while_the_upstream_that_they_clash_with_is_gone() {
    let doc = || vec![raw(&json!({"uri": "kit://doc", "name": "doc"}))];
    let lists = |name: &str, tools: &[&str]| UpstreamLists {
        resources: doc(),
        prompts: doc(),
        ..named(name, tools.iter())
    };
    let (a, b) = (lists("a", &["echo", "own"]), lists("b", &["echo", "secret"]));
    let hidden = [Rule { hidden: Some(true), ..Rule::new("a/own", String::new()) }];
    let rules = Arc::new(Rules { tools: hidden.into(), ..Rules::default() });
    let made = |upstreams: &[UpstreamLists], gone: &[UpstreamLists]| {
        let material = Material { upstreams, complete: gone.is_empty(), files: &[], rules: &rules };
        Snapshot::assemble_after(&Snapshot::default(), material, gone)
    };
    let served = |snapshot: &Snapshot| {
        let kinds = [Kind::Resources, Kind::Prompts].into_iter();
        let entries = kinds.flat_map(|kind| snapshot.entries(kind)).map(|entry| entry.key().to_owned());
        names(snapshot).into_iter().chain(entries).collect::<Vec<_>>()
    };
    let both = served(&made(&[a.clone(), b.clone()], &[]));
    let of_a: Vec<_> = both.iter().filter(|name| name.contains("a__")).cloned().collect();
    assert_eq!((both.len(), of_a.len()), (7, 3), "{both:?}");
    let left = made(&[a], &[b]);
    assert_eq!(served(&left), of_a, "and nothing that is hidden, or of the other");
    assert_eq!(view_of(left).providers().count(), 1);
}

#[test]
fn what_is_switched_off_exists_under_no_name_and_no_rule_brings_it_back_u11() {
    let switched = |upstreams: &[UpstreamLists], allow: Option<&[&str]>, hidden: &[&str]| {
        let patterns = |texts: &[&str]| texts.iter().map(|text| Pattern::new(text)).collect();
        let switches = Switches {
            upstream: UpstreamName::parse("a").unwrap(),
            place: "hosts.json: 'a'".to_owned(),
            allow: allow.map(patterns),
            hidden: patterns(hidden),
            of_any: vec![Pattern::new("of_the_host")],
        };
        let shown =
            ["a/x", "x", "a__x"].map(|name| Rule { hidden: Some(false), ..Rule::new(name, "f".to_owned()) });
        let rules = Rules { tools: shown.into(), switches: vec![switches], ..Rules::default() };
        let snapshot = ruled(upstreams, rules);
        let warnings = snapshot.warnings().iter().map(ToString::to_string);
        let warnings = warnings.filter(|warning| warning.starts_with("hosts.json")).collect::<Vec<_>>();
        (names(&snapshot), warnings)
    };
    let (a, b) = (|| named("a", ["x", "y"]), || named("b", ["x"]));
    assert_eq!(switched(&[a()], None, &["x"]).0, ["y"]);
    assert_eq!(switched(&[a(), b()], None, &["x"]).0, ["y", "b__x"], "another upstream's is another tool");
    assert_eq!(switched(&[a(), b()], Some(&["y"]), &[]).0, ["y", "b__x"]);
    assert_eq!(switched(&[a()], Some(&["*"]), &["?"]).0, [""; 0], "hidden is stronger");
    assert_eq!(switched(&[a()], Some(&[]), &[]).0, [""; 0]);
    let (names, warnings) = switched(&[a()], Some(&["y", "xx"]), &["z*", "of_the_host"]);
    assert_eq!(names, ["y"]);
    assert_eq!(
        warnings,
        [
            "hosts.json: 'a': no upstream has a tool 'xx'; did you mean 'x'?",
            "hosts.json: 'a': 'z*' matches none of the tools"
        ]
    );
    assert_eq!(switched(&[b()], None, &["x"]), (vec!["x".to_owned()], vec![]), "it may come yet");
}
