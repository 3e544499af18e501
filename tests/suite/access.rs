//! Who may come in, and what exists for whom, as a file says it (docs/CONTRACT.md A1 to A5).

mod forwarding;
mod quotas;

use std::fs;

use kit::{Bench, Client, Identity, Options, Scenario, Setup, Transport, process::Process, setup::Era};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    command_line::{self, configured, over_http, shown, start},
    hostile::socket::{self, Socket},
    named,
};

pub(crate) const ANN: &str = "the-secret-token-of-ann";
pub(crate) const BOB: &str = "the-secret-token-of-bob";

/// A file in which two callers have tokens.
pub(crate) fn guarded(rest: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut tokens = String::new();
    for (name, token) in [("ann", ANN), ("bob", BOB)] {
        let path = folder.path().join(name);
        fs::write(&path, token).unwrap();
        tokens.push_str(&format!("{{ name = {name:?}, file = {:?} }},", path.display().to_string()));
    }
    (folder, format!("[auth]\ntokens = [{tokens}]\n{rest}"))
}

/// Someone with a token.
async fn with_token(bench: &Bench, token: &'static str) -> Client {
    Client::connect_as(bench, SETUP, Identity::default().bearing(token)).await
}

/// The program over HTTP, which says that it listens, and ends.
fn serves(served: Process) {
    served.logged("listening on");
    served.terminate();
    served.finish().says(0, &[]);
}

const SETUP: Setup = Setup { strategy: "full", transport: Transport::Http, era: Era::Session };

const TWO: &str = r#"
[[principals]]
name = "Ann"
token = "ann"
tools = ["kit/a*"]

[[principals]]
name = "Bob"
token = "bob"
tools = ["kit/b"]
strategies = ["full", "info"]
"#;

#[test]
fn a3_check_and_compare_show_what_one_principal_sees_and_pays() {
    let (_folder, file) = configured(
        "[upstreams.odd]\ncommand = \"ODD\"\n[[principals]]\nname = \"ann\"\ntools = [\"odd/echo\"]\n",
    );
    let run = |command: &[&str]| start(&[command, &["--config", shown(&file)]].concat()).finish();
    let seen = run(&["check", "--principal", "ann"]);
    assert!(seen.stdout.contains("principal 'ann' sees 1 of 2 tools"), "{seen:?}");
    let report = |more: &[&str]| {
        let ended = run(&[&["compare", "--strategies", "full", "--format", "json"], more].concat());
        ended.json().to_string()
    };
    let of_ann = report(&["--principal", "ann"]);
    assert!(!of_ann.contains("\"wait\"") && report(&[]).contains("wait"));
    assert!(of_ann.contains(" --principal ann\""), "the command serves who was compared for: {of_ann}");
    for command in ["check", "compare"] {
        let ended = run(&[command, "--principal", "ane"]);
        ended.says(64, &[]);
        let said = ended.stdout.clone() + &ended.stderr;
        let expected = "--principal: there is no 'ane' in [[principals]]";
        assert!(said.contains(expected) && said.contains("did you mean 'ann'?"), "{said}");
    }
}

#[tokio::test]
async fn a2_without_a_token_nothing_is_served_but_where_to_get_one() {
    let (_tokens, config) = guarded("");
    let bench = Bench::start(Options { config, ..named(["a"]) }).await;
    let ask = async |method: &str, path: &str, headers: &[(&str, &str)]| {
        let mut headers = kit::http::headers(headers);
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        let mut answer = kit::http::send(bench.address, method, path, &headers, b"{").await.unwrap();
        let challenge = answer.header("www-authenticate").unwrap_or_default().to_owned();
        (answer.status, challenge, answer.rest().await.unwrap())
    };
    for (method, path) in [
        ("POST", "/mcp"),
        ("GET", "/mcp"),
        ("DELETE", "/mcp/info"),
        ("POST", "/mcp/no-such-strategy"),
        ("POST", "/mcp/@no-such-profile"),
        ("GET", "/"),
        ("GET", "/elsewhere"),
    ] {
        let query = format!("{path}?access_token={ANN}");
        for path in [path, &query] {
            let (status, challenge, _) = ask(method, path, &[]).await;
            let metadata = format!("http://{}/.well-known/oauth-protected-resource/mcp", bench.address);
            assert_eq!(
                (status, challenge),
                (401, format!("Bearer resource_metadata=\"{metadata}\"")),
                "{path}"
            );
        }
    }
    let wrong = ask("POST", "/mcp", &[("authorization", "Bearer x")]).await;
    assert!(wrong.0 == 401 && wrong.1.contains("error=\"invalid_token\""), "{wrong:?}");
    // The token is looked at before the body.
    let right = ask("POST", "/mcp", &[("authorization", &format!("Bearer {ANN}"))]).await;
    assert_eq!(right.0, 400, "{right:?}");
    for path in ["", "/mcp", "/mcp/info"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let (status, _, body) = ask("GET", &path, &[("origin", "http://localhost:3000")]).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["resource"]), (200, &json!(format!("http://{}/mcp", bench.address))));
    }
    let preflight = [("origin", "http://localhost:3000"), ("access-control-request-method", "POST")];
    assert_eq!(ask("OPTIONS", "/mcp", &preflight).await.0, 204);
}

