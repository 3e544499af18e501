//! The names by which tools and prompts are served (U14), and that rules go on binding to upstreams' own names.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::json;

use crate::{
    DescriptionFile, Kind, Material, Naming, Pattern, Rule, Rules, Snapshot, Switches, Tool, UpstreamLists,
    UpstreamName,
    fixtures::{file, named},
};

/// An upstream with these tools and prompts.
fn upstream(name: &str, tools: &[&str]) -> UpstreamLists {
    let lists = named(name, tools);
    UpstreamLists { prompts: lists.tools.clone(), ..lists }
}

fn naming(upstream: &str, prefix: &str, rename: &[(&str, &str)]) -> Naming {
    let rename: BTreeMap<String, String> =
        rename.iter().map(|(own, name)| ((*own).to_owned(), (*name).to_owned())).collect();
    let place = format!("f:1:1: upstreams.{upstream:?}");
    Naming::new(UpstreamName::parse(upstream).unwrap(), place, prefix, &rename).unwrap()
}

fn assemble(upstreams: &[UpstreamLists], rules: Rules, files: &[DescriptionFile]) -> Snapshot {
    Snapshot::assemble(Material { upstreams, complete: true, files, rules: &rules.into() })
}

fn tools(snapshot: &Snapshot) -> Vec<String> {
    let tools = snapshot.tools().iter();
    let named = tools.inspect(|tool| assert_eq!(tool.definition().string("name").unwrap(), **tool.key()));
    named.map(|tool| format!("{} {}", tool.key(), tool.upstream_name())).collect()
}

