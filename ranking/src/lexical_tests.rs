//! Ranking: names, weak matches, weights, scripts and bad input.

use mcp_disclosure_core::fixtures::{self, named, upstream, view_with};
use serde_json::{Value, json};

use super::*;

fn view_named(names: impl IntoIterator<Item = &'static str>) -> View {
    fixtures::view(&[named("u", names)])
}

fn files() -> View {
    view_with([
        json!({"name": "list_directory", "description": "List the entries of a directory."}),
        json!({"name": "create_directory", "description": "Create a directory."}),
        json!({"name": "read_file", "description": "Read a file as text.", "inputSchema": {"type": "object", "properties": {
            "path": {"type": "string"}, "tail": {"type": "integer", "description": "Only the last lines"}}}}),
        json!({"name": "move_file", "description": "Move a file to another place."}),
        json!({"name": "天気", "description": "東京の天気予報を取得します"}),
    ])
}

fn rank(view: &View, text: &str) -> Ranking {
    BuiltIn::by_words(&LexicalSettings::default()).rank_now(view, &Query::new(text, 10))
}

/// What is found by words alone, and as a program with vectors does.
fn both(view: &View, text: &str) -> [Ranking; 2] {
    [rank(view, text), BuiltIn::new(&LexicalSettings::default()).rank_now(view, &Query::new(text, 10))]
}

fn best(view: &View, text: &str) -> (String, Match) {
    let hit = rank(view, text).hits.into_iter().next().unwrap_or_else(|| panic!("{text}: no hits"));
    (hit.name.to_string(), hit.matched)
}

#[test]
fn s3_exact_names_win_in_every_spelling() {
    let view = files();
    for name in ["read_file", "READ_FILE", "readFile", "read file", "u__read_file", "u/read_file"] {
        assert_eq!(best(&view, name), ("read_file".to_owned(), Match::Exact), "{name}");
    }
    for misspelt in ["raed_file", "read_flie", "creat_directroy"] {
        let (found, matched) = best(&view, misspelt);
        assert!(
            matched != Match::Exact && (found == "read_file" || found == "create_directory"),
            "{misspelt}: {found}"
        );
    }
}

#[test]
fn s3_a_misspelt_name_is_found_and_one_with_another_word_is_none() {
    let tools = ["git_log", "git_status", "emulate", "browser_navigate", "browser_click", "approve_request"];
    let described = tools.map(|name| json!({"name": name, "description": "Works with git in a browser."}));
    let others = ["list_users", "set_users", "set_it", "abort", "chat", "1234", "git_log", "git_pull"];
    let (described, others) = (view_with(described), view_named(others));
    let glued = view_named(["take_screenshot", "list_directory"]);
    for (view, query, found) in [
        (&described, "git_lgo", Some("git_log")),
        (&described, "git_sttaus", Some("git_status")),
        (&described, "emulatte", Some("emulate")),
        (&described, "emulat", Some("emulate")),
        (&described, "browser_naviigate", Some("browser_navigate")),
        (&described, "aprove", Some("approve_request")),
        (&others, "get_users", Some("list_users")),
        (&others, "set_usres", Some("set_users")),
        (&others, "git_push", Some("git_log")),
        (&others, "get_it", None),
        (&others, "about", None),
        (&others, "that", None),
        (&others, "1235", None),
        // Without its separators.
        (&glued, "takescrenshot", Some("take_screenshot")),
        (&glued, "lstdirectory", Some("list_directory")),
        (&glued, "weather", None),
    ] {
        let hits = rank(view, query).hits;
        assert_eq!(hits.first().map(|hit| hit.name.as_str()), found, "{query}: {hits:?}");
    }
}

