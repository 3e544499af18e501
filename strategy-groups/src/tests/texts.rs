//! Instructions and descriptions of groups, and who reads them.

use mcp_disclosure_core::{Rule, Rules};

use super::{bridge::shown, *};

#[test]
fn g10_an_operators_text_is_for_one_group_wherever_another_has_its_name() {
    let lists = [upstream("git-hub", &[tool("a")]), upstream("git_hub", &[tool("b")]), files()];
    let instructions = [("git-hub".to_owned(), "For the first.".to_owned())].into();
    let strategy =
        GroupsStrategy::new(GroupsConfig { instructions, inline_bytes: 0, ..GroupsConfig::default() });
    let texts = |principal: &Principal| -> Vec<String> {
        let view = View::of(snapshot(&lists), principal);
        let groups = strategy.groups(&view);
        let of =
            |group: &Group| format!("{}: {}", group.name, group.instructions.as_deref().unwrap_or_default());
        groups.top().map(of).collect()
    };
    let all = texts(&Principal::anonymous());
    assert_eq!(all[0], "git-hub: For the first.");
    assert!(all[1].starts_with("git-hub-") && all[1].ends_with("Use git_hub with care."), "{all:?}");
    let second = texts(&permitted_only(&["b", "read_file", "stat_file"]));
    assert_eq!(second[0], "git-hub: Use git_hub with care.");
    assert_eq!(texts(&permitted_only(&["a", "read_file", "stat_file"]))[0], all[0]);
}

#[test]
fn g10_what_an_upstream_says_of_a_group_is_for_callers_who_have_all_of_it() {
    let own = |name: &str, tools: &[&str], groups: &[&str], is_top: bool| OwnGroup {
        title: Some(format!("Title of {name}")),
        description: format!("About {name} and secret"),
        instructions: Some(format!("{name}: secret first")),
        meta: Some(RawObject::parse(r#"{"secret":1}"#).unwrap()),
        ..group(name, is_top, tools, groups)
    };
    let groups = vec![
        own("mixed", &["one", "secret"], &[], true),
        own("parent", &["two"], &["nested"], true),
        // A circle, which is whole where all of it is.
        own("nested", &["secret", "three"], &["parent"], false),
        own("whole", &["one"], &[], true),
        own("text", &[], &[], true),
    ];
    let lists = UpstreamLists { groups, ..upstream("own", &["one", "two", "three", "secret"].map(tool)) };
    let said = |principal: &Principal| -> Vec<String> {
        let view = View::of(snapshot(std::slice::from_ref(&lists)), principal);
        let found = reachable(&view);
        let has = |name: &str, contents: &Value| {
            let groups = Groups::of(&view, &GroupsConfig::default());
            let group = groups.named(name).unwrap();
            let parts = [contents["instructions"].to_string(), group.object.text().to_owned()];
            let said = parts.map(|part| part.contains("secret"));
            assert_eq!(said[0], said[1], "{name}");
            said[0]
        };
        let mut said: Vec<String> = found
            .iter()
            .filter(|(name, contents)| has(name, contents))
            .map(|(name, _)| name.clone())
            .collect();
        said.sort();
        said
    };
    assert_eq!(
        said(&Principal::anonymous()),
        ["own-mixed", "own-nested", "own-parent", "own-text", "own-whole"]
    );
    assert_eq!(said(&permitted_only(&["one", "two", "three"])), ["own-whole"]);
    let view = View::of(snapshot(std::slice::from_ref(&lists)), &permitted_only(&["one", "two", "three"]));
    let top = request(&view, "groups/list", &json!({})).unwrap();
    assert_eq!(top["groups"][0]["description"], "Title of mixed. 1 tool.");
    assert_eq!(names(&top["groups"]), ["own-mixed", "own-parent", "own-whole"]);
}

/// A pinned tool is at the top; how it is used is still said in the group that its upstream has for it.
#[test]
fn g9_s12_a_group_that_pins_emptied_keeps_its_instructions() {
    let own = |name: &str, tools: &[&str]| OwnGroup {
        instructions: Some(format!("{name} first")),
        ..group(name, true, tools, &[])
    };
    let silent = OwnGroup { instructions: None, ..own("silent", &["one"]) };
    let groups = vec![own("guide", &["one"]), own("other", &["two"]), silent];
    let lists = UpstreamLists { groups, ..upstream("own", &["one", "two"].map(tool)) };
    let pin = Rule { pinned: true, ..Rule::new("*/one", String::new()) };
    for upstreams in [vec![lists.clone()], vec![lists, files()]] {
        let rules = Rules { tools: vec![pin.clone()], ..Rules::default() };
        let snapshot = Arc::new(fixtures::ruled(&upstreams, rules));
        let all = View::of(Arc::clone(&snapshot), &Principal::anonymous());
        let mut found: Vec<(String, Value)> =
            reachable(&all).into_iter().filter(|(name, _)| name.starts_with("own-")).collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["own-guide", "own-other"], "a group without contents and instructions is none");
        assert_eq!(found[0].1, json!({"instructions": "guide first"}));
        assert!(listed(&all, &native(Era::Session)).contains(&"one".to_owned()));
        assert_eq!(
            shown(&all, &json!({"name": "own-guide"})).content,
            json!({"group": "own-guide", "instructions": "guide first"})
        );
        // Where the tool does not exist, neither does what is said of it.
        for without in [
            View::of(Arc::clone(&snapshot), &permitted_only(&["two", "read_file"])),
            keeping(all, |name| name != "one"),
        ] {
            assert!(reachable(&without).iter().all(|(name, _)| name != "own-guide"));
        }
    }
}
