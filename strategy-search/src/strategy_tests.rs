//! `search` called directly, without a server.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use mcp_disclosure_core::{
    DescriptionFile, Effects, Era, Executors, Marks, Memory, Noted, Permits, Primitive, Principal, RawText,
    Receipts, Services, Snapshot, ToolName, Unlimited, UpstreamLists, UpstreamName,
};
use proptest::prelude::*;
use serde_json::{Value, value::to_raw_value};

use super::*;
use crate::wording::{CALL, CALL_READ_ONLY};

fn tools() -> UpstreamLists {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    let huge = "x".repeat(9_000);
    lists.tools = [
        json!({"name": "read_file", "description": "Reads a file as text.", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}),
        json!({"name": "write_file", "description": "Writes text to a file.", "inputSchema": {"type": "object"}}),
        json!({"name": "move_file", "description": "Moves a file.", "inputSchema": {"type": "object"},
            "annotations": {"destructiveHint": true}}),
        json!({"name": "transform", "description": "Transforms matrices.",
            "inputSchema": {"type": "object", "description": huge}}),
    ]
    .map(|tool| to_raw_value(&tool).unwrap().into())
    .into();
    lists
}

fn view(principal: &Principal) -> View {
    View::of(Arc::new(Snapshot::build(&[tools()], &[]).unwrap().0), principal)
}

fn search(executors: Executors) -> Search {
    Search::new(SearchConfig { executors, ..SearchConfig::default() })
}

/// Polls a future that is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("the built-in ranker never waits"),
    }
}

fn decide(strategy: &Search, view: &View, name: &str, arguments: &Value) -> Decision {
    decide_with(strategy, view, name, arguments, &Unlimited)
}

fn decide_with(
    strategy: &Search,
    view: &View,
    name: &str,
    arguments: &Value,
    services: &dyn Services,
) -> Decision {
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let (receipts, effects) = (Receipts::Marks(&marks), Effects::default());
    let cx = Context {
        view,
        client: &client,
        noted: Noted::new(&Memory::EMPTY, NAME),
        receipts,
        session: "test",
        services,
        effects: &effects,
    };
    let arguments = Some(RawText::parse(arguments.to_string()).unwrap());
    let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments };
    now(strategy.before_call(&cx, call)).unwrap()
}

fn answer(view: &View, arguments: &Value) -> ToolAnswer {
    match decide(&search(Executors::One), view, SEARCH, arguments) {
        Decision::Answer(answer) => answer,
        other => panic!("{arguments}: {other:?}"),
    }
}

fn all() -> View {
    view(&Principal::anonymous())
}

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
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    let schema = json!({"type": "object", "description": "x".repeat(7_000)});
    let tool = |at: usize| {
        to_raw_value(&json!({"name": format!("copy_{at}"), "inputSchema": schema})).unwrap().into()
    };
    lists.tools = (0..5).map(tool).collect();
    let view = View::of(Arc::new(Snapshot::build(&[lists], &[]).unwrap().0), &Principal::anonymous());
    let found = answer(&view, &json!({"query": "copy", "detail": "full"})).content;
    let hits = found["tools"].as_array().unwrap();
    assert_eq!(hits.iter().filter(|hit| hit.get("inputSchema").is_some()).count(), 3);
    assert!(hits.iter().all(|hit| hit.get("inputSchema").is_some() != hit.get("note").is_some()), "{found}");
}

#[test]
fn s2_a_schema_that_no_answer_can_have_says_so() {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    let schema = json!({"type": "object", "description": "x".repeat(70_000)});
    lists.tools = vec![to_raw_value(&json!({"name": "copy", "inputSchema": schema})).unwrap().into()];
    let view = View::of(Arc::new(Snapshot::build(&[lists], &[]).unwrap().0), &Principal::anonymous());
    let found = answer(&view, &json!({"query": "copy", "limit": 1, "detail": "full"})).content;
    assert!(found["tools"][0]["note"].as_str().unwrap().contains("too many to show"), "{found}");
}

fn view_of(tools: impl IntoIterator<Item = Value>) -> View {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("files").unwrap());
    lists.tools = tools.into_iter().map(|tool| to_raw_value(&tool).unwrap().into()).collect();
    View::of(Arc::new(Snapshot::build(&[lists], &[]).unwrap().0), &Principal::anonymous())
}