#[tokio::test]
async fn a3_each_caller_has_the_tools_and_strategies_of_its_entry() {
    let (_tokens, config) = guarded(TWO);
    let bench = Bench::start(Options { config, ..named(["a", "ab", "b"]) }).await;
    for era in [Era::Session, Era::Stateless] {
        let setup = Setup { era, ..SETUP };
        let ann = Client::connect_as(&bench, setup, Identity::default().bearing(ANN)).await;
        assert_eq!(ann.tool_names().await, ["a", "ab"]);
        let bob = Client::connect_as(&bench, setup, Identity::default().bearing(BOB)).await;
        assert_eq!(bob.tool_names().await, ["b"]);
        bob.call("b", json!({})).await.result();
        assert_eq!(bob.call("a", json!({})).await.error()["message"], "Unknown tool: a");
        // What may not serve Bob is passed over, and is no address.
        let asked = Client::connect_as(&bench, setup, Identity::offering("describe").bearing(BOB)).await;
        assert_eq!(asked.tool_names().await, ["b"]);
        let there = Identity::default().bearing(BOB).at("/mcp/describe");
        let refused = Client::attach(&bench, setup, there).request("tools/list", json!({})).await;
        assert_eq!(refused.status, Some(404));
        assert!(
            refused.error()["message"]
                .as_str()
                .unwrap()
                .ends_with("here; leave it out, or name one of: full, info")
        );
        let info = Client::connect_as(&bench, setup, Identity::default().bearing(BOB).at("/mcp/info")).await;
        assert!(info.tool_names().await.contains(&"info".to_owned()));
    }
}

