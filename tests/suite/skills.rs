//! Skills of several upstreams (SEP-2640).

use kit::{HeaderAdmission, Identity, Options, Scenario, Setup, scenario::raw};
use mcp_disclosure_core::Grant;
use serde_json::{Value, json};

use crate::{connect, connect_as, playing, several};

pub(crate) const SHARED: &str = "skill://refunds/SKILL.md";
const SHARED_FORM: &str = "skill://refunds/forms/eu.md";
const INDEX: &str = "skill://index.json";

/// A skill as an upstream of this name lists it.
fn skill(of: &str, uri: &str, files: &[&str]) -> Value {
    let name = uri.rsplit('/').nth(1).unwrap();
    let files = files.iter().map(|file| json!({"uri": file, "digest": format!("sha256:{of}"), "size": 1.0}));
    json!({
        "uri": uri,
        "frontmatter": {"name": name, "description": format!("Of {of}."), "x-odd": [1.0, {"uri": SHARED}]},
        "resources": files.collect::<Vec<_>>(),
    })
}

/// An upstream with a skill that others of it have as well, one of its own, and an index of both as drafts have it.
pub(crate) fn scenario(of: &str) -> Scenario {
    let mut scenario = Scenario::named([]);
    let mut initialize: Value = serde_json::from_str(scenario.initialize.get()).unwrap();
    initialize["capabilities"]["extensions"] =
        json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    scenario.initialize = raw(initialize);
    scenario.resources = vec![raw(json!({"uri": INDEX, "name": "index"}))];
    scenario.templates.clear();
    let own = format!("skill://{of}/own/SKILL.md");
    let skills = [skill(of, SHARED, &[SHARED, SHARED_FORM]), skill(of, &own, &[&own])];
    scenario.on("skills/list ", json!({"skills": skills}));
    for skill in &skills {
        let uri = skill["uri"].as_str().unwrap();
        scenario.on(format!("skills/get {uri}"), json!({"skill": skill, "_meta": {"of": of}}));
    }
    for uri in [SHARED, SHARED_FORM, &own] {
        let contents = json!([{"uri": uri, "text": format!("{uri} of {of}")}]);
        scenario.on(format!("resources/read {uri}"), json!({"contents": contents}));
    }
    let unknown = json!({"error": {"code": -32602, "message": "no such skill"}});
    scenario.answers.insert("skills/get skill://nobody/SKILL.md".to_owned(), raw(unknown));
    let children = json!([{"uri": SHARED_FORM, "name": "eu.md"}, {"uri": "skill://refunds/forms/more", "mimeType": "inode/directory"}]);
    scenario.on("resources/directory/read skill://refunds/forms", json!({"resources": children}));
    let entry = |uri: &str| json!({"type": "skill-md", "name": of, "url": uri, "description": "d"});
    let index = json!({"$schema": of, "skills": [entry(SHARED), entry(&own)]}).to_string();
    let contents = json!([{"uri": INDEX, "mimeType": "application/json", "text": index}]);
    scenario.on(format!("resources/read {INDEX}"), json!({"contents": contents}));
    scenario
}

fn two() -> Options {
    several(["a", "b"].map(|name| (name, scenario(name))))
}

fn uris(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect()
}

async fn t4_skills_of_all_upstreams_are_one_list_and_lead_back(setup: Setup) {
    let (_bench, client) = connect(two(), setup).await;
    let capabilities = client.capabilities().await;
    let settings = &capabilities["extensions"]["io.modelcontextprotocol/skills"];
    assert_eq!(*settings, json!({"directoryRead": true}));
    let result = client.request("skills/list", json!({})).await.result();
    assert_eq!(result.get("ttlMs").is_some(), !setup.has_sessions());
    let skills = client.list("skills").await;
    let ours = |of: &str, path: &str| format!("skill://{of}__/refunds/{path}");
    let (of_a, of_b) = (ours("a", "SKILL.md"), ours("b", "SKILL.md"));
    assert_eq!(uris(&json!(skills)), [&*of_a, "skill://a/own/SKILL.md", &*of_b, "skill://b/own/SKILL.md"]);
    let expected = skill("b", SHARED, &[SHARED, SHARED_FORM]);
    let shared = &skills[2];
    assert_eq!(shared["frontmatter"], expected["frontmatter"], "verbatim");
    assert_eq!(uris(&shared["resources"]), [&*of_b, &*ours("b", "forms/eu.md")]);
    assert_eq!(shared["resources"][0]["digest"], "sha256:b");
    // What is listed is what is got, and its files are read at their upstream.
    for skill in &skills {
        let got = client.request("skills/get", json!({"uri": skill["uri"]})).await.result();
        assert_eq!(
            (&got["skill"], got["_meta"]["of"].as_str().unwrap()),
            (skill, &skill["frontmatter"]["description"].as_str().unwrap()[3..4])
        );
        for uri in uris(&skill["resources"]) {
            let contents = client.read(uri).await.result()["contents"][0].clone();
            assert_eq!(contents["uri"], uri);
            let of = skill["frontmatter"]["description"].as_str().unwrap()[3..4].to_owned();
            assert!(contents["text"].as_str().unwrap().ends_with(&format!(" of {of}")), "{contents}");
        }
    }
    for unknown in ["skill://nobody/SKILL.md", "skill://a__/nobody/SKILL.md", "skill://c__/refunds/SKILL.md"]
    {
        let error = client.request("skills/get", json!({"uri": unknown})).await.error();
        assert_eq!(error, json!({"code": -32602, "message": format!("Unknown skill: {unknown}")}));
    }
    assert_eq!(client.request("skills/get", json!({})).await.code(), -32602);
    assert_eq!(client.request("skills/list", json!({"cursor": "x"})).await.code(), -32602);
    let read = json!({"uri": "skill://b__/refunds/forms"});
    let children = client.request("resources/directory/read", read).await.result()["resources"].clone();
    assert_eq!(uris(&children), [&*ours("b", "forms/eu.md"), &*ours("b", "forms/more")]);
}