fn warnings(snapshot: &Snapshot) -> Vec<String> {
    snapshot.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn u14_tools_and_prompts_are_served_with_their_prefix_and_under_new_names() {
    let rules = || Rules { naming: vec![naming("a", "a_", &[("y", "why")])], ..Rules::default() };
    let both = [upstream("a", &["x", "y"]), upstream("b", &["x", "y"])];
    let snapshot = assemble(&both, rules(), &[]);
    assert_eq!(tools(&snapshot), ["a_x x", "why y", "x x", "y y"]);
    let prompts = snapshot.entries(Kind::Prompts).iter();
    let prompts: Vec<_> = prompts.map(|prompt| (prompt.key(), prompt.upstream_key())).collect();
    assert_eq!(prompts, [("a_x", "x"), ("a_y", "y"), ("x", "x"), ("y", "y")]);
    // An upstream that chose this name itself is not the one that is meant.
    let stranger = UpstreamLists { self_named: true, ..upstream("a", &["x"]) };
    assert_eq!(tools(&assemble(&[stranger], rules(), &[])), ["x x"]);
}

#[test]
fn u14_names_that_clash_are_qualified_until_none_does() {
    let served = |upstreams: &[UpstreamLists], naming: Vec<Naming>| {
        let snapshot = assemble(upstreams, Rules { naming, ..Rules::default() }, &[]);
        assert!(snapshot.unresolvable(&[]).is_empty());
        tools(&snapshot)
    };
    let a = || upstream("a", &["x", "y"]);
    let to_y = || naming("a", "", &[("x", "y")]);
    assert_eq!(served(&[a()], vec![to_y()]), ["a__x x", "a__y y"]);
    assert_eq!(served(&[a()], vec![naming("a", "", &[("x", "y"), ("y", "x")])]), ["y x", "x y"]);
    assert_eq!(
        served(&[a(), upstream("b", &["z"])], vec![naming("b", "", &[("z", "x")])]),
        ["a__x x", "y y", "b__z z"]
    );
    // The long form of one is the new name of another.
    let b = || upstream("b", &["y", "z"]);
    assert_eq!(
        served(&[a(), b()], vec![naming("b", "", &[("z", "a__y")])]),
        ["x x", "a__y y", "b__y y", "b__z z"]
    );
}

fn hiding(pattern: &str, hidden: bool) -> Rule {
    Rule { hidden: Some(hidden), ..Rule::new(pattern, "f".to_owned()) }
}

#[test]
fn u14_what_is_hidden_stays_so_by_each_of_its_names_p2() {
    let shown = |rules: &[Rule]| {
        let naming = vec![naming("a", "p_", &[("y", "why")])];
        let (tools_rules, prompts) = (rules.to_vec(), rules.to_vec());
        let rules = Rules { tools: tools_rules, prompts, naming, ..Rules::default() };
        let snapshot = assemble(&[upstream("a", &["x", "y"])], rules, &[]);
        let prompts = snapshot.entries(Kind::Prompts).iter().map(|prompt| prompt.key().to_owned());
        (tools(&snapshot).join(", "), prompts.collect::<Vec<_>>().join(", "))
    };
    for form in ["x", "a/x", "a__x", "p_x", "a/p_x", "a__p_x", "p_x*", "a/p_x*", "*_x"] {
        assert_eq!(shown(&[hiding(form, true)]), ("why y".to_owned(), "p_y".to_owned()), "{form}");
        // Whatever is said of the name that it is served by.
        for other in ["p_x", "p_*", "a/p_x", "a/p_*"] {
            let rules = [hiding(other, false), hiding(form, true)];
            assert_eq!(shown(&rules).1, "p_y", "{other} before {form}");
        }
    }
    for form in ["why", "a/why", "w*"] {
        assert_eq!(shown(&[hiding(form, true)]).0, "p_x x", "{form}");
    }
    // What is said of its own name counts.
    assert_eq!(shown(&[hiding("*", true), hiding("a/x", false)]).0, "p_x x");
}

#[test]
fn u14_switches_go_by_own_names_and_hide_by_new_ones_too() {
    let switched = |allow: Option<&[&str]>, hidden: &[&str]| {
        let patterns = |texts: &[&str]| texts.iter().map(|text| Pattern::new(text)).collect();
        let switches = Switches {
            upstream: UpstreamName::parse("a").unwrap(),
            place: "f".to_owned(),
            allow: allow.map(patterns),
            hidden: patterns(hidden),
            of_any: Vec::new(),
        };
        let naming = vec![naming("a", "p_", &[("y", "x")])];
        let rules = Rules { switches: vec![switches], naming, ..Rules::default() };
        let snapshot = assemble(&[upstream("a", &["x", "y"])], rules, &[]);
        (tools(&snapshot), warnings(&snapshot))
    };
    assert_eq!(switched(None, &["p_x"]).0, ["x y"]);
    assert_eq!(switched(None, &["x"]).0, [""; 0], "one by its own name, one by its new name");
    assert_eq!(switched(Some(&["x"]), &[]).0, ["p_x x"]);
    let (names, warnings) = switched(Some(&["p_x"]), &["p_*"]);
    assert_eq!(names, [""; 0]);
    assert_eq!(warnings, ["f: no upstream has a tool 'p_x'; did you mean 'x'?"]);
}

#[test]
fn u14_what_else_is_said_of_a_tool_is_said_of_its_own_name() {
    let brief = |pattern: &str| Rule { brief: Some("B".to_owned()), ..Rule::new(pattern, "f".to_owned()) };
    let briefed = |pattern: &str| {
        let naming = vec![naming("a", "p_", &[])];
        let rules = Rules { tools: vec![brief(pattern)], naming, ..Rules::default() };
        let snapshot = assemble(&[upstream("a", &["list", "get"])], rules, &[]);
        (snapshot.tools()[0].brief() == "B", warnings(&snapshot).join("\n"))
    };
    for own in ["list", "a/list", "l*", "a__list"] {
        assert_eq!(briefed(own), (true, String::new()), "{own}");
    }
    for (served, meant) in [("p_list", "a/list"), ("a/p_list", "a/list"), ("lits", "list")] {
        let warning = format!("f: no upstream has a tool '{served}'; did you mean '{meant}'?");
        assert_eq!(briefed(served), (false, warning));
    }
    assert_eq!(briefed("p_*"), (false, "f: 'p_*' matches none of the tools".to_owned()));
}

#[test]
fn u14_description_files_go_by_own_names() {
    let described = |upstreams: &[UpstreamLists], name: &str| {
        let file = file(&json!({"name": name, "description": "D", "inputSchema": {}}));
        let rules = Rules { naming: vec![naming("a", "p_", &[])], ..Rules::default() };
        let snapshot = assemble(upstreams, rules, &[file]);
        let is_described =
            |tool: &&Arc<Tool>| tool.definition().string("description").as_deref() == Some("D");
        let described = snapshot.tools().iter().filter(is_described);
        described.map(|tool| tool.key().to_string()).chain(warnings(&snapshot)).collect::<Vec<_>>()
    };
    let (a, b) = (upstream("a", &["x"]), upstream("b", &["x"]));
    let alone = [a.clone()];
    assert_eq!(described(&alone, "x"), ["p_x"]);
    assert_eq!(described(&alone, "a__x"), ["p_x"]);
    assert_eq!(described(&alone, "p_x"), ["p_x.json: no upstream has a tool 'p_x'; did you mean 'a/x'?"]);
    // Where another upstream's tool is served by its own name, it is the one that is meant.
    let both = [a, b];
    assert_eq!(described(&both, "x"), ["x"]);
    assert_eq!(described(&both, "a__x"), ["p_x"]);
    assert_eq!(described(&both, "b__x"), ["x"]);
}

#[test]
fn u14_a_rename_of_what_is_not_there_and_a_name_that_gets_too_long_are_warnings() {
    let long = "n".repeat(60);
    let rules = |naming| Rules { naming: vec![naming], ..Rules::default() };
    let renamed = naming("a", "", &[("lits", "all")]);
    let snapshot =
        assemble(&[upstream("a", &["list"]), upstream("b", &["lits"])], rules(renamed.clone()), &[]);
    let warning = "f:1:1: upstreams.\"a\".rename: no upstream has a tool 'lits'; did you mean 'list'?";
    assert_eq!(warnings(&snapshot), [warning]);
    assert_eq!(
        warnings(&assemble(&[upstream("b", &["x"])], rules(renamed), &[])),
        [""; 0],
        "it may come yet"
    );
    let snapshot = assemble(&[upstream("a", &["x", &long])], rules(naming("a", "five_", &[])), &[]);
    let warning = format!(
        "f:1:1: upstreams.\"a\": with its prefix, tool '{long}' is served as 'five_{long}', which has 65 characters; hosts refuse more than 64, so give it a shorter name with rename"
    );
    assert_eq!(warnings(&snapshot), [warning]);
}
