//! O1: metrics, status, health and readiness.

use kit::{
    Scenario, Session,
    exchange::get,
    messages::stateless,
    process::{Process, until},
};
use serde_json::{Value, json};

use super::{counts, metrics, serve, start, status};
use crate::{
    UPSTREAM,
    command_line::{self, ODD, configured, over_http, played, program, rewrite, shown},
};

/// Calls of all kinds, under a strategy that refuses some.
fn worked() -> Process {
    let mut gateway = serve(&["--strategy", "resource"], &["ordinary"]);
    gateway.tools();
    gateway.call("echo", json!({"text": "s3cret-argument"}));
    gateway.request("resources/read", json!({"uri": "resource:///tool_descriptions?tools=echo"}));
    gateway.call("echo", json!({"text": "s3cret-argument"}));
    gateway.call("no-such-tool-anywhere", json!({}));
    gateway
}

#[test]
fn o1_metrics_count_calls_refusals_fetches_and_tokens_under_no_label_of_a_peer() {
    let gateway = worked();
    for line in [
        r#"mcp_disclosure_calls_total{outcome="ok",strategy="resource"} 1"#,
        r#"mcp_disclosure_calls_total{outcome="refused",strategy="resource"} 1"#,
        r#"mcp_disclosure_calls_total{outcome="unknown",strategy="resource"} 1"#,
        r#"mcp_disclosure_refusals_total{code="TOOL_DESCRIPTION_REQUIRED",strategy="resource"} 1"#,
        r#"mcp_disclosure_fetches_total{strategy="resource"} 1"#,
        r#"mcp_disclosure_sessions{strategy="resource"} 1"#,
        r#"mcp_disclosure_upstream_up{upstream="odd"} 1"#,
        r#"mcp_disclosure_upstream_tools{upstream="odd"} 2"#,
        r#"mcp_disclosure_call_duration_seconds_count{upstream="odd"} 1"#,
        r#"mcp_disclosure_upstream_calls_total{outcome="ok",upstream="odd"} 1"#,
    ] {
        counts(&gateway, line);
    }
    assert!(until(|| status(&gateway)["tokens_full"].as_u64() > Some(50)), "{}", status(&gateway));
    let status = status(&gateway);
    let expected = json!([{"name": "odd", "state": "ready", "tools": 2, "restarts": 0}]);
    assert_eq!(
        (&status["upstreams"], &status["calls"], &status["refusals"]),
        (&expected, &json!(3), &json!(1))
    );
    assert_eq!((&status["fetches"], &status["clients"]["resource"]), (&json!(1), &json!(1)));
    assert_eq!(status["upstream_calls"], json!({"odd": {"ok": 1}}));
    assert_eq!((&status["searches_missed"], &status["reload_failures"]), (&json!(0), &json!(0)));
    assert!(status.get("store").is_none(), "there is none");
    // No label is what a peer chose.
    let metrics = metrics(&gateway);
    for word in ["no-such-tool", "s3cret", "echo", "test\""] {
        assert!(!metrics.contains(word), "{word}:\n{metrics}");
    }
}

