//! What is asked for, and who finds it.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use mcp_disclosure_core::fixtures::keeping;
use proptest::prelude::*;

use super::*;
use crate::wording::CALL;

#[test]
fn s7_keywords_synonyms_and_weights_find_what_the_words_of_the_author_do_not() {
    let find = |view: &View, config: SearchConfig, query: &str| {
        let found = answer_of(&Search::new(config), view, &json!({"query": query})).content;
        found["tools"][0]["name"].clone()
    };
    let plain = SearchConfig::default;
    assert_eq!(find(&all(), plain(), "slurp"), Value::Null);
    let file = file(&json!({
        "name": "read_file", "description": "Reads.", "inputSchema": {"type": "object"}, "keywords": ["slurp"],
    }));
    assert!(file.unknown.is_empty());
    let worded = view_of(Snapshot::build(&[tools()], &[file]));
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
    let empty = ["", "a", "the of and", "?!...", ".*", "^read_[a-z]+$", "🙂🙂", "\u{0}"];
    let foreign =
        ["读取文件", "ファイルを読む", "อ่านไฟล์", "اقرأ الملف", "прочитать файл", "github create_issue"];
    for query in empty.into_iter().chain(foreign).chain([&*long]) {
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
        (json!({"query": "file", "limit": "many"}), "limit"),
        (json!({"query": "file", "category": []}), "category"),
        (json!({"query": ["file"]}), "query"),
        (json!({"q": "file"}), "q"),
        (json!([1]), "arguments"),
    ] {
        match decide(&search(), &all(), SEARCH, &arguments) {
            Decision::Refuse(refusal) => {
                assert_eq!(refusal.content["error"]["problems"][0]["argument"], argument, "{arguments}");
            }
            other => panic!("{arguments}: {other:?}"),
        }
    }
}

#[test]
fn c10_a_tool_that_a_filter_leaves_out_is_found_by_its_exact_name_only() {
    let view = keeping(all(), |name| name != "read_file");
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
    let strategy = search().ranked_by(Last);
    let first = |query: &str| {
        let found = answer_of(&strategy, &all(), &json!({"query": query})).content;
        found["tools"][0]["name"].as_str().unwrap().to_owned()
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
    let strategy = search();
    let makes = |view: &View, name: &str, arguments: Value| {
        let counting = Counting::default();
        decide_with(&strategy, view, name, &arguments, &counting);
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

proptest! {
    #[test]
    fn every_query_has_an_answer(query in "(\\PC|[\n\t]){0,200}") {
        let view = all();
        let answer = answer(&view, &json!({"query": query}));
        let has_hits = answer.content["tools"].as_array().is_some_and(|hits| !hits.is_empty());
        prop_assert!(has_hits || answer.content["categories"].is_object());
    }
}
