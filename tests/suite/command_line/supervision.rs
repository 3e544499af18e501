//! Upstreams that start late, end and come back, as they were or otherwise, or change while they are listed (U1–U4, U7, U8, U14).

use std::{fs, path::Path};

use kit::{
    Session,
    messages::{hello, stateless},
    process::{Process, id_in, kill, until},
    revision::{Revision, RevisionServer},
};

use serde_json::{Value, json};

use super::{
    CHANGED, GATED, ODD, configured, error, opened, over_http, scripted, serve, served, shown, start, text,
};

/// A server that writes its process id to FOLDER/id.
const WITH_ID: &str = "exec ODD ordinary FOLDER/id";

#[test]
fn u1_the_handshake_does_not_wait_for_upstreams_of_files_and_a_list_does() {
    let quick = "[upstreams.quick]\ncommand = \"ODD\"\nargs = [\"no-schema\"]\n";
    let (directory, file) = configured(&(scripted("late", GATED) + quick));
    let mut gateway = start(&["serve", "--config", shown(&file), "--strategy", "full"]);
    let introduction = gateway.initialize();
    // What may come later is declared now.
    assert_eq!(introduction["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(introduction["serverInfo"]["name"], "mcp-disclosure");
    let list = gateway.ask("tools/list", json!({}));
    gateway.logged("upstream ready");
    gateway.request("ping", json!({}));
    fs::write(directory.path().join("gate"), "").unwrap();
    let answer = gateway.answer(list);
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 4, "{answer}");
}

#[test]
fn u1_a_list_waits_no_longer_than_it_may_and_late_upstreams_join() {
    let quick = "[upstreams.quick]\ncommand = \"ODD\"\n".to_owned();
    let (directory, _, mut gateway) =
        served(&(quick + &scripted("late", &format!("{GATED} pages"))), &["--wait-for-upstreams", "3"]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    fs::write(directory.path().join("gate"), "").unwrap();
    gateway.lists(&["echo", "wait", "first", "second", "third"]);
    gateway.notified(CHANGED, 1);
}

#[test]
fn u2_a_call_of_a_name_that_nobody_lists_waits_for_what_starts_for_the_first_time() {
    let there = "prefix = \"late_\"\n[upstreams.there]\ncommand = \"ODD\"\nargs = [\"no-schema\"]\n";
    let (directory, file) = configured(&(scripted("late", GATED) + there));
    for strategy in ["full", "search"] {
        let _absent = fs::remove_file(directory.path().join("gate"));
        let flags = ["--config", shown(&file), "--strategy", strategy, "--wait-for-upstreams", "0.01"];
        let mut gateway = opened(&[&["serve", "--remember", "off"], &flags[..]].concat());
        gateway.logged("upstream ready");
        let called = |name: &str, arguments: Value| match strategy {
            "search" => json!({"name": "call_tool", "arguments": {"tool": name, "arguments": arguments}}),
            _ => json!({"name": name, "arguments": arguments}),
        };
        let call = gateway.ask("tools/call", called("late_echo", json!({"text": "at last"})));
        let unknown = gateway.ask("tools/call", called("nonsense", json!({})));
        // Lists do not wait that long.
        assert!(gateway.request("tools/list", json!({}))["result"].is_object());
        fs::write(directory.path().join("gate"), "").unwrap();
        assert_eq!(text(&gateway.answer(call)), "at last", "{strategy}");
        let answer = gateway.answer(unknown);
        assert!(
            answer["result"]["isError"] == true || error(&answer).starts_with("Unknown tool"),
            "{answer}"
        );
    }
}

#[test]
fn u2_a_call_of_a_name_that_nobody_lists_says_what_never_started() {
    let late = scripted("late", GATED) + "connect_timeout = 1\nprefix = \"late_\"\n";
    let there = "[upstreams.there]\ncommand = \"ODD\"\nargs = [\"no-schema\"]\n";
    let (directory, _, mut gateway) = served(&(late + there), &["--wait-for-upstreams", "0.01"]);
    let called = gateway.call("late_echo", json!({}));
    let expected = "Unknown tool: late_echo; of these upstreams it is not known yet what they list: 'late'";
    assert_eq!(error(&called), expected);
    fs::write(directory.path().join("gate"), "").unwrap();
    assert!(until(|| gateway.call("late_echo", json!({"text": "there"}))["result"].is_object()));
    assert_eq!(error(&gateway.call("nonsense", json!({}))), "Unknown tool: nonsense");
}

#[test]
fn u2_u3_a_call_waits_for_a_restart_and_tools_stay_listed_meanwhile() {
    let (directory, _, mut gateway) = served(&scripted("odd", WITH_ID), &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    // The handshake does not wait for the upstream, so its first lists may be news.
    let news = gateway.count(CHANGED);
    let first = id_in(directory.path().join("id"), "");
    kill(&first);
    gateway.logs(&["upstream failed, will be restarted", "upstream 'odd' has ended", "retry_in="]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    assert_eq!(text(&gateway.call("echo", json!({"text": "again"}))), "again");
    id_in(directory.path().join("id"), &first);
    // The same tools are no news.
    assert_eq!(gateway.finish().says(0, &[]).count(CHANGED), news);
}

#[test]
fn u2_a_call_that_waited_in_vain_names_the_upstream_and_its_last_failure() {
    let script = "[ -e FOLDER/broken ] && exit 7; exec ODD ordinary FOLDER/id";
    let (directory, _, mut gateway) = served(&(scripted("odd", script) + "connect_timeout = 3\n"), &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    fs::write(directory.path().join("broken"), "").unwrap();
    kill(&id_in(directory.path().join("id"), ""));
    gateway.logged("exit status: 7");
    let answer = gateway.call("echo", json!({}));
    let expected = "upstream 'odd' is unavailable: waited 3 seconds for it to restart; ";
    assert!(error(&answer).starts_with(expected), "{answer}");
    assert!(error(&answer).ends_with("the process ended with exit status: 7"), "{answer}");
    assert_eq!(answer["error"]["data"], json!({"upstream": "odd"}));
    assert_eq!(gateway.tool_names(), ["echo", "wait"], "its tools stay listed");
    // Nothing is asked twice: it comes back by itself.
    fs::remove_file(directory.path().join("broken")).unwrap();
    assert!(until(|| gateway.call("echo", json!({"text": "back"}))["result"].is_object()));
}

#[tokio::test(flavor = "multi_thread")]
async fn u4_a_lost_session_of_an_http_upstream_is_opened_again_and_marks_stay_valid() {
    let server = RevisionServer::start(Revision::V2025_11_25).await;
    let mut gateway = opened(&["serve", "--strategy", "resource", "--upstream-url", &server.url()]);
    let call = |gateway: &mut Process| gateway.call("echo", json!({}));
    assert_eq!(call(&mut gateway)["result"]["isError"], true, "nothing was fetched yet");
    gateway.request("resources/read", json!({"uri": "resource:///tool_descriptions?tools=echo"}));
    assert_eq!(text(&call(&mut gateway)), "echo");
    for _ in 0..2 {
        server.forget_session();
        assert_eq!(text(&call(&mut gateway)), "echo");
    }
    let initialized = server.received().iter().filter(|one| one.message["method"] == "initialize").count();
    assert_eq!(initialized, 3);
    assert_eq!(server.faults(), Vec::<String>::new());
    assert!(!gateway.finish().says(0, &[]).stdout.contains(CHANGED));
}

#[test]
fn u8_processes_start_at_once_and_are_introduced_to_the_client_however_late_it_comes() {
    let (directory, file) = configured(&scripted("odd", "exec ODD asks FOLDER/id"));
    let mut gateway = start(&["serve", "--config", shown(&file), "--strategy", "full"]);
    let id = id_in(directory.path().join("id"), "");
    std::thread::sleep(std::time::Duration::from_secs(1));
    gateway.request("initialize", hello(json!({"elicitation": {"form": {}}}))["params"].take());
    let call =
        gateway.ask("tools/call", json!({"name": "echo", "arguments": {"text": "elicitation/create"}}));
    let question = gateway.received_request("elicitation/create");
    gateway.line(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}}).to_string());
    let outcome: Value = serde_json::from_str(text(&gateway.answer(call))).unwrap();
    assert_eq!(outcome["client"]["elicitation"], json!({"form": {}}));
    assert_eq!(outcome["result"]["action"], "accept");
    assert_eq!(fs::read_to_string(directory.path().join("id")).unwrap(), id, "it was started once");
}

#[test]
fn u14_one_that_is_never_restarted_leaves_with_its_tools() {
    let (directory, _, mut gateway) = served(&(scripted("odd", WITH_ID) + "restart = \"never\"\n"), &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    let news = gateway.count(CHANGED);
    kill(&id_in(directory.path().join("id"), ""));
    gateway.logged("upstream failed, is not restarted");
    gateway.notified(CHANGED, news + 1);
    assert_eq!(gateway.tool_names(), Vec::<String>::new());
    assert_eq!(error(&gateway.call("echo", json!({}))), "Unknown tool: echo");
}

#[test]
fn u14_time_outs_of_one_upstream_take_the_place_of_the_general_ones() {
    let (_directory, _, mut gateway) = served(
        "[upstreams.mute]\ncommand = \"ODD\"\nargs = [\"silent\"]\nconnect_timeout = 1\n\
         [upstreams.slow]\ncommand = \"ODD\"\nargs = [\"hangs-on-call\"]\nrequest_timeout = 3\n",
        &[],
    );
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    gateway.logged("within 1 second");
    let answer = gateway.call("echo", json!({}));
    assert_eq!(error(&answer), "upstream 'slow' did not respond within 3 seconds");
}

/// Which process answers each of these sessions.
fn processes(sessions: &[Session], tool: &str) -> Vec<String> {
    let process = |session: &Session| {
        let answer = session.call(tool, json!({}));
        let environment: Vec<(String, String)> = serde_json::from_str(text(&answer)).unwrap();
        environment.into_iter().find(|(name, _)| name == "PROCESS").unwrap().1
    };
    sessions.iter().map(process).collect()
}

#[test]
fn u14_the_scope_of_one_upstream_takes_the_place_of_the_general_one() {
    let script = "PROCESS=$$ exec ODD environment";
    let own = scripted("own", script) + "scope = \"session\"\nprefix = \"own_\"\n";
    let shared = scripted("shared", script) + "prefix = \"shared_\"\n";
    let (_directory, file) = configured(&(own + &shared));
    let gateway = over_http(&["--config", shown(&file), "--strategy", "full"]);
    let sessions = [(); 2].map(|()| Session::open(gateway.address()));
    let own = processes(&sessions, "own_echo");
    assert_ne!(own[0], own[1]);
    assert_eq!(own, processes(&sessions, "own_echo"), "a session keeps its own");
    let shared = processes(&sessions, "shared_echo");
    assert_eq!(shared[0], shared[1]);
    // One that is a session's own is started again, too (U3), and the other session's is left alone.
    kill(&own[0]);
    gateway.logged("upstream failed, will be restarted");
    let now = processes(&sessions, "own_echo");
    assert_ne!(now[0], own[0]);
    assert_eq!(now[1], own[1]);
}

#[test]
fn u3_an_upstream_that_ends_during_its_handshake_is_one_process_for_each_attempt() {
    let script = "echo started >> FOLDER/starts; read line; exit 3";
    let (directory, _, gateway) = served(&scripted("short", script), &[]);
    gateway.logged("failures=3");
    assert_eq!(starts(directory.path()), 3);
}

#[test]
fn u3_an_upstream_that_ends_in_both_eras_is_one_process_for_each_further_attempt() {
    for server in ["exec ODD", STATELESS] {
        let script = "echo started >> FOLDER/starts; [ -e FOLDER/gate ] || { read line; exit 3; }; ";
        let (directory, file) = configured(&scripted("short", &format!("{script}{server}")));
        let mut gateway = start(&["serve", "--config", shown(&file), "--strategy", "full"]);
        gateway.ask("tools/list", json!({"_meta": stateless(json!({}))}));
        gateway.logged("failures=2");
        // The first attempt is one process for each era.
        assert_eq!(starts(directory.path()), 3, "{server}");
        // Whichever era it has, it is found once it lasts.
        fs::write(directory.path().join("gate"), "").unwrap();
        gateway.logged("upstream ready");
    }
}

/// A server of the stateless era, which ends when it is sent `initialize`.
const STATELESS: &str = r#"while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9][0-9]*\).*/\1/')
    case "$line" in
        *'"initialize"'*) exit 3 ;;
        *'"server/discover"'*) result='{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}' ;;
        *) result='{"tools":[]}' ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