#[test]
fn s4_a_match_is_as_strong_as_the_words_that_make_it() {
    let tool = |name: &str, description: &str| json!({"name": name, "description": description});
    let spelt = view_named(["move_file", "convert_time"]);
    let (alike, users) =
        (view_named(["find_user", "block_user"]), view_named(["remove_user", "list_users", "list_teams"]));
    let mixed = view_with([
        tool("add_comment", "Adds a comment."),
        tool("move_note", "Moves a note."),
        tool("paint", "Paints a wall."),
    ]);
    let old = view_with([
        json!({"name": "read_file", "title": "Read File (Deprecated)", "description": "Read a file as text."}),
        tool("read_file_text", "(DEPRECATED) Read a file as text."),
        tool("read_text_file", "Read a file as text, whatever it has."),
        tool("other", "Something else."),
        json!({"name": "list_gone", "title": "List Deprecated Packages", "description": "Lists packages."}),
        json!({"name": "list_all", "title": "List Packages", "description": "Lists packages."}),
    ]);
    for (view, query) in [
        // A word that is spelt right is no misspelt one.
        (&spelt, "movie"),
        (&spelt, "concert"),
        (&mixed, "commerce"),
        (&mixed, "relocate"),
        // A word that nothing has.
        (&alike, "users of the warehouse"),
        (&users, "invite users"),
        (&users, "invite teams"),
        (&users, "promote a user of teams"),
    ] {
        for ranking in both(view, query) {
            assert!(ranking.hits.iter().all(|hit| hit.matched == Match::Weak), "{query}: {ranking:?}");
        }
    }
    for (view, query, name, matched) in [
        (&spelt, "move the flie", "move_file", Match::Strong),
        (&spelt, "convret", "convert_time", Match::Weak),
        (&mixed, "paint", "paint", Match::Exact),
        (&mixed, "wall", "paint", Match::Strong),
        (&old, "read a file as text", "read_text_file", Match::Strong),
        (&old, "read_file", "read_file", Match::Exact),
        (&old, "list deprecated packages", "list_gone", Match::Strong),
        (&users, "remove user", "remove_user", Match::Exact),
        (&users, "removing users", "remove_user", Match::Strong),
        (&users, "remove usres", "remove_user", Match::Strong),
        // A pair of characters across two words is no word.
        (&files(), "天気予報取得", "天気", Match::Strong),
    ] {
        assert_eq!(best(view, query), (name.to_owned(), matched), "{query}");
    }
}

#[test]
fn words_are_found_by_form_synonym_and_place() {
    let view = files();
    for (query, found) in [
        ("creating directories", "create_directory"),
        ("the entry of a directory", "list_directory"),
        ("moves files", "move_file"),
        ("entries of folders", "list_directory"),
        ("tail of a log", "read_file"),
        ("天気予報", "天気"),
    ] {
        assert_eq!(best(&view, query).0, found, "{query}");
    }
}

#[test]
fn s7_the_words_that_a_tool_lacks_are_named() {
    let lacking = |tool: &str, query: &str| {
        BuiltIn::by_words(&LexicalSettings::default()).lacking(&files(), tool, query)
    };
    assert_eq!(lacking("move_file", "rename the folder"), ["folder"]);
    assert_eq!(lacking("move_file", "zip archives"), ["zip", "archives"]);
    assert!(lacking("move_file", "move").is_empty() && lacking("no_tool", "zip").is_empty());
}

#[test]
fn s7_a_field_of_weight_0_is_not_searched() {
    let weights: Weights = serde_json::from_value(json!({"name": 0})).unwrap();
    let view = view_with([
        json!({"name": "slurp_file", "description": "Read a file."}),
        json!({"name": "write", "description": "Write a file."}),
    ]);
    let rank = |weights: Weights| {
        let ranker = BuiltIn::by_words(&LexicalSettings { weights, ..LexicalSettings::default() });
        let ranking = ranker.rank_now(&view, &Query::new("slurp text", 5));
        (ranking.hits.len(), ranking.unmatched.join(" "))
    };
    // In this order, and again: an index is made for its weights.
    assert_eq!(rank(weights), (0, "slurp text".to_owned()));
    assert_eq!(rank(Weights::default()), (1, "text".to_owned()));
    assert_eq!(rank(weights), (0, "slurp text".to_owned()));
    let exact = BuiltIn::by_words(&LexicalSettings { weights, ..LexicalSettings::default() });
    assert_eq!(exact.rank_now(&view, &Query::new("slurp_file", 5)).hits[0].matched, Match::Exact);
}

#[test]
fn s2_a_category_limits_hits_to_its_tools() {
    let view = files();
    let category = view.categories().next().unwrap();
    let query = Query { category: Some(category.name()), ..Query::new("directory file", 10) };
    let ranked = BuiltIn::by_words(&LexicalSettings::default()).rank_now(&view, &query);
    assert!(!ranked.hits.is_empty());
    assert!(ranked.hits.iter().all(|hit| category.tools().any(|tool| *tool.name() == hit.name)));
    let nowhere = Query { category: Some("none"), ..query };
    assert!(BuiltIn::by_words(&LexicalSettings::default()).rank_now(&view, &nowhere).hits.is_empty());
}

#[test]
fn s4_a_miss_is_honest() {
    let view = files();
    let ranking = rank(&view, "refund invoice");
    assert!(ranking.hits.is_empty());
    assert_eq!(ranking.unmatched, ["refund", "invoice"]);
    let ranking = rank(&view, "send the file by pigeon post");
    assert!(ranking.hits.iter().all(|hit| hit.matched == Match::Weak), "{ranking:?}");
    assert!(ranking.unmatched.contains(&"pigeon".to_owned()));
    // A product's name is named as a whole, although tools have words that are part of it.
    assert_eq!(rank(&view, "read ServiceNow as a list, textPlace").unmatched, ["servicenow"]);
}

