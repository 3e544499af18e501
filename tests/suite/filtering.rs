//! Lists that are filtered by names (SEP-2564).

use kit::{Client, Setup, client::names_in};
use serde_json::{Value, json};

use crate::{connect, named};

const NAMES: [&str; 5] = ["git_add", "git_commit", "search", "Git_push", "git"];

async fn listed(client: &Client, filter: Value) -> Vec<String> {
    let result = client.request("tools/list", json!({"filter": filter})).await.result();
    let own = ["describe_tools", "get_tool_descriptions", "info", "invoke", "search_tools", "call_tool"];
    let names = names_in(result["tools"].as_array().unwrap());
    names.into_iter().filter(|name| !own.contains(&&**name)).collect()
}

async fn sep2564_a_list_has_what_a_pattern_names(setup: Setup) {
    let (_bench, client) = connect(named(NAMES), setup).await;
    let capabilities = client.capabilities().await;
    assert_eq!(capabilities["tools"]["filtering"], json!({"supported": ["namePatterns"]}));
    let whole = client.request("tools/list", json!({})).await.result();
    for (filter, names) in [
        (json!({"namePatterns": ["git_*"]}), vec!["git_add", "git_commit"]),
        (json!({"namePatterns": ["sea*", "?it"]}), vec!["search", "git"]),
        (json!({"namePatterns": ["nothing"]}), vec![]),
        (json!({"namePatterns": ["git"], "com.example/x": [1]}), vec!["git"]),
        (json!({"namePatterns": []}), NAMES.to_vec()),
        (json!({"com.example/x": 7, "uriPatterns": ["a"]}), NAMES.to_vec()),
        (json!({"namePatterns": ["é".repeat(256), "git"]}), vec!["git"]),
        (json!({}), NAMES.to_vec()),
    ] {
        assert_eq!(listed(&client, filter.clone()).await, names, "{filter}");
        let result = client.request("tools/list", json!({"filter": filter})).await.result();
        for tool in result["tools"].as_array().unwrap() {
            assert!(whole["tools"].as_array().unwrap().contains(tool), "as in the whole list");
        }
        assert_eq!(result.get("cacheScope"), whole.get("cacheScope"));
        assert_eq!(result.get("ttlMs"), whole.get("ttlMs"));
    }
    // What is left out is not hidden.
    assert_ne!(client.learn_and_call("search", json!({})).await.result()["isError"], true);
    for (filter, said) in [
        (json!({"namePatterns": vec!["a"; 101]}), "Too many patterns: 101 exceeds maximum of 100"),
        (json!({"namePatterns": ["é".repeat(257)]}), "Invalid pattern in namePatterns: 'é"),
        (json!({"namePatterns": "git"}), "must be an array of strings"),
        (json!({"namePatterns": ["git", 7]}), "must be an array of strings"),
        (json!([]), "must be an object"),
        (json!(null), "must be an object"),
    ] {
        let refused = client.request("tools/list", json!({"filter": filter})).await;
        assert_eq!(refused.error_with(said)["code"], -32602);
    }
}
where_tools_are_listed!(sep2564_a_list_has_what_a_pattern_names);

/// The strategy's own tools are listed whatever the filter says: the others are reached by them.
async fn sep2564_own_tools_stay(setup: Setup) {
    let (_bench, client) = connect(named(NAMES), setup).await;
    let filter = json!({"filter": {"namePatterns": ["nothing"]}});
    let filtered = client.request("tools/list", filter).await.result();
    assert_eq!(filtered["tools"], json!(client.tools().await));
}

under_search!(sep2564_own_tools_stay);