#[test]
fn o1_searches_that_miss_are_counted_and_logged_where_the_operator_wants() {
    for (setting, is_logged) in [("false", false), ("true", true)] {
        let set = format!("search.log_misses={setting}");
        let mut gateway = serve(&["--strategy", "search", "--set", &set], &["ordinary"]);
        gateway.call("search_tools", json!({"query": "echo"}));
        gateway.call("search_tools", json!({"query": "quantum\u{9b} zebras"}));
        counts(&gateway, r#"mcp_disclosure_searches_missed_total{strategy="search"} 1"#);
        let ended = gateway.finish();
        ended.says(0, &["tools searched"]);
        assert_eq!(ended.stderr.contains("zebras"), is_logged, "{}", ended.stderr);
        assert!(!ended.stderr.contains('\u{9b}'));
    }
}

#[test]
fn o1_tokens_are_counted_by_principal_and_files_that_are_refused() {
    let of = |name: &str| format!("[[principals]]\nname = {name:?}\ntools = [\"*\"]\n");
    let text = of("ann") + &of("bob");
    let (_directory, file) = configured(&text);
    let flags = ["--strategy", "full", "--config", shown(&file), "--principal", "ann"];
    let mut gateway = serve(&flags, &["ordinary"]);
    gateway.tools();
    let counted = |who: &str| {
        let begin = format!("mcp_disclosure_principal_tokens_full_total{{principal=\"{who}\"}} ");
        let metrics = metrics(&gateway);
        metrics.lines().find_map(|line| line.strip_prefix(&*begin)?.parse::<u64>().ok())
    };
    assert!(until(|| counted("principal:ann") > Some(50)), "{}", metrics(&gateway));
    assert_eq!((counted("principal:bob"), counted("other")), (None, Some(0)));
    rewrite(&file, &format!("{text}[oops]\n"));
    gateway.logged("not taken over, the old ones stay");
    counts(&gateway, "mcp_disclosure_reload_failures_total 1");
}

#[test]
fn o1_fetches_that_are_refused_are_counted_by_code() {
    let mut gateway = serve(&["--strategy", "resource", "--fetches-per-minute", "2"], &["ordinary"]);
    gateway.tools();
    for query in ["", "?tools=echo", "?tools=echo"] {
        gateway.request("resources/read", json!({"uri": format!("resource:///tool_descriptions{query}")}));
    }
    for code in ["MISSING_TOOL_SELECTION", "RATE_LIMITED"] {
        let line = format!(r#"mcp_disclosure_refusals_total{{code="{code}",strategy="resource"}} 1"#);
        counts(&gateway, &line);
    }
    let ended = gateway.finish();
    ended.says(0, &["fetch refused", "MISSING_TOOL_SELECTION", "RATE_LIMITED"]);
}

#[test]
fn p11_what_an_upstream_is_called_is_escaped_where_operators_read_it() {
    // As an upstream on the command line could call itself.
    let (directory, file) =
        configured("[upstreams.\"odd\\u009b\\u202E\\nforged 1\\U000E0041\"]\ncommand = \"ODD\"\n");
    let audit = directory.path().join("audit.jsonl");
    let flags = ["--admin", "127.0.0.1:0", "--audit", shown(&audit)];
    let mut gateway = command_line::serve(&file, &flags);
    gateway.call("echo", json!({"text": "x\u{9b}"}));
    gateway.call("none\u{9b}\u{202e}\n", json!({}));
    let get = |accept: &str, path: &str| {
        get(gateway.admin(), path, &format!("Host: localhost\r\nAccept: {accept}\r\n")).body
    };
    let read =
        [get("text/html", "/status"), get("application/json", "/status"), get("text/plain", "/metrics")];
    gateway.finish().says(0, &[]);
    for text in read.into_iter().chain([std::fs::read_to_string(&audit).unwrap()]) {
        assert!(text.contains("odd") && text.contains("u009b"), "{text}");
        for line in text.split('\n') {
            assert!(!line.contains(mcp_disclosure_core::printable::is_active), "{line:?}");
            assert!(!line.starts_with("forged"), "{line:?}");
        }
    }
}

#[test]
fn o1_calls_whose_arguments_are_not_judged_are_counted() {
    let properties =
        json!({"a": {"type": "integer", "description": "Too long to be listed with the tool. ".repeat(9)}});
    let schema = json!({"type": "object", "properties": properties, "unevaluatedProperties": false});
    let tool = json!({"name": "t", "description": "Does it.", "inputSchema": schema}).to_string();
    let (_directory, scenario) = played(&Scenario::with_tools([tool]));
    let flags = ["--admin", "127.0.0.1:0", "--strategy", "describe", "--", UPSTREAM, &scenario];
    let mut gateway = command_line::opened(&[&["serve"], &flags[..]].concat());
    gateway.tools();
    gateway.call("t", json!({"a": 1}));
    gateway.call("t", json!({"a": "x"}));
    counts(&gateway, r#"mcp_disclosure_arguments_not_judged_total{strategy="describe"} 1"#);
    counts(&gateway, r#"mcp_disclosure_refusals_total{code="INVALID_ARGUMENTS",strategy="describe"} 1"#);
}

/// A list, or a part of it, costs what its tools cost.
#[test]
fn o1_filtered_lists_are_counted_by_the_tools_that_they_have() {
    let totals = |gateway: &Process| {
        let status = status(gateway);
        [&status["tokens_listed"], &status["tokens_full"]].map(|value| value.as_u64().unwrap())
    };
    let filtered = |gateway: &mut Process, pattern: &str| {
        let before = totals(gateway);
        gateway.request("tools/list", json!({"filter": {"namePatterns": [pattern]}}));
        assert!(pattern == "none" || until(|| totals(gateway)[0] > before[0]), "{:?}", metrics(gateway));
        let after = totals(gateway);
        [after[0] - before[0], after[1] - before[1]]
    };
    let mut gateway = serve(&["--strategy", "full"], &["ordinary"]);
    let [one, other, all] = ["echo", "wait", "*"].map(|pattern| filtered(&mut gateway, pattern));
    assert_eq!((one[0] + other[0], one[0]), (all[0], one[1]));
    assert_eq!((filtered(&mut gateway, "none"), filtered(&mut gateway, "echo")), ([0, 0], one));
    let before = totals(&gateway);
    gateway.tools();
    assert!(until(|| totals(&gateway) != before));
    assert_eq!(totals(&gateway)[0] - before[0], all[0]);
    // What is withheld is in the complete list only.
    let mut gateway = serve(&["--strategy", "resource"], &["ordinary"]);
    let echo = filtered(&mut gateway, "echo");
    assert!(echo[1] == one[1] && echo[0] != one[0], "{echo:?} {one:?}");
    counts(&gateway, "mcp_disclosure_lists_uncounted_total 0");
}

#[test]
fn o1_the_page_is_for_browsers_and_may_load_nothing() {
    let gateway = worked();
    let page =
        get(gateway.admin(), "/status", "Host: localhost\r\nAccept: text/html,application/json;q=0.9\r\n");
    assert!(page.status == 200 && page.head.contains("content-type: text/html"), "{page:?}");
    for expected in ["http-equiv=\"refresh\"", "odd", "resource", "ready", "name=\"viewport\""] {
        assert!(page.body.contains(expected), "{expected}: {}", page.body);
    }
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
}

#[test]
fn o1_ready_as_long_as_one_upstream_serves() {
    let dead = "[serve]\nadmin = \"127.0.0.1:0\"\n[upstreams.dead]\ncommand = \"ODD\"\nargs = [\"exits\"]\n";
    let (_directory, file) = configured(dead);
    let ready = |gateway: &Process| get(gateway.admin(), "/readyz", "Host: localhost\r\n");
    let none = command_line::start(&["serve", "--config", shown(&file)]);
    none.logged("upstream failed");
    let page = ready(&none);
    assert_eq!((page.status, &page.json()["ready"]), (503, &json!(false)));
    let waited_for = &page.json()["not_ready"][0];
    assert_eq!((&waited_for["name"], &waited_for["tools"]), (&json!("dead"), &json!(0)));
    assert!(waited_for["error"].as_str().unwrap().contains("exit status: 7"), "{waited_for}");
    assert_eq!(get(none.admin(), "/healthz", "Host: localhost\r\n").status, 200);
    drop(none);
    rewrite(&file, &format!("{dead}[upstreams.odd]\ncommand = \"ODD\"\n"));
    let mut some = command_line::start(&["serve", "--config", shown(&file)]);
    // Over stdio, upstreams wait for the client.
    some.initialize();
    assert!(until(|| ready(&some).status == 200));
    assert_eq!(ready(&some).json()["not_ready"][0]["name"], "dead");
}

/// What operators are answered about an upstream of a command line that is not up.
#[track_caller]
fn answers_before_its_upstream(gateway: &Process, headers: &str) {
    let page = |path: &str| get(gateway.admin(), path, headers);
    assert!(until(|| page("/readyz").json()["not_ready"][0].is_object()));
    let (health, ready) = (page("/healthz"), page("/readyz"));
    assert_eq!((health.status, ready.status, &ready.json()["ready"]), (200, 503, &json!(false)));
    let upstream = &ready.json()["not_ready"][0];
    assert_eq!((&upstream["name"], &upstream["state"]), (&json!(ODD), &json!("starting")), "{upstream}");
    let up = format!("mcp_disclosure_upstream_up{{upstream={ODD:?}}} 0");
    let metrics = page("/metrics").body;
    assert!(metrics.contains(&up) && metrics.contains("mcp_disclosure_build_info"), "{metrics}");
    assert!(page("/status").body.contains(ODD));
}

#[test]
fn o1_operators_are_answered_before_the_one_upstream_of_a_command_line_is_up() {
    let http = ["--transport", "http", "--listen", "127.0.0.1:0"];
    answers_before_its_upstream(&start(&http, &["silent"]), "Host: localhost\r\n");
    // Over stdio it waits for the client.
    let mut gateway = start(&[], &["ordinary"]);
    answers_before_its_upstream(&gateway, "Host: localhost\r\n");
    gateway.initialize();
    assert_eq!(get(gateway.admin(), "/readyz", "Host: localhost\r\n").status, 200);
    assert_eq!(status(&gateway)["upstreams"][0]["name"], "odd");
    assert!(!metrics(&gateway).contains("odd-upstream"));
    gateway.finish().says(0, &[]);
    // Nor is anyone else answered then than later.
    let (_directory, file) =
        configured("[auth]\ntokens = [{ name = \"operator\", env = \"OPERATOR_TOKEN\" }]\n");
    let flags = ["serve", "--config", shown(&file), "--admin", "0.0.0.0:0"];
    let mut command = program(&[&flags, &http[..], &["--", ODD, "silent"]].concat());
    let gateway = Process::start(command.env("OPERATOR_TOKEN", "a-token-of-more-than-32-characters-0123"));
    let bearer = "Host: localhost\r\nAuthorization: Bearer a-token-of-more-than-32-characters-0123\r\n";
    assert_eq!(get(gateway.admin(), "/readyz", "Host: localhost\r\n").status, 401);
    answers_before_its_upstream(&gateway, bearer);
}

#[test]
fn o1_hosts_and_origins_are_checked_p15() {
    let gateway = serve(&[], &["ordinary"]);
    for path in ["/healthz", "/readyz", "/metrics", "/status"] {
        let status = |headers: &str| get(gateway.admin(), path, headers).status;
        assert_eq!(status("Host: localhost\r\n"), 200, "{path}");
        assert_eq!(status("Host: evil.example\r\n"), 403, "{path}");
        assert_eq!(status("Host: localhost\r\nOrigin: https://evil.example\r\n"), 403, "{path}");
        assert_eq!(status("Host: localhost\r\nHost: localhost\r\n"), 400, "{path}");
        assert_eq!(status(""), 403, "{path}");
    }
    assert_eq!(get(gateway.admin(), "/mcp", "Host: localhost\r\n").status, 404);
}

#[test]
fn o1_sessions_and_restarts_are_those_of_the_moment() {
    let gateway = over_http(&["--admin", "127.0.0.1:0", "--", ODD, "dies-on-call"]);
    let sessions = [(); 3].map(|()| Session::open(gateway.address()));
    counts(&gateway, r#"mcp_disclosure_sessions{strategy="adaptive"} 3"#);
    assert_eq!(sessions[0].call("echo", json!({}))["error"]["code"], -32000);
    counts(&gateway, r#"mcp_disclosure_calls_total{outcome="failed",strategy="adaptive"} 1"#);
    counts(&gateway, r#"mcp_disclosure_upstream_restarts_total{upstream="odd"} 1"#);
    let upstreams: Value = status(&gateway)["upstreams"].clone();
    assert_eq!((&upstreams[0]["restarts"], &upstreams[0]["state"]), (&json!(1), &json!("ready")));
}

#[test]
fn o1_beyond_loopback_only_principals_that_see_everything_are_answered() {
    let (_directory, file) = configured(
        r#"
[upstreams.odd]
command = "ODD"
[auth]
tokens = [{ name = "all", env = "ALL" }, { name = "few", env = "FEW" }, { name = "stranger", env = "STRANGER" }]
[[principals]]
name = "all"
token = "all"
limits = { calls_per_minute = 60 }
[[principals]]
name = "few"
token = "few"
tools = ["odd/echo"]
"#,
    );
    let mut command = program(&["serve", "--transport", "http", "--listen", "127.0.0.1:0"]);
    let token = |name: &str| format!("{name}-token-of-more-than-32-characters-0123");
    command.args(["--admin", "0.0.0.0:0", "--config", shown(&file)]);
    command.envs([("ALL", token("all")), ("FEW", token("few")), ("STRANGER", token("stranger"))]);
    let gateway = Process::start(&mut command);
    let page = |name: &str, path: &str| {
        get(gateway.admin(), path, &format!("Host: localhost\r\nAuthorization: Bearer {}\r\n", token(name)))
    };
    assert!(until(|| page("all", "/readyz").status == 200));
    for path in ["/healthz", "/readyz", "/metrics", "/status", "/nowhere"] {
        for name in ["few", "stranger"] {
            let page = page(name, path);
            assert!(page.status == 403 && !page.body.contains("odd"), "{name} {path}: {page:?}");
        }
        let anonymous = get(gateway.admin(), path, "Host: localhost\r\n");
        assert!(anonymous.status == 401 && !anonymous.body.contains("odd"), "{path}: {anonymous:?}");
    }
    assert_eq!(page("all", "/status").status, 200);
}

#[test]
fn o1_what_delivers_descriptions_is_a_fetch_over_every_channel() {
    let mut gateway = serve(&["--strategy", "groups"], &["ordinary"]);
    gateway.call("get_group", json!({}));
    gateway.call("get_group", json!({"name": "none"}));
    counts(&gateway, r#"mcp_disclosure_fetches_total{strategy="groups"} 0"#);
    gateway.call("get_group", json!({"name": "odd"}));
    gateway.call("get_group", json!({"name": "echo"}));
    counts(&gateway, r#"mcp_disclosure_fetches_total{strategy="groups"} 2"#);
    let mut gateway = serve(&["--strategy", "full"], &["ordinary"]);
    gateway.request("tools/describe", json!({"names": ["none"]}));
    gateway.request("tools/describe", json!({"names": ["echo"]}));
    counts(&gateway, r#"mcp_disclosure_fetches_total{strategy="full"} 1"#);
}

/// The strategy of a request is the one that it names, and one that cannot be chosen is counted in both eras.
#[test]
fn o1_calls_of_variants_are_counted_under_the_variant() {
    let mut gateway = serve(&[], &["ordinary"]);
    let call = |variant: &str, mut meta: Value| {
        meta["io.modelcontextprotocol/server-variant"] = json!(variant);
        json!({"name": "echo", "arguments": {"text": "x"}, "_meta": meta})
    };
    let calls = |gateway: &Process, strategy: &str, outcome: &str, count: usize| {
        counts(
            gateway,
            &format!(r#"mcp_disclosure_calls_total{{outcome="{outcome}",strategy="{strategy}"}} {count}"#),
        );
    };
    gateway.request("tools/call", call("resource", json!({})));
    calls(&gateway, "resource", "refused", 1);
    gateway.request("tools/call", call("none", json!({})));
    calls(&gateway, "adaptive", "invalid", 1);
    let stateless = stateless(json!({}));
    let answer = gateway.request("tools/call", call("none", stateless.clone()));
    assert_eq!(answer["error"]["data"]["requestedVariant"], "none");
    calls(&gateway, "adaptive", "invalid", 2);
    gateway.request("tools/call", call("resource", stateless));
    calls(&gateway, "resource", "refused", 2);
}

#[test]
fn o1_requests_that_are_refused_are_counted_and_logged_once() {
    let (folder, config) = configured("[auth]\ntokens = [{ name = \"ci\", file = \"FOLDER/ci.token\" }]\n");
    std::fs::write(folder.path().join("ci.token"), "the-long-secret-token-of-ci").unwrap();
    let gateway = over_http(&["--admin", "127.0.0.1:0", "--config", shown(&config), "--", ODD]);
    let address = gateway.address();
    counts(&gateway, "mcp_disclosure_http_connections_limit 1000");
    let status = |headers: &str| get(address, "/mcp", headers).status;
    for _ in 0..3 {
        assert_eq!(status("Host: localhost\r\nAuthorization: Bearer s3cret-guess\r\n"), 401);
    }
    assert_eq!(status("Host: evil.example\r\n"), 403);
    // It is admitted, and no request of MCP.
    assert_eq!(status("Host: localhost\r\nAuthorization: Bearer the-long-secret-token-of-ci\r\n"), 405);
    for line in ["401\"} 3", "403\"} 1", "405\"} 1"] {
        counts(&gateway, &format!("mcp_disclosure_http_refusals_total{{status=\"{line}"));
    }
    gateway.terminate();
    let ended = gateway.finish();
    let logged = |text: &str| ended.stderr.lines().filter(|line| line.contains(text)).count();
    // That there is nothing to see here is no refusal to warn of.
    assert_eq!((logged("requests refused"), logged("status=401")), (2, 1), "{}", ended.stderr);
    assert_eq!((logged("the Host header does not name"), logged("s3cret-guess")), (1, 0));
}