#[test]
fn odd_queries_find_nothing_and_end() {
    let view = files();
    let long = ["x ".repeat(50_000), "a".repeat(100_000)];
    let nothing = ["", " ", "?", ".*", "🙂", "\u{0}"];
    // Only words that say nothing.
    let empty = ["the of and", "how do I", "can you", "I", "a", "s", "don't"];
    for query in nothing.into_iter().chain(empty).chain(long.iter().map(String::as_str)) {
        assert!(rank(&view, query).hits.is_empty(), "{}", &query[..query.len().min(10)]);
    }
}

#[test]
fn s4_among_equals_tools_that_read_come_first_unless_a_change_is_asked_for() {
    let tool = |name: &str, annotations: Value| json!({"name": name, "description": "The orders of a shop.", "annotations": annotations});
    let view = view_with([
        tool("drop_orders", json!({"destructiveHint": true})),
        tool("put_orders", json!({})),
        tool("count_orders", json!({"readOnlyHint": true})),
    ]);
    let names = |text: &str| -> Vec<String> {
        rank(&view, text).hits.into_iter().map(|hit| hit.name.to_string()).collect()
    };
    assert_eq!(names("orders of the shop"), ["count_orders", "put_orders", "drop_orders"]);
    assert_eq!(names("delete orders of the shop"), ["drop_orders", "put_orders", "count_orders"]);
}

#[test]
fn s4_what_several_upstreams_define_alike_is_one_hit() {
    let lists = |name: &str, description: &str| {
        upstream(name, [json!({"name": "create_issue", "description": description})])
    };
    let view = fixtures::view(&[
        lists("east", "Opens an issue."),
        lists("west", "Opens an issue."),
        lists("north", "Closes what nobody reads."),
    ]);
    let servers = |text: &str| -> Vec<String> {
        rank(&view, text)
            .hits
            .iter()
            .map(|hit| hit.servers.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(servers("open an issue"), ["east west", "north"]);
    assert_eq!(servers("open an issue in the west")[0], "west east");
    // Also those that a query alone would not find, since it names another server.
    let view = fixtures::view(&["tr0", "tr1", "tr2", "tr3"].map(|name| lists(name, "Opens an issue.")));
    for query in ["tr1 tr2", "create issues on tr3", "tr2:create_issue"] {
        let hits = rank(&view, query).hits;
        assert_eq!((hits.len(), hits[0].servers.len()), (1, 4), "{query}");
    }
}

#[test]
fn s4_a_request_of_any_length_is_a_query() {
    let names = ["show_log", "list_users", "delete_directory", "paint_wall"];
    let view = view_named(names);
    for count in [20, 70, 500] {
        let filler: Vec<String> = (0..count).map(|at| format!("filler{at}x")).collect();
        let filler = filler.join(" ");
        // The latter by synonyms alone.
        for (request, name) in [("show the log", "show_log"), ("remove the folder", "delete_directory")] {
            for query in [format!("{request} {filler}"), format!("{filler} {request}")] {
                for ranking in both(&view, &query) {
                    assert!(
                        ranking.hits.first().is_some_and(|hit| *hit.name == *name),
                        "{query}: {ranking:?}"
                    );
                    assert!(ranking.unmatched.len() >= count.min(MOST_WORDS), "{query}");
                }
            }
        }
    }
}

#[test]
fn s4_a_word_in_mixed_case_is_one_where_something_has_the_whole() {
    let names = ["github_create_issue", "mysql_query", "openai_image", "hubspot_contacts", "oauth2_login"];
    let others = ["macos_notify", "draw_graph", "open_door", "list_fooBar_items"];
    let view = view_named(names.into_iter().chain(others));
    for (query, name) in [
        ("an issue of GitHub's", "github_create_issue"),
        ("GitHub", "github_create_issue"),
        ("some query for MySQL", "mysql_query"),
        ("an image by OpenAI", "openai_image"),
        ("HubSpot", "hubspot_contacts"),
        ("OAuth2", "oauth2_login"),
        ("notify me on macOS", "macos_notify"),
        // Written so by the tool.
        ("foobar items", "list_fooBar_items"),
    ] {
        for ranking in both(&view, query) {
            let best = &ranking.hits[0];
            assert_eq!((best.name.as_str(), best.matched), (name, Match::Strong), "{query}: {ranking:?}");
            assert!(ranking.unmatched.is_empty(), "{query}: {ranking:?}");
        }
    }
    // What is said alone is no part; and what is not known as a whole is as its parts are.
    for (query, unmatched) in [
        ("GitHub by git", vec!["git"]),
        ("git by GitHub", vec!["git"]),
        ("an issue on GitHup", vec!["githup"]),
        ("users of OMail", vec!["users", "omail"]),
        ("an issue on GraphPay", vec!["graphpay"]),
        ("draw doorGraph, doorPay", vec!["pay"]),
    ] {
        assert_eq!(rank(&view, query).unmatched, unmatched, "{query}");
    }
    assert!(rank(&view, "draw a GraphPay").hits.iter().all(|hit| hit.matched == Match::Weak));
}