#[test]
fn s2_descriptions_count_as_schemas_do() {
    let description = "Copies a file. ".repeat(50_000 / 15);
    let tool = |at: usize| json!({"name": format!("copy_{at}"), "description": description, "inputSchema": {"type": "object"}});
    let view = view_of((0..40).map(tool));
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
    let view = view_of([tool("vaults"), tool("vault_keys")]);
    let found = answer(&view, &json!({"query": "list vaults", "detail": "full"})).content;
    assert_eq!(found["commonParameters"], json!({"tenant": common}));
    for hit in found["tools"].as_array().unwrap() {
        let name = hit["name"].as_str().unwrap();
        assert_eq!(hit["inputSchema"]["properties"], json!({(name): {"type": "integer"}}));
        assert_eq!(
            (&hit["commonParameters"], &hit["inputSchema"]["required"]),
            (&json!(["tenant"]), &json!(["tenant"]))
        );
    }
    let one = answer(&view, &json!({"query": "vaults", "limit": 1})).content;
    assert_eq!(one["tools"][0]["inputSchema"]["properties"]["tenant"], common);
}

#[test]
fn s2_bounds_that_are_equal_still_say_how_to_get_the_rest() {
    let config = SearchConfig { schema_bytes: 500, answer_bytes: 500, ..SearchConfig::default() };
    let found = match decide(&Search::new(config), &all(), SEARCH, &json!({"query": "transform"})) {
        Decision::Answer(answer) => answer.content,
        other => panic!("{other:?}"),
    };
    assert!(found["tools"][0]["note"].as_str().unwrap().contains("\"limit\": 1"), "{found}");
}

#[test]
fn s2_a_category_in_full_has_schemas_within_the_same_bounds() {
    let schema = json!({"type": "object", "description": "x".repeat(7_000)});
    let view = view_of((0..5).map(|at| json!({"name": format!("copy_{at}"), "inputSchema": schema})));
    let category = view.categories().next().unwrap().name().to_owned();
    let listed = answer(&view, &json!({"category": category, "detail": "full"})).content;
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.iter().filter(|tool| tool["inputSchema"] == schema).count(), 3);
    assert!(tools.iter().all(|tool| tool.get("inputSchema").is_some() != tool.get("note").is_some()));
    let brief = answer(&view, &json!({"category": category})).content;
    assert!(brief["tools"].as_array().unwrap().iter().all(|tool| tool.as_object().unwrap().len() == 2));
    // A category of one tool is a tool that is asked for alone.
    let one = view_of([
        json!({"name": "copy", "inputSchema": {"type": "object", "description": "x".repeat(9_000)}}),
    ]);
    let category = one.categories().next().unwrap().name().to_owned();
    let whole = answer(&one, &json!({"category": category, "detail": "full"})).content;
    assert!(whole["tools"][0]["inputSchema"].is_object(), "{whole}");
}

