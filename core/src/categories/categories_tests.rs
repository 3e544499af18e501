//! Categories found without configuration (docs/CONTRACT.md B8).

use std::sync::Arc;

use serde_json::{Value, json, value::to_raw_value};

use crate::{Principal, RawObject, Snapshot, UpstreamLists, UpstreamName, View};

/// The view of one upstream's tools of these names.
fn view(server: Value, instructions: Option<&str>, names: &[String]) -> View {
    let lists = UpstreamLists {
        server_info: RawObject::parse(server.to_string()).unwrap(),
        instructions: instructions.map(str::to_owned),
        tools: names.iter().map(|name| to_raw_value(&json!({"name": name})).unwrap().into()).collect(),
        ..UpstreamLists::empty(UpstreamName::parse("hub").unwrap())
    };
    View::of(Arc::new(Snapshot::build(&[lists], &[]).unwrap().0), &Principal::anonymous())
}

fn crossed(verbs: &[&str], nouns: &[&str]) -> Vec<String> {
    nouns.iter().flat_map(|noun| verbs.iter().map(move |verb| format!("{verb}_{noun}"))).collect()
}

fn categories(view: &View) -> Vec<(String, usize)> {
    view.categories().map(|category| (category.name().to_owned(), category.tools().len())).collect()
}

#[test]
fn b8_few_tools_are_one_category_and_many_are_sorted_by_what_they_are_about() {
    let verbs = ["create", "get", "list", "update", "delete"];
    let few = crossed(&verbs, &["issue", "label"]);
    assert_eq!(categories(&view(json!({"name": "Hub"}), None, &few)), [("hub".to_owned(), 10)]);
    let mut many = few;
    many.extend(crossed(&verbs, &["merge_request"]));
    many.extend(crossed(&verbs, &["issue_note", "branches", "wiki_page", "merge_request_note"]));
    many.extend(["whoami", "health_check", "add_label_to_issue"].map(str::to_owned));
    let view = view(json!({"name": "Hub"}), None, &many);
    let expected = [
        ("hub issues", 10),
        ("hub labels", 6),
        ("hub merge requests", 10),
        ("hub branches", 5),
        ("hub wiki pages", 5),
        ("hub other", 2),
    ];
    let names = categories(&view);
    assert_eq!(names.iter().map(|(_, count)| count).sum::<usize>(), many.len());
    for (name, count) in expected {
        let singular = name.trim_end_matches('s');
        assert!(
            names.iter().any(|(found, tools)| (found == name || found == singular) && *tools == count),
            "{name} in {names:?}"
        );
    }
    let issues = view.categories().next().unwrap();
    assert_eq!(issues.description(), "Hub issue: create, get, list, update, delete; note");
}

#[test]
fn b8_no_category_is_too_large_even_where_names_say_nothing() {
    let names: Vec<String> = (0..400).map(|at| format!("tool{at:x}")).collect();
    let categories = categories(&view(json!({}), None, &names));
    assert!(categories.iter().all(|(_, count)| (2..=80).contains(count)), "{categories:?}");
    assert_eq!(categories.iter().map(|(_, count)| count).sum::<usize>(), 400);
    let same: Vec<String> = (0..400).map(|at| format!("get_issue_{at}")).collect();
    let categories = super::tests::categories(&view(json!({}), None, &same));
    assert!(categories.iter().all(|(_, count)| *count <= 80), "{categories:?}");
}

#[test]
fn b8_a_category_says_what_it_is_for() {
    let names = crossed(&["get", "list"], &["page", "network_request"]);
    let described = |server, instructions| {
        let view = view(server, instructions, &names);
        view.categories().next().unwrap().description().to_owned()
    };
    assert_eq!(described(json!({}), None), "page, network request");
    assert_eq!(described(json!({"name": "x", "title": "Acme Server"}), None), "Acme: page, network request");
    assert_eq!(
        described(json!({"name": "x", "description": "Acme looks at pages of the web. And more."}), None),
        "Hub: Acme looks at pages of the web."
    );
    assert_eq!(
        described(
            json!({"title": "Acme"}),
            Some("# Acme\n\nThis server provides pages of the web to models.")
        ),
        "Acme: This server provides pages of the web to models."
    );
}