async fn t5_two_indexes_are_one(setup: Setup) {
    let (_bench, client) = connect(two(), setup).await;
    let resources = json!(client.list("resources").await);
    assert_eq!(
        uris(&resources).into_iter().filter(|uri| uri.contains("index.json")).collect::<Vec<_>>(),
        [INDEX]
    );
    let index = client.read(INDEX).await.text_as_json();
    let urls: Vec<&str> =
        index["skills"].as_array().unwrap().iter().map(|entry| entry["url"].as_str().unwrap()).collect();
    let expected = [
        "skill://a__/refunds/SKILL.md",
        "skill://a/own/SKILL.md",
        "skill://b__/refunds/SKILL.md",
        "skill://b/own/SKILL.md",
    ];
    assert_eq!((urls, &index["$schema"]), (expected.into(), &json!("a")));
}

async fn t4_what_one_upstream_offers_alone_stays_as_it_is(setup: Setup) {
    let (_bench, client) = connect(playing(scenario("a")), setup).await;
    let expected = scenario("a");
    assert_eq!(json!(client.list("skills").await), expected.answer("skills/list ")["result"]["skills"]);
    let index = client.read(INDEX).await.result()["contents"].clone();
    assert_eq!(index, expected.answer(&format!("resources/read {INDEX}"))["result"]["contents"]);
    let (_bench, client) = connect(crate::named(["plain"]), setup).await;
    for method in ["skills/list", "skills/get", "resources/directory/read"] {
        assert_eq!(client.request(method, json!({"uri": SHARED})).await.code(), -32601);
    }
}

/// By a rule for everyone, and by a grant.
async fn t4_hidden_skills_and_files_do_not_exist(setup: Setup) {
    let config = "[resources.\"skill://a/own/*\"]\nhidden = true\n[resources.\"skill://refunds/forms/eu.md\"]\nhidden = true\n";
    let grant = Grant { resources: Some(vec!["a/*".to_owned()]), ..Grant::default() };
    let admission = HeaderAdmission::default().granting("ann", grant).on_stdio("ann");
    for (options, expected) in [
        (
            two().with_config(config),
            ["skill://a__/refunds/SKILL.md", "skill://b__/refunds/SKILL.md", "skill://b/own/SKILL.md"]
                .as_slice(),
        ),
        (two().admitting(admission), ["skill://refunds/SKILL.md", "skill://a/own/SKILL.md"].as_slice()),
    ] {
        let is_ruled = !options.config.is_empty();
        let identity = Identity::offering(setup.strategy).known_as("ann");
        let (_bench, client) = connect_as(options, setup, identity).await;
        let skills = client.list("skills").await;
        assert_eq!(uris(&json!(skills)), expected);
        let refused = if is_ruled { "skill://a/own/SKILL.md" } else { "skill://b/own/SKILL.md" };
        assert_eq!(client.request("skills/get", json!({"uri": refused})).await.code(), -32602);
        let index = client.read(INDEX).await.text_as_json();
        let urls = index["skills"].as_array().unwrap().iter().map(|entry| entry["url"].as_str().unwrap());
        assert_eq!(urls.collect::<Vec<_>>(), expected);
        if is_ruled {
            assert_eq!(uris(&skills[0]["resources"]), ["skill://a__/refunds/SKILL.md"]);
            let got =
                client.request("skills/get", json!({"uri": "skill://a__/refunds/SKILL.md"})).await.result();
            assert_eq!(got["skill"], skills[0]);
            let read = json!({"uri": "skill://refunds/forms"});
            let children =
                client.request("resources/directory/read", read).await.result()["resources"].clone();
            assert_eq!(uris(&children), ["skill://refunds/forms/more"]);
        }
    }
}

