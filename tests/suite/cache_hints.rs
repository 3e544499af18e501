//! What upstreams say of whole lists, how long and by whom they may be kept, reaches the clients whose era knows it (U15).

use kit::{Bench, Client, HeaderAdmission, Identity, Scenario, Setup, scenario::raw};
use serde_json::{Value, json};

use crate::{connect, playing, several};

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("prompts/list", "prompts"),
];

/// The odd upstream's scenario with these members beside the items of its lists.
fn hinted(hints: &Value) -> Scenario {
    let mut scenario = Scenario::odd();
    for (method, member) in LISTS {
        let mut result = hints[member].clone();
        if result.is_null() {
            continue;
        }
        let items = match member {
            "tools" => &scenario.tools,
            "resources" => &scenario.resources,
            "resourceTemplates" => &scenario.templates,
            _ => &scenario.prompts,
        };
        result[member] = json!(items);
        scenario.on(format!("{method} "), result);
    }
    scenario
}

/// The same upstream without sessions.
pub(crate) fn without_sessions(mut scenario: Scenario) -> Scenario {
    let refused = json!({"error": {"code": -32601, "message": "Method not found"}});
    let discovered = json!({"result": {
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "public",
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
    }});
    for (request, answer) in [("initialize ", refused), ("server/discover ", discovered)] {
        scenario.answers.insert(request.to_owned(), raw(answer));
    }
    scenario
}

async fn bench<const N: usize>(upstreams: [(&'static str, Scenario); N]) -> Bench {
    Bench::start(several(upstreams)).await
}

/// What is said of each list beside its items, for a client at this path.
async fn said(bench: &Bench, setup: Setup, path: &str) -> Value {
    let client = Client::connect_as(bench, setup, Identity::default().at(path)).await;
    let mut all = json!({});
    for (method, member) in LISTS {
        let mut result = client.request(method, json!({})).await.result();
        let said = result.as_object_mut().unwrap();
        assert!(said.remove(member).is_some_and(|items| items.is_array()), "{method}");
        all[member] = result;
    }
    all
}

/// Each list has hints of its own.
fn hints() -> Value {
    json!({
        "tools": {"ttlMs": 300_000, "cacheScope": "public", "_meta": {"of.kit/tools": [1.0, {"deep": true}]}},
        "resources": {"ttlMs": 0, "cacheScope": "private", "_meta": {"of.kit/resources": 1}},
        "prompts": {"ttlMs": 7_000, "cacheScope": "public"},
    })
}

async fn u15_hints_and_meta_of_a_single_upstream_survive(setup: Setup) {
    for scenario in [hinted(&hints()), without_sessions(hinted(&hints()))] {
        let is_stateless = scenario.answers.contains_key("server/discover ");
        let said = said(&bench([("kit", scenario)]).await, setup, "/mcp/full").await;
        if setup.has_sessions() {
            let [tools, resources] =
                ["tools", "resources"].map(|member| json!({"_meta": hints()[member]["_meta"]}));
            let expected =
                json!({"tools": tools, "resources": resources, "resourceTemplates": {}, "prompts": {}});
            assert_eq!(said, expected);
            continue;
        }
        let mut expected = hints();
        // Sessions demand no hints; where they are demanded and missing, nothing may be kept.
        expected["resourceTemplates"] = match is_stateless {
            true => json!({"ttlMs": 0, "cacheScope": "private"}),
            false => json!({"ttlMs": 60_000, "cacheScope": "public"}),
        };
        for list in expected.as_object_mut().unwrap().values_mut() {
            list["resultType"] = "complete".into();
        }
        assert_eq!(said, expected);
    }
}
cases!(full_http_session full_http_stateless; u15_hints_and_meta_of_a_single_upstream_survive);

async fn u15_of_several_upstreams_the_smallest_time_holds_and_private_if_any_is(setup: Setup) {
    let other = json!({
        "tools": {"ttlMs": 90_000, "cacheScope": "private", "_meta": {"of.other/tools": 1}},
        "resources": {"ttlMs": 5, "cacheScope": "public"},
    });
    let said =
        said(&bench([("kit", hinted(&hints())), ("other", hinted(&other))]).await, setup, "/mcp/full").await;
    let list = |time: u64, scope: &str| json!({"resultType": "complete", "ttlMs": time, "cacheScope": scope});
    let expected = json!({
        "tools": list(90_000, "private"),
        "resources": list(0, "private"),
        "resourceTemplates": list(60_000, "public"),
        "prompts": list(7_000, "public"),
    });
    assert_eq!(said, expected);
}

async fn u15_what_a_strategy_lists_of_tools_is_kept_no_longer_than_tools(setup: Setup) {
    let hints = json!({
        "tools": {"ttlMs": 3_000, "cacheScope": "private"},
        "resources": {"ttlMs": 9_000, "cacheScope": "public"},
        "prompts": {"ttlMs": 9_000, "cacheScope": "public"},
    });
    let bench = bench([("kit", hinted(&hints))]).await;
    let kept = async |path: &str| {
        let said = said(&bench, setup, path).await;
        ["resources", "prompts"].map(|list| (said[list]["ttlMs"].clone(), said[list]["cacheScope"].clone()))
    };
    let public = (json!(9_000), json!("public"));
    let resource = kept("/mcp/resource").await;
    assert_eq!(resource[0], (json!(3_000), json!("private")), "the descriptions of tools are a resource");
    assert_eq!(kept("/mcp/full").await, [public.clone(), public]);
}

async fn u15_a_list_that_depends_on_who_asks_stays_private(setup: Setup) {
    let admission = HeaderAdmission::default().knowing("ann", &["echo"]);
    let bench = Bench::start(playing(hinted(&hints())).admitting(admission)).await;
    let ann = Identity::default().known_as("ann").at("/mcp/full");
    for identity in [Identity::default(), ann] {
        let knows_all = identity.principal.is_none();
        let client = Client::connect_as(&bench, setup, identity).await;
        let tools = client.request("tools/list", json!({})).await.result();
        assert_eq!((&tools["cacheScope"], &tools["ttlMs"]), (&json!("private"), &json!(300_000)));
        // What is said of a whole list could name what does not exist for everyone.
        assert_eq!(tools.get("_meta").is_some(), knows_all);
        for method in ["resources/list", "prompts/list", "server/discover"] {
            let scope = client.request(method, json!({})).await.result()["cacheScope"].clone();
            assert!(knows_all || scope == "private", "{method}: {scope}");
        }
    }
}

async fn u15_hints_of_what_is_read_arrive_as_they_were_sent(setup: Setup) {
    let mut scenario = Scenario::odd();
    let result = json!({"contents": [], "ttlMs": 12_345, "cacheScope": "public"});
    scenario.on("resources/read kit://kept", result);
    let (_bench, client) = connect(playing(scenario), setup).await;
    let read = client.read("kit://kept").await.result();
    assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(12_345), &json!("public")));
}
cases!(full_http_stateless;
    u15_of_several_upstreams_the_smallest_time_holds_and_private_if_any_is,
    u15_what_a_strategy_lists_of_tools_is_kept_no_longer_than_tools,
    u15_a_list_that_depends_on_who_asks_stays_private,
    u15_hints_of_what_is_read_arrive_as_they_were_sent,
);