#[tokio::test]
async fn a3_what_is_permitted_serves_where_the_fallback_may_not() {
    for (strategies, identity, listed) in [
        (r#"["describe"]"#, Identity::default(), &["a", "describe_tools"][..]),
        // A client that discloses by itself is listed everything where the strategy gives way to `full`, unless that may not
        // serve it.
        (r#"["describe"]"#, Identity::offering("full").disclosing(), &["a", "describe_tools"]),
        // The fallback selects between the two, and the list is short; it has a name of its own, which no entry gives.
        (r#"["search", "full"]"#, Identity::default(), &["a"]),
    ] {
        let ann = format!("[[principals]]\nname = \"Ann\"\ntoken = \"ann\"\nstrategies = {strategies}\n");
        let (_tokens, config) = guarded(&ann);
        let bench = Bench::start(Options { config, ..named(["a"]) }).await;
        for era in [Era::Session, Era::Stateless] {
            let setup = Setup { era, ..SETUP };
            let ann = Client::connect_as(&bench, setup, identity.clone().bearing(ANN)).await;
            // Its session goes on, too.
            for _ in 0..2 {
                assert_eq!(ann.tool_names().await, listed, "{strategies}");
            }
            ann.call("a", json!({})).await.result();
        }
        // None matches Bob, who may come in and use nothing.
        let bob = with_token(&bench, BOB).await;
        assert_eq!(bob.tool_names().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a3_a_reload_narrows_open_sessions_at_once_and_says_so() {
    let (_tokens, config) = guarded(TWO);
    let bench = Bench::start(Options { config: config.clone(), ..named(["a", "ab", "b"]) }).await;
    let ann = with_token(&bench, ANN).await;
    ann.open_stream().await;
    assert_eq!(ann.tool_names().await, ["a", "ab"]);
    bench.write(&config.replace("kit/a*", "kit/ab"));
    bench.reloads.reload(false).await.unwrap();
    ann.notification("notifications/tools/list_changed").await;
    assert_eq!(ann.tool_names().await, ["ab"]);
    assert_eq!(ann.call("a", json!({})).await.error()["message"], "Unknown tool: a");
    // What protects is not lost by accident (P4), nor replaced by what cannot hold.
    for wrong in [
        "",
        &config[..config.find("[[principals]]").unwrap()],
        &config.replace("token = \"bob\"", "token = \"bobb\""),
        &config.replace("\"full\", \"info\"", "\"inf\""),
        &config.replace("kit/a*", "a*"),
    ] {
        bench.write(wrong);
        let problems = bench.reloads.reload(false).await.unwrap_err();
        assert!(!problems.is_empty());
        assert_eq!(ann.tool_names().await, ["ab"], "{problems:?}");
    }
}

#[tokio::test]
async fn a3_what_an_upstream_says_of_itself_is_for_all_who_may_use_some_of_it() {
    let nothing = "[[principals]]\nname = \"Bob\"\ntoken = \"bob\"\ntools = [\"other/*\"]\n";
    let some = "[[principals]]\nname = \"Ann\"\ntoken = \"ann\"\ntools = [\"kit/rich\"]\n";
    let (_tokens, config) = guarded(&format!("{nothing}{some}"));
    let bench = Bench::start(Options { config, ..crate::odd() }).await;
    let sent: Value = serde_json::from_str(Scenario::odd().initialize.get()).unwrap();
    for (token, expected) in [(ANN, &sent["instructions"]), (BOB, &Value::Null)] {
        let client = with_token(&bench, token).await;
        assert_eq!(&client.introduction["instructions"], expected);
    }
}

#[tokio::test]
async fn a4_a_profile_narrows_an_address() {
    let profiles = "[profiles.small]\ntools = [\"kit/a\", \"kit/b\"]\n[profiles.none]\ntools = []\n";
    let bench = Bench::start(Options { config: profiles.to_owned(), ..named(["a", "ab", "b"]) }).await;
    let at = |path: &str| Identity::default().at(path);
    for (path, tools) in [
        ("/mcp", &["a", "ab", "b"][..]),
        ("/mcp/@small", &["a", "b"]),
        ("/mcp/@small/full", &["a", "b"]),
        ("/mcp/@none", &[]),
    ] {
        let client = Client::connect_as(&bench, SETUP, at(path)).await;
        assert_eq!(client.tool_names().await, tools, "{path}");
    }
    let unknown = Client::attach(&bench, SETUP, at("/mcp/@other")).request("tools/list", json!({})).await;
    assert_eq!(unknown.status, Some(404));
    // A session is used where it was opened, and ends nowhere else.
    for (path, other) in [("/mcp/@small", "/mcp"), ("/mcp", "/mcp/@small")] {
        let opened = Client::connect_as(&bench, SETUP, at(path)).await;
        let mut elsewhere = Client::attach(&bench, SETUP, at(other));
        elsewhere.session.clone_from(&opened.session);
        assert_eq!(elsewhere.request("tools/list", json!({})).await.status, Some(400));
        assert_eq!(elsewhere.end_session().await, 400);
        assert_eq!(opened.tool_names().await[0], "a");
    }
    // Under principals it only narrows.
    let (_tokens, config) = guarded(&format!("{TWO}{profiles}"));
    let bench = Bench::start(Options { config, ..named(["a", "ab", "b"]) }).await;
    let ann = Client::connect_as(&bench, SETUP, at("/mcp/@small").bearing(ANN)).await;
    assert_eq!(ann.tool_names().await, ["a"]);
}

#[tokio::test]
async fn a3_a_change_while_a_body_is_read_holds_for_it() {
    let (_tokens, config) = guarded(TWO);
    let bench = Bench::start(Options { config: config.clone(), ..named(["a", "ab", "b"]) }).await;
    let ann = with_token(&bench, ANN).await;
    let call = socket::post(&ann, "7", "tools/call", json!({"name": "a", "arguments": {}}));
    let (head, body) = call.split_once("\r\n\r\n").unwrap();
    let mut wire = Socket::sending(&bench, format!("{head}\r\nExpect: 100-continue\r\n\r\n")).await;
    // It is admitted before its body is asked for.
    wire.read_until("HTTP/1.1 100").await;
    bench.write(&config.replace("kit/a*", "kit/ab"));
    bench.reloads.reload(false).await.unwrap();
    wire.write(body).await;
    let answer = wire.rest().await;
    assert!(answer.contains("Unknown tool: a"), "{answer}");
}

#[tokio::test]
async fn a5_a_session_is_of_the_principal_that_opened_it() {
    let (_tokens, config) = guarded("");
    let bench = Bench::start(Options { config, ..named(["a"]) }).await;
    let ann = with_token(&bench, ANN).await;
    let mut bob = Client::attach(&bench, SETUP, Identity::default().bearing(BOB));
    bob.session.clone_from(&ann.session);
    let stolen = bob.request("tools/list", json!({})).await;
    assert_eq!(bob.end_session().await, 404);
    bob.session = Some("0123456789abcdef0123456789abcdef".to_owned());
    let made_up = bob.request("tools/list", json!({})).await;
    assert_eq!(stolen.status, Some(404));
    assert_eq!(stolen.answer(), made_up.answer());
    assert_eq!(ann.tool_names().await, ["a"]);
}

#[test]
fn a1_beyond_loopback_a_guard_or_a_word_is_needed() {
    let serve =
        |more: &[&str]| start(&[&["serve", "--transport", "http", "--listen", "0.0.0.0:0"], more].concat());
    serve(&[]).ended().says(64, &["0.0.0.0:0 is not on loopback", "[auth]", "--allow-anonymous"]);
    serves(serve(&["--allow-anonymous"]));
    let (_tokens, config) = guarded("");
    let (_folder, file) = configured(&format!("demo = true\n{config}"));
    serves(serve(&["--config", shown(&file)]));
    // Entries that nothing can match protect nothing.
    fs::write(&file, "[[principals]]\nname = \"x\"\ntools = []\n").unwrap();
    over_http(&["--config", shown(&file)])
        .ended()
        .says(64, &["[[principals]] restrict nobody over HTTP without [auth]"]);
}

#[test]
fn a2_keys_are_not_read_by_plain_http_from_elsewhere() {
    let jwt = "demo = true\n[auth.jwt]\nissuer = \"https://login.example\"\naudience = \"https://tools.example/mcp\"\n";
    let serve = |keys: &str| {
        let (folder, file) = configured(&format!("{jwt}jwks_url = \"{keys}\"\n"));
        (over_http(&["--config", shown(&file)]), folder)
    };
    serve("http://login.example/keys").0.ended().says(64, &["auth.jwt.jwks_url is no https URL"]);
    let (served, _folder) = serve("http://127.0.0.1:9/keys");
    serves(served);
}

#[test]
fn a3_on_stdio_a_flag_says_who_it_is() {
    let (_folder, file) = configured(
        "[[principals]]\nname = \"few\"\ntools = [\"*/echo\", \"*/wait\"]\n[profiles.small]\ntools = [\"*/echo\"]\n",
    );
    let config = ["--config", shown(&file)];
    for (flags, names) in [
        (&["--principal", "few"][..], &["echo", "wait"][..]),
        (&["--profile", "small"], &["echo"]),
        (&["--principal", "few", "--profile", "small"], &["echo"]),
        (&[], &["echo", "wait"]),
    ] {
        let flags: Vec<&str> = config.iter().chain(flags).copied().collect();
        let mut gateway = command_line::serve_odd(&flags, &[]);
        let all = gateway.tool_names();
        assert!(names.iter().all(|name| all.contains(&(*name).to_owned())), "{all:?}");
        assert!(flags.len() == 2 || all.len() == names.len(), "{flags:?}: {all:?}");
    }
    let unknown = [&["serve"], &config[..], &["--principal", "fewe", "--", command_line::ODD]].concat();
    start(&unknown)
        .ended()
        .says(64, &["--principal: there is no 'fewe' in [[principals]]", "did you mean 'few'?"]);
}