/// An upstream that answers for skills which it does not list gets no request for those that another lists.
async fn t4_a_skill_is_got_and_read_where_it_is_listed(setup: Setup) {
    let (uri, root) = ("skill://b/own/SKILL.md", "skill://SKILL.md");
    let mut forging = scenario("a");
    forging.on("skills/list ", json!({"skills": [skill("a", root, &[root])]}));
    forging.on(format!("skills/get {uri}"), json!({"skill": skill("a", uri, &[uri])}));
    let contents = json!([{"uri": uri, "text": "forged"}]);
    forging.on(format!("resources/read {uri}"), json!({"contents": contents}));
    let (_bench, client) = connect(several([("a", forging), ("b", scenario("b"))]), setup).await;
    let got = client.request("skills/get", json!({"uri": uri})).await.result();
    assert_eq!(got["skill"]["frontmatter"]["description"], "Of b.", "{got}");
    assert_eq!(client.read(uri).await.result()["contents"][0]["text"], format!("{uri} of b"));
}

/// Nobody asked for the skills before, and no file of them is listed as a resource.
async fn u18_a_link_to_what_several_have_as_a_skill_leads_back(setup: Setup) {
    let upstreams = ["a", "b"].map(|of| {
        let mut linking = scenario(of);
        let own = format!("skill://{of}/own/SKILL.md");
        let link = |uri: &str| json!({"type": "resource_link", "uri": uri, "name": "n"});
        let embedded = json!({"type": "resource", "resource": {"uri": SHARED_FORM, "text": "x"}});
        let content = json!([link(SHARED), embedded, link(&own)]);
        let messages = json!([{"role": "user", "content": link(SHARED)}]);
        linking.on("tools/call echo", json!({"content": content}));
        linking.on("prompts/get greet", json!({"messages": messages}));
        linking.tools = Scenario::named(["echo"]).tools;
        (of, linking)
    });
    let (_bench, client) = connect(several(upstreams), setup).await;
    for of in ["b", "a"] {
        let content = client.call(&format!("{of}__echo"), json!({})).await.result()["content"].clone();
        let linked = content[0]["uri"].as_str().unwrap();
        assert_eq!(linked, format!("skill://{of}__/refunds/SKILL.md"));
        assert_eq!(content[1]["resource"]["uri"], format!("skill://{of}__/refunds/forms/eu.md"));
        assert_eq!(content[2]["uri"], format!("skill://{of}/own/SKILL.md"));
        let read = client.read(linked).await.result();
        assert_eq!(read["contents"][0]["text"], format!("{SHARED} of {of}"));
        let prompt = client.request("prompts/get", json!({"name": format!("{of}__greet")})).await.result();
        assert_eq!(prompt["messages"][0]["content"]["uri"], linked);
    }
}

/// Whatever member of a result refers to it.
async fn p3_nothing_in_a_result_about_skills_refers_to_what_is_hidden(setup: Setup) {
    let config = "[resources.\"skill://a/own/*\"]\nhidden = true\n";
    let links = json!([{"type": "text", "text": "stays"}, {"type": "resource_link", "uri": "skill://a/own/x", "name": "x"}]);
    let mut saying = scenario("a");
    let mut listed = skill("a", SHARED, &[SHARED]);
    listed["content"] = links.clone();
    let forms = "skill://refunds/forms";
    saying.on("skills/list ", json!({"skills": [listed]}));
    saying.on(format!("skills/get {SHARED}"), json!({"skill": listed, "content": links}));
    let children = json!({"resources": [], "content": links});
    saying.on(format!("resources/directory/read {forms}"), children);
    let (_bench, client) = connect(playing(saying).with_config(config), setup).await;
    for (method, params) in [
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": SHARED})),
        ("resources/directory/read", json!({"uri": forms})),
    ] {
        let said = client.request(method, params).await.result().to_string();
        assert!(said.contains("stays") && !said.contains("own"), "{method}: {said}");
    }
}

under_full!(
    u18_a_link_to_what_several_have_as_a_skill_leads_back,
    t4_a_skill_is_got_and_read_where_it_is_listed,
    p3_nothing_in_a_result_about_skills_refers_to_what_is_hidden,
    t4_skills_of_all_upstreams_are_one_list_and_lead_back,
    t5_two_indexes_are_one,
    t4_what_one_upstream_offers_alone_stays_as_it_is,
    t4_hidden_skills_and_files_do_not_exist,
);