#[test]
fn s2_in_full_a_description_that_is_the_brief_is_left_out() {
    let long = format!("Moves a file. {}", "Its permissions stay as they are. ".repeat(10));
    let view = view_of([
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
    let file = DescriptionFile::parse("d/read_file.json", "read_file", &file.to_string()).unwrap();
    let snapshot = Snapshot::build(&[tools()], &[file]).unwrap().0;
    let view = View::of(Arc::new(snapshot), &Principal::anonymous());
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
fn s7_keywords_synonyms_and_weights_find_what_the_words_of_the_author_do_not() {
    let find = |view: &View, config: SearchConfig, query: &str| {
        let arguments = json!({"query": query});
        match decide(&Search::new(config), view, SEARCH, &arguments) {
            Decision::Answer(answer) => answer.content["tools"][0]["name"].clone(),
            other => panic!("{other:?}"),
        }
    };
    let plain = SearchConfig::default;
    assert_eq!(find(&all(), plain(), "slurp"), Value::Null);
    let file = json!({
        "name": "read_file", "description": "Reads.", "inputSchema": {"type": "object"}, "keywords": ["slurp"],
    });
    let file = DescriptionFile::parse("d/read_file.json", "read_file", &file.to_string()).unwrap();
    assert!(file.unknown.is_empty());
    let worded = View::of(
        Arc::new(Snapshot::build(&[tools()], std::slice::from_ref(&file)).unwrap().0),
        &Principal::anonymous(),
    );
    assert_eq!(find(&worded, plain(), "slurp"), "read_file");
    let config: SearchConfig = serde_json::from_value(json!({"weights": {"keywords": 0.0}})).unwrap();
    assert_eq!(find(&worded, config, "slurp"), Value::Null);
    let config = serde_json::from_value(json!({"synonyms": {"slurp": ["read"]}})).unwrap();
    assert_eq!(find(&all(), config, "slurping"), "read_file");
}

/// Queries as models and attackers write them: each has an answer that helps.
#[test]
fn s2_bad_queries_are_answered_in_a_sentence_that_helps() {
    let long = "lorem ipsum ".repeat(10_000);
    for query in [
        "",
        " ",
        "a",
        "the of and",
        "?!...",
        ".*",
        "^read_[a-z]+$",
        "🙂🙂",
        "\u{0}",
        "读取文件",
        "ファイルを読む",
        "อ่านไฟล์",
        "اقرأ الملف",
        "прочитать файл",
        "Datei lesen",
        "github create_issue",
        &long,
    ] {
        let answer = answer(&all(), &json!({"query": query}));
        assert!(!answer.is_error);
        let hits = answer.content["tools"].as_array().is_some_and(|hits| !hits.is_empty());
        let helps = answer.content["note"].is_string() && answer.content["categories"].is_object();
        assert!(hits || helps, "{query:.20}: {}", answer.content);
        assert!(answer.content.to_string().len() < 4_000, "{query:.20}");
    }
    let found = answer(&all(), &json!({"query": "^read_[a-z]+$"})).content;
    assert_eq!(found["tools"][0]["name"], "read_file");
}

#[test]
fn s2_limits_and_details_are_read_as_written_or_refused_by_name() {
    let hits = |limit: Value| {
        let answer = answer(&all(), &json!({"query": "file", "limit": limit}));
        answer.content["tools"].as_array().unwrap().len()
    };
    assert_eq!((hits(json!(1e9)), hits(json!("2")), hits(json!(2.0))), (4, 2, 2));
    for (arguments, argument) in [
        (json!({"query": "file", "limit": 0}), "limit"),
        (json!({"query": "file", "limit": -1}), "limit"),
        (json!({"query": "file", "detail": "everything"}), "detail"),
        (json!({"query": ["file"]}), "query"),
        (json!({"q": "file"}), "q"),
        (json!([1]), "arguments"),
    ] {
        match decide(&search(Executors::One), &all(), SEARCH, &arguments) {
            Decision::Refuse(refusal) => {
                assert_eq!(refusal.content["error"]["problems"][0]["argument"], argument, "{arguments}");
            }
            other => panic!("{arguments}: {other:?}"),
        }
    }
}

#[test]
fn c10_a_tool_that_a_filter_leaves_out_is_found_by_its_exact_name_only() {
    let view =
        all().narrow(|item| !matches!(item, Primitive::Tool(tool) if tool.key().as_str() == "read_file"));
    let words = answer(&view, &json!({"query": "reads a file as text"})).content;
    assert!(words["tools"].as_array().unwrap().iter().all(|hit| hit["name"] != "read_file"), "{words}");
    let named = answer(&view, &json!({"query": "read_file", "limit": 1})).content;
    assert_eq!(
        (&named["tools"][0]["name"], &named["tools"][0]["match"]),
        (&json!("read_file"), &json!("exact"))
    );
}

/// Finds the last tool, whatever is asked.
#[derive(Debug)]
struct Last;

#[async_trait]
impl Ranker for Last {
    async fn rank(&self, cx: &Context<'_>, _query: &Query<'_>) -> Ranking {
        let hits = cx.view.tools().last().map(|tool| Hit {
            name: tool.name().clone(),
            matched: Match::Strong,
            score: 1.0,
            servers: Vec::new(),
        });
        Ranking { hits: hits.into_iter().collect(), unmatched: Vec::new() }
    }
}

#[test]
fn s10_another_ranker_takes_the_place_of_ours_and_exact_names_still_win() {
    let strategy = search(Executors::One).ranked_by(Last);
    let first = |query: &str| match decide(&strategy, &all(), SEARCH, &json!({"query": query})) {
        Decision::Answer(answer) => answer.content["tools"][0]["name"].as_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!((first("reads a file"), first("read_file")), ("transform".to_owned(), "read_file".to_owned()));
}

/// Counts the work that is done beside the workers.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

#[async_trait]
impl Services for Counting {
    fn admit_fetch(&self) -> Result<(), Duration> {
        Ok(())
    }

    async fn run(&self, work: Box<dyn FnOnce() + Send>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        work();
    }
}

#[test]
fn s5_the_index_is_made_beside_the_workers_by_the_first_call_that_searches() {
    let makes = |view: &View, name: &str, arguments: Value| {
        let counting = Counting::default();
        decide_with(&search(Executors::One), view, name, &arguments, &counting);
        counting.0.into_inner() > 0
    };
    for (name, searching) in [(SEARCH, json!({"query": "file"})), (CALL, json!({"tool": "raed_file"}))] {
        let view = all();
        assert!(!makes(&view, CALL, json!({"tool": "read_file"})) && !makes(&view, "read_file", json!({})));
        assert!(!makes(&view, SEARCH, json!({})) && !makes(&view, SEARCH, json!({"query": 7})));
        assert!(makes(&view, name, searching.clone()));
        assert!(!makes(&view, name, searching));
    }
}

#[test]
fn b7_the_description_says_what_is_behind() {
    let tools = search(Executors::One).own(&all(), &ClientTraits::plain(Era::Session)).tools;
    let description = tools[0].definition().string("description").unwrap();
    assert!(description.contains("4 tools: file (4)") && description.len() <= 900, "{description}");
}

#[test]
fn s2_without_a_query_it_browses() {
    let overview = answer(&all(), &json!({})).content;
    assert_eq!(overview["categories"]["file"]["count"], 4);
    let category = answer(&all(), &json!({"category": "file"})).content;
    assert_eq!(category["tools"].as_array().unwrap().len(), 4);
    assert_eq!(answer(&all(), &json!({"category": "FILE"})).content, category);
    for (wrong, meant) in [("fil", json!(["file"])), ("flie", json!(["file"])), ("zzz", json!([]))] {
        let unknown = answer(&all(), &json!({"category": wrong, "query": "file"}));
        assert!(unknown.is_error && unknown.content["categories"]["file"].is_object());
        assert_eq!(unknown.content["suggestions"], meant, "{wrong}");
    }
}

#[test]
fn s4_a_miss_says_so_and_shows_the_categories() {
    let missed = answer(&all(), &json!({"query": "book a flight"})).content;
    assert_eq!(missed["tools"], json!([]));
    assert_eq!(missed["unmatched"], json!(["book", "flight"]));
    assert!(missed["categories"]["file"].is_object() && missed["note"].is_string());
}

#[test]
fn s4_a_miss_costs_what_a_good_hit_does() {
    let nouns = ["invoice", "customer", "branch", "ticket", "calendar", "payment", "server", "report"];
    let tools = (0..2_000).map(|at| {
        let noun = format!("{}{}", nouns[at % 8], at / 8 % 12);
        json!({"name": format!("{noun}_{at}"), "description": format!("Handles the {noun} of a company.")})
    });
    let view = view_of(tools);
    assert!(view.categories().len() > 20, "{}", view.categories().len());
    let missed = answer(&view, &json!({"query": "kubernetes"})).content;
    assert!(missed["categories"].as_object().is_some_and(|shown| !shown.is_empty()));
    assert!(missed.to_string().len() < 3_000, "{}", missed.to_string().len());
    let all = answer(&view, &json!({})).content;
    assert_eq!(all["categories"].as_object().unwrap().len(), view.categories().len().min(120));
}

#[test]
fn s5_what_a_principal_may_not_use_changes_nothing() {
    let permits = Permits::of_tools(["*/write_file", "*/move_file"]);
    let permitted = view(&Principal::new("p", permits));
    let mut fewer = tools();
    fewer.tools = vec![fewer.tools[1].clone(), fewer.tools[2].clone()];
    let never_there = View::of(Arc::new(Snapshot::build(&[fewer], &[]).unwrap().0), &Principal::anonymous());
    for query in ["file", "read_file", "reads text", "path", "matrices"] {
        let arguments = json!({"query": query, "detail": "full", "limit": 50});
        assert_eq!(answer(&permitted, &arguments), answer(&never_there, &arguments), "{query}");
    }
}

#[test]
fn s1_executors_forward_what_they_may_run() {
    let (one, two) = (search(Executors::One), search(Executors::ByEffect));
    let view = all();
    let inner = |strategy: &Search, executor: &str, tool: &str| {
        let arguments = json!({"tool": tool, "arguments": {"path": "/a"}});
        match decide(strategy, &view, executor, &arguments) {
            Decision::Forward(call) => (call.name.to_string(), call.arguments.unwrap().get().to_owned()),
            Decision::Refuse(refusal) => (refusal.code.to_owned(), refusal.content.to_string()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(inner(&one, CALL, "write_file"), ("write_file".to_owned(), r#"{"path":"/a"}"#.to_owned()));
    assert_eq!(inner(&two, CALL_READ_ONLY, "read_file").0, "read_file");
    assert_eq!(inner(&two, CALL_READ_ONLY, "write_file").0, "NOT_READ_ONLY");
    assert_eq!(inner(&two, CALL, "write_file").0, "write_file");
    let (code, content) = inner(&one, CALL, "raed_file");
    assert_eq!(code, "UNKNOWN_TOOL");
    assert!(content.contains("read_file"), "{content}");
    // Without a second executor its name is an upstream's, or that of no tool.
    assert_eq!(inner(&one, CALL_READ_ONLY, "write_file").0, CALL_READ_ONLY);
    assert_eq!(inner(&one, CALL, CALL).0, "INVALID_ARGUMENTS");
}

proptest! {
    #[test]
    fn every_query_has_an_answer(query in "(\\PC|[\n\t]){0,200}") {
        let view = all();
        let answer = answer(&view, &json!({"query": query}));
        let has_hits = answer.content["tools"].as_array().is_some_and(|hits| !hits.is_empty());
        prop_assert!(has_hits || answer.content["categories"].is_object());
    }
}
