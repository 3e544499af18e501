//! What a search answers.

use super::*;

#[test]
fn s2_a_search_answers_with_what_a_call_needs() {
    let found = answer(&all(), &json!({"query": "read file contents"})).content;
    assert_eq!(found["tools"][0]["name"], "read_file");
    assert_eq!(found["tools"][0]["inputSchema"]["required"], json!(["path"]));
    let brief = answer(&all(), &json!({"query": "file", "detail": "brief"})).content;
    assert!(brief["tools"].as_array().unwrap().iter().all(|hit| hit.get("inputSchema").is_none()));
    let one = answer(&all(), &json!({"query": "file", "limit": 1})).content;
    assert_eq!(one["tools"].as_array().unwrap().len(), 1);
    // A schema of more than 8 kB is not part of the answer, which says how to get it.
    let huge = answer(&all(), &json!({"query": "transform"})).content;
    assert_eq!(huge["tools"][0]["match"], "exact");
    let note = huge["tools"][0]["note"].as_str().unwrap();
    assert!(note.contains(r#"{"query": "transform", "limit": 1, "detail": "full"}"#), "{note}");
    let whole = answer(&all(), &json!({"query": "transform", "limit": 1, "detail": "full"})).content;
    assert_eq!(whole["tools"][0]["inputSchema"]["description"].as_str().unwrap().len(), 9_000);
}

#[test]
fn s2_schemas_share_24_kb_and_what_does_not_fit_comes_brief() {
    let schema = json!({"type": "object", "description": "x".repeat(7_000)});
    let view = view_with((0..5).map(|at| json!({"name": format!("copy_{at}"), "inputSchema": schema})));
    let category = view.categories().next().unwrap().name().to_owned();
    for arguments in
        [json!({"query": "copy", "detail": "full"}), json!({"category": category, "detail": "full"})]
    {
        let found = answer(&view, &arguments).content;
        let hits = found["tools"].as_array().unwrap();
        let shown: Vec<&Value> = hits.iter().filter_map(|hit| hit.get("inputSchema")).collect();
        assert_eq!(shown, [&schema; 3], "{arguments}");
        assert!(hits.iter().all(|hit| hit.get("inputSchema").is_some() != hit.get("note").is_some()));
    }
    let brief = answer(&view, &json!({"category": category})).content;
    assert!(brief["tools"].as_array().unwrap().iter().all(|tool| tool.as_object().unwrap().len() == 2));
}

#[test]
fn s2_a_schema_that_no_answer_can_have_says_so() {
    let schema = json!({"type": "object", "description": "x".repeat(70_000)});
    let view = view_with([json!({"name": "copy", "inputSchema": schema})]);
    let found = answer(&view, &json!({"query": "copy", "limit": 1, "detail": "full"})).content;
    assert!(found["tools"][0]["note"].as_str().unwrap().contains("too many to show"), "{found}");
}

#[test]
fn s2_descriptions_count_as_schemas_do() {
    let description = "Copies a file. ".repeat(50_000 / 15);
    let tool = |at: usize| json!({"name": format!("copy_{at}"), "description": description, "inputSchema": {"type": "object"}});
    let view = view_with((0..40).map(tool));
    let category = view.categories().next().unwrap().name().to_owned();
    for arguments in [
        json!({"query": "copy", "limit": 50, "detail": "full"}),
        json!({"category": category, "detail": "full"}),
    ] {
        let found = answer(&view, &arguments).content;
        let hits = found["tools"].as_array().unwrap();
        assert_eq!(hits.len(), 40);
        for hit in hits {
            // What a call needs is there all the same.
            assert_eq!(hit["inputSchema"], json!({"type": "object"}), "{hit}");
            let note = hit["note"].as_str().unwrap();
            assert!(
                hit.get("description").is_none() && note.starts_with("The complete description"),
                "{hit}"
            );
        }
        assert!(found.to_string().len() < 24 * 1024, "{}", found.to_string().len());
    }
    let whole = answer(&view, &json!({"query": "copy_7", "limit": 1, "detail": "full"})).content;
    assert!(whole["tools"][0]["description"] == description);
}

#[test]
fn s2_parameters_that_hits_have_in_common_are_shown_once() {
    let common =
        json!({"type": "string", "description": "The tenant of the directory, by its id. ".repeat(10)});
    let tool = |name: &str| {
        let own = json!({"type": "integer"});
        json!({"name": name, "description": "Lists vaults.", "inputSchema": {"type": "object", "required": ["tenant"],
            "properties": {"tenant": common, (name): own}}})
    };
    let large = json!({"name": "old_vaults", "description": "Lists vaults.", "inputSchema": {"type": "object", "description": "x".repeat(9_000)}});
    let view = view_with([tool("vaults"), tool("vault_keys"), large]);
    let category = view.categories().next().unwrap().name().to_owned();
    for arguments in [json!({"query": "list vaults"}), json!({"category": category})] {
        let mut arguments = arguments;
        arguments["detail"] = "full".into();
        let found = answer(&view, &arguments).content;
        assert_eq!(found["commonParameters"], json!({"tenant": common}));
        let (whole, without): (Vec<&Value>, Vec<&Value>) =
            found["tools"].as_array().unwrap().iter().partition(|hit| hit["name"] != "old_vaults");
        assert!(without.len() == 1 && without[0].get("inputSchema").is_none(), "{found}");
        for hit in whole {
            let name = hit["name"].as_str().unwrap();
            assert_eq!(hit["inputSchema"]["properties"], json!({(name): {"type": "integer"}}));
            assert_eq!(
                (&hit["commonParameters"], &hit["inputSchema"]["required"]),
                (&json!(["tenant"]), &json!(["tenant"]))
            );
        }
    }
    let one = answer(&view, &json!({"query": "vaults", "limit": 1})).content;
    assert_eq!(one["tools"][0]["inputSchema"]["properties"]["tenant"], common);
}

#[test]
fn s2_in_full_a_description_that_is_the_brief_is_left_out() {
    let long = format!("Moves a file. {}", "Its permissions stay as they are. ".repeat(10));
    let view = view_with([
        json!({"name": "copy", "description": "Copies a file.", "inputSchema": {"type": "object"}}),
        json!({"name": "move", "description": long, "inputSchema": {"type": "object"}}),
    ]);
    let hit = |name: &str| {
        let arguments = json!({"query": name, "limit": 1, "detail": "full"});
        answer(&view, &arguments).content["tools"][0].clone()
    };
    assert!(hit("copy").get("description").is_none(), "{}", hit("copy"));
    assert_eq!(hit("move")["description"], *long);
}

#[test]
fn s2_in_full_a_hit_has_everything_that_is_delivered() {
    let file = json!({
        "name": "read_file", "description": "Reads a file as text.", "inputSchema": {"type": "object"},
        "examples": [{"input": {"path": "/a"}}], "usage_guidance": "Prefer absolute paths.",
    });
    let view = view_of(Snapshot::build(&[tools()], &[fixtures::file(&file)]));
    let found = answer(&view, &json!({"query": "read_file", "limit": 1, "detail": "full"})).content;
    assert_eq!(found["tools"][0]["usage_guidance"], "Prefer absolute paths.");
    assert_eq!(found["tools"][0]["examples"], json!([{"input": {"path": "/a"}}]));
    let best = answer(&view, &json!({"query": "read_file"})).content;
    assert!(best["tools"][0].get("examples").is_none() && best["tools"][0]["inputSchema"].is_object());
    // What the instruction to learn a tool asks for.
    let lesson = PROFILE.lesson.unwrap().arguments("read_file").unwrap();
    assert_eq!(answer(&view, &serde_json::from_str(lesson.text()).unwrap()).content, found);
}

#[test]
fn s1_destructive_tools_are_marked_in_hits() {
    let found = answer(&all(), &json!({"query": "move a file"})).content;
    assert_eq!(found["tools"][0]["annotations"], json!({"destructiveHint": true}));
}

#[test]
fn s2_without_a_query_it_browses() {
    let overview = answer(&all(), &json!({})).content;
    assert_eq!(overview["categories"]["file"]["count"], 3);
    let category = answer(&all(), &json!({"category": "file"})).content;
    assert_eq!(category["tools"].as_array().unwrap().len(), 3);
    assert_eq!(answer(&all(), &json!({"category": "FILE"})).content, category);
    for (wrong, meant) in [("fil", json!(["file"])), ("flie", json!(["file"])), ("zzz", json!([]))] {
        let unknown = answer(&all(), &json!({"category": wrong, "query": "file"}));
        assert!(unknown.is_error && unknown.content["categories"]["file"].is_object());
        assert_eq!(unknown.content["suggestions"], meant, "{wrong}");
    }
}

#[test]
fn s4_a_miss_costs_what_a_good_hit_does() {
    let nouns = ["invoice", "customer", "branch", "ticket", "calendar", "payment", "server", "report"];
    let tools = (0..2_000).map(|at| {
        let noun = format!("{}{}", nouns[at % 8], at / 8 % 12);
        json!({"name": format!("{noun}_{at}"), "description": format!("Handles the {noun} of a company.")})
    });
    let view = view_with(tools);
    assert!(view.categories().len() > 20, "{}", view.categories().len());
    let missed = answer(&view, &json!({"query": "kubernetes"})).content;
    assert_eq!((&missed["tools"], &missed["unmatched"]), (&json!([]), &json!(["kubernetes"])));
    let shown = missed["categories"].as_object().unwrap();
    assert!(
        (1..view.categories().len()).contains(&shown.len()),
        "{} of {}",
        shown.len(),
        view.categories().len()
    );
    assert!(missed.to_string().len() < 3_000, "{}", missed.to_string().len());
    let all = answer(&view, &json!({})).content;
    assert_eq!(all["categories"].as_object().unwrap().len(), view.categories().len().min(120));
}

#[test]
fn s2_what_several_servers_define_alike_is_one_line_of_a_category() {
    let clone = |name: &str| UpstreamLists { name: UpstreamName::parse(name).unwrap(), ..tools() };
    let view = view(&["a", "b", "c"].map(clone));
    let description = search().search_tool(&view).definition().string("description").unwrap();
    assert_eq!(description.matches("file").count(), 1, "{description}");
    let listed = answer(&view, &json!({"category": "file"})).content;
    let lines = listed["tools"].as_array().unwrap();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines.iter().all(|line| line["servers"] == json!(["a", "b", "c"])), "{listed}");
    assert_eq!(answer(&view, &json!({"category": "c/file"})).content, listed);
}
