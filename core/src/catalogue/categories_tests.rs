//! Categories that no operator declared (docs/CONTRACT.md B8).

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    Permits, Principal, RawObject, Snapshot, UpstreamLists, View,
    catalogue::{provider::OwnGroup, words},
    fixtures::{named, view},
};

/// An upstream with tools of these names.
fn upstream(name: &str, server: Value, tools: &[&str]) -> UpstreamLists {
    let server_info = RawObject::parse(server.to_string()).unwrap();
    UpstreamLists { server_info, ..named(name, tools) }
}

/// The categories of one upstream's tools.
fn sorted(names: &[&str]) -> Vec<(String, usize)> {
    categories(&view(&[upstream("hub", json!({"name": "Hub"}), names)]))
}

fn categories(view: &View) -> Vec<(String, usize)> {
    view.categories().map(|category| (category.name().to_owned(), category.tools().len())).collect()
}

fn some(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
    expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn b8_tools_are_sorted_by_the_words_of_their_names() {
    for (names, expected) in [
        (
            &["create_issue", "list_issues", "get_label", "add_label", "delete_label"][..],
            &[("issue", 2), ("label", 3)][..],
        ),
        // A word that all have names what no other word sorts.
        (&["git_add", "git_diff", "git_diff_staged"], &[("git", 3)]),
        (&["get_current_time", "convert_time"], &[("time", 2)]),
        // One that is left is in no category that says something else, and few tools without common words are one as a whole.
        (&["create_nodes", "search_nodes", "read_graph"], &[("nodes", 2), ("other", 1)]),
        (&["delete-many", "update-many", "whoami"], &[("hub", 3)]),
        (&["echo", "whoami", "health"], &[("hub", 3)]),
        (&["alone"], &[("hub", 1)]),
    ] {
        assert_eq!(sorted(names), some(expected), "{names:?}");
    }
}

#[test]
fn b8_no_category_has_over_forty_tools_and_every_name_is_a_word_of_its_tools() {
    let nouns = ["issue", "branch", "wiki_page", "merge_request", "merge_request_note", "pipeline"];
    let verbs = ["create", "get", "list", "update", "delete", "approve", "close", "watch"];
    let crossed = nouns.iter().flat_map(|noun| verbs.iter().map(move |verb| format!("{verb}_{noun}")));
    let many: Vec<String> =
        crossed.chain(["whoami", "health", "alarm_cloudwatch"].map(str::to_owned)).collect();
    let same: Vec<String> = (0..400).map(|at| format!("get_issue_{at}")).collect();
    let bare: Vec<String> = (0..400).map(|at| format!("tool{at:x}")).collect();
    for names in [many, same, bare] {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let view = view(&[upstream("hub", json!({}), &names)]);
        assert_eq!(view.categories().map(|category| category.tools().len()).sum::<usize>(), names.len());
        for category in view.categories() {
            let (name, count) = (category.own_name(), category.tools().len());
            assert!((1..=40).contains(&count), "{name}: {count}");
            assert!(category.description().is_empty(), "{name}: {}", category.description());
            let mut tools = category.tools();
            let is_word = tools.any(|tool| tool.name().contains(name));
            assert!(is_word || ["other", "hub"].contains(&name), "{name}");
        }
    }
}

#[test]
fn b8_servers_have_their_own_categories_and_clashing_names_have_the_server_in_front() {
    let group = |name: &str, tools: &[&str]| OwnGroup {
        name: name.to_owned(),
        description: format!("About\n{name}."),
        tools: tools.iter().map(|name| (*name).to_owned()).collect(),
        ..OwnGroup::default()
    };
    let mut one = upstream("one", json!({}), &["solve", "measure", "get_thing", "list_things"]);
    one.groups = vec![group("analysis", &["measure", "solve"])];
    let mut two = upstream("two", json!({}), &["compare", "weigh", "plot"]);
    two.groups = vec![group("analysis", &["compare", "weigh"]), group("visuals", &["plot"])];
    let lists = [one, two];
    let whole = view(&lists);
    let expected = some(&[("one/analysis", 2), ("thing", 2), ("two/analysis", 2), ("visuals", 1)]);
    assert_eq!(categories(&whole), expected);
    assert_eq!(whole.category("visuals").unwrap().description(), "About visuals.");
    assert_eq!(whole.category("two/visuals").unwrap().name(), "visuals");
    assert!(whole.category("analysis").is_none(), "it could be either");
    // What a group is for may be about what is withheld.
    let snapshot = Arc::new(Snapshot::build(&lists, &[]));
    let part =
        View::of(snapshot, &Principal::anonymous().permitted(Permits::of_tools(["two/compare", "two/plot"])));
    assert_eq!(categories(&part), some(&[("analysis", 1), ("visuals", 1)]));
    assert_eq!(part.category("analysis").unwrap().description(), "");
}

#[test]
fn b8_categories_of_servers_whose_tools_are_defined_alike_are_one() {
    let tools = ["create_issue", "list_issues", "add_label", "delete_label"];
    let clone = |name: &str| upstream(name, json!({}), &tools);
    // One that is alike but for a tool has what is alike in common.
    let near = upstream("near", json!({}), &["create_issue", "list_issues", "add_label", "remove_label"]);
    let small = |name: &str| upstream(name, json!({"description": "Says hello."}), &["echo", "whoami"]);
    let lists = [clone("b"), clone("a"), near, clone("c"), small("x"), small("y")];
    let whole = view(&lists);
    let expected = some(&[("issue", 8), ("b/label", 6), ("near/label", 2), ("x", 4)]);
    assert_eq!(categories(&whole), expected);
    let described =
        |view: &View, name: &str| view.category(name).map(|category| category.description().to_owned());
    for (name, description) in [
        ("issue", "The same at b, a, near, c."),
        ("c/issue", "The same at b, a, near, c."),
        ("c/label", "The same at b, a, c."),
        ("near/label", ""),
        ("y", "Says hello. The same at x, y."),
    ] {
        assert_eq!(described(&whole, name).as_deref(), Some(description), "{name}");
    }
    // Who may use one of them learns of no other.
    let principal = Principal::anonymous().permitted(Permits::of_tools(["a/*", "x/*"]));
    let part = View::of(Arc::new(Snapshot::build(&lists, &[])), &principal);
    assert_eq!(categories(&part), some(&[("issue", 2), ("label", 2), ("x", 2)]));
    assert_eq!(described(&part, "issue").as_deref(), Some(""));
}

#[test]
fn b8_what_is_left_over_of_several_servers_is_one_category() {
    let servers = [
        ("one", ["add_label", "delete_label", "echo"]),
        ("two", ["create_nodes", "search_nodes", "read_graph"]),
        ("three", ["get_file", "read_file", "whoami"]),
    ];
    let whole = view(&servers.map(|(name, tools)| upstream(name, json!({}), &tools)));
    assert_eq!(categories(&whole), some(&[("label", 2), ("nodes", 2), ("file", 2), ("other", 3)]));
    for name in ["one/other", "two/other", "three/other"] {
        assert_eq!(whole.category(name).unwrap().name(), "other");
    }
}

#[test]
fn b8_ten_thousand_pairs_take_no_long_time() {
    let names: Vec<String> =
        (0..10_000).flat_map(|pair| [format!("create_x{pair}y"), format!("list_x{pair}y")]).collect();
    let tools: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let sorted = words::sorted(&tools);
    assert_eq!(sorted.iter().filter(|(_, members)| members.len() == 2).count(), 10_000);
}