/// How many processes began with a line in the file `starts`.
fn starts(folder: &Path) -> usize {
    fs::read_to_string(folder.join("starts")).unwrap().lines().count()
}

/// An upstream whose mode is read at each start.
const BY_MODE: &str = "exec ODD $(cat FOLDER/mode) FOLDER/id";

#[test]
fn u3_the_last_of_lists_that_change_while_they_are_read_is_served() {
    let (_directory, file) =
        configured("[upstreams.odd]\ncommand = \"ODD\"\nargs = [\"changes-while-listing\"]\n");
    let mut gateway = serve(&file, &[]);
    gateway.lists(&["echo", "grown-5"]);
    gateway.notified(CHANGED, 1);
    assert_eq!(text(&gateway.call("grown-5", json!({"text": "here"}))), "here");
}

#[test]
fn u3_what_a_new_process_lists_is_listed_and_announced() {
    for (mode, tools) in [("pages", &["bad_first", "bad_second", "bad_third"][..]), ("no-tools", &[])] {
        let good = "[upstreams.good]\ncommand = \"ODD\"\n";
        let bad = scripted("bad", BY_MODE) + "prefix = \"bad_\"\n";
        let (directory, file) = configured(&format!("{good}{bad}"));
        fs::write(directory.path().join("mode"), "ordinary").unwrap();
        let mut gateway = serve(&file, &[]);
        gateway.lists(&["echo", "wait", "bad_echo", "bad_wait"]);
        let news = gateway.count(CHANGED);
        fs::write(directory.path().join("mode"), mode).unwrap();
        kill(&id_in(directory.path().join("id"), ""));
        gateway.lists(&[&["echo", "wait"], tools].concat());
        gateway.notified(CHANGED, news + 1);
        assert_eq!(text(&gateway.call("echo", json!({"text": "here"}))), "here", "{mode}");
    }
}

#[test]
fn u3_u7_a_new_process_may_speak_another_revision() {
    let (directory, file) = configured(&scripted("odd", BY_MODE));
    fs::write(directory.path().join("mode"), "ordinary").unwrap();
    let mut gateway = serve(&file, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    fs::write(directory.path().join("mode"), "old-version").unwrap();
    kill(&id_in(directory.path().join("id"), ""));
    gateway.logged("will be restarted");
    assert_eq!(text(&gateway.call("echo", json!({"text": "again"}))), "again");
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
}

/// Another process at the same address, which knows no session of the one before.
#[test]
fn u4_an_http_server_that_was_restarted_is_called_in_a_new_session() {
    let before = over_http(&["--", ODD]);
    let address = before.address();
    let entry = format!("[upstreams.far]\nurl = \"http://{address}/mcp/full\"\n");
    let (_directory, file) = configured(&entry);
    let mut gateway = serve(&file, &[]);
    assert_eq!(text(&gateway.call("echo", json!({"text": "before"}))), "before");
    drop(before);
    let after = start(&["serve", "--transport", "http", "--listen", &address.to_string(), "--", ODD]);
    after.address();
    assert_eq!(text(&gateway.call("echo", json!({"text": "after"}))), "after");
}
