//! A store that fails (K4).

use std::{
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use kit::{
    exchange::get,
    messages::{self, hello, request},
    process::{Signal, until},
    redis::Redis,
};
use serde_json::json;

use super::{
    GATED, Replica, gated, in_session,
    web::{Answer, Web, exchange},
};
use crate::command_line::{ODD, over_http, start};

/// A stateless client's call, which needs no store.
#[track_caller]
fn stateless(at: SocketAddr) {
    let list = request(1, "tools/list", json!({"_meta": messages::stateless(json!({}))}));
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n";
    let answer = exchange(at, "POST", "/mcp", headers, &list.to_string());
    assert_eq!(answer.result()["tools"].as_array().unwrap().len(), 3, "{answer:?}");
}

fn initialize(at: SocketAddr) -> Answer {
    exchange(at, "POST", "/mcp", "", &hello(json!({})).to_string())
}

/// Waits until this replica opens sessions again.
#[track_caller]
fn recovers(at: SocketAddr) {
    assert!(until(|| initialize(at).status == 200), "it does not recover");
}

#[test]
fn k4_a_store_that_is_down_is_named_and_comes_back() {
    let (mut redis, [a, b], web) = in_session();
    web.fetch(a.at);
    redis.kill();
    for at in [a.at, b.at] {
        web.request(at, "tools/list", json!({})).is_of_store("cannot be reached");
        web.call(at, "echo").is_of_store("cannot be reached");
        web.end(at).is_of_store("cannot be reached");
        initialize(at).is_of_store("cannot be reached");
        stateless(at);
    }
    redis.restart();
    recovers(a.at);
    recovers(b.at);
    // It came back empty.
    for at in [a.at, b.at] {
        assert_eq!(web.call(at, "echo").status, 404, "clients initialize anew");
    }
    let web = Web::open(b.at);
    web.fetch(a.at);
    assert!(web.may_call(b.at));
}

#[test]
fn k4_operators_see_that_the_store_is_down_while_clients_without_sessions_are_served() {
    let mut redis = Redis::start(&[]);
    let a = Replica::start(&redis.url(), &["--strategy", "resource", "--admin", "127.0.0.1:0"], &[ODD]);
    let shown = |path: &str| get(a.process.admin(), path, "Host: localhost\r\nAccept: application/json\r\n");
    let says = |state: &str, up: i32| {
        let ready = shown("/readyz");
        assert_eq!(ready.status, 200, "{ready:?}");
        ready.json()["store"] == state
            && shown("/status").json()["store"] == state
            && shown("/metrics").body.contains(&format!("\nmcp_disclosure_session_store_up {up}\n"))
    };
    assert!(until(|| says("up", 1)));
    redis.kill();
    assert!(until(|| says("down", 0)));
    stateless(a.at);
    redis.restart();
    assert!(until(|| says("up", 1)));
}

#[test]
fn k4_a_store_that_hangs_is_named_and_comes_back() {
    let (redis, [a, b], web) = in_session();
    web.fetch(a.at);
    redis.signal(Signal::STOP);
    web.request(b.at, "tools/list", json!({})).is_of_store("cannot be reached");
    initialize(a.at).is_of_store("cannot be reached");
    web.call(a.at, "echo").is_of_store("cannot be reached");
    let is_within_a_second = |answer: Answer| {
        answer.is_of_store("cannot be reached");
        answer.took < Duration::from_secs(1)
    };
    // One of them, since the machine may be busy.
    assert!((0..20).any(|_| is_within_a_second(web.call(a.at, "echo"))), "no error comes within a second");
    stateless(a.at);
    redis.signal(Signal::CONT);
    assert!(until(|| web.call(a.at, "echo").status == 200 && web.call(b.at, "echo").status == 200));
    assert!(web.may_call(a.at) && web.may_call(b.at), "it lost nothing");
}

#[test]
fn k4_requests_at_the_same_time_do_not_wait_for_each_other() {
    let (redis, [a, b], web) = in_session();
    let at_once = |at| {
        std::thread::scope(|scope| {
            let ask = |id: u32| {
                let answer = web.post(at, &request(id, "ping", json!({})));
                answer.is_of_store("cannot be reached");
                assert_eq!(answer.body["id"], id);
            };
            (1..=6).for_each(|id| drop(scope.spawn(move || ask(id))));
        });
    };
    redis.signal(Signal::STOP);
    at_once(b.at);
    at_once(a.at);
    redis.signal(Signal::CONT);
    assert!(until(|| web.request(a.at, "ping", json!({})).status == 200));
}

#[test]
fn k2_a_session_that_the_store_lost_lets_its_calls_be_answered() {
    let (mut redis, [a], web) = in_session();
    web.fetch_of(a.at, "wait").result();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let call = messages::call("slow", "wait", json!({"text": "", "file": file}));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| web.post(a.at, &call));
        assert!(until(|| folder.path().join("file.began").exists()));
        redis.kill();
        redis.restart();
        assert!(until(|| web.request(a.at, "ping", json!({})).status == 404), "the store came back empty");
        std::fs::write(&file, "").unwrap();
        let answer = waiting.join().unwrap();
        assert!(answer.result().to_string().contains("the file is there"), "{answer:?}");
    });
}

#[test]
fn k4_a_program_starts_without_its_store() {
    let mut redis = Redis::start(&[]);
    let url = redis.url();
    redis.kill();
    let a = Replica::begin(&url, &GATED);
    a.process.logged("the session store cannot be used yet");
    stateless(a.at);
    initialize(a.at).is_of_store("cannot be reached");
    redis.restart();
    recovers(a.at);
}

#[test]
fn k4_a_wrong_password_is_said_in_the_log_and_never_shown() {
    let redis = Redis::start(&["--requirepass", "correct-horse"]);
    let a = Replica::begin(&format!("redis://:wrong-staple@{}", redis.address()), &GATED);
    let said = a.process.logged("session store cannot be used;");
    assert!(said.to_lowercase().contains("password") || said.contains("WRONGPASS"), "{said}");
    initialize(a.at).is_of_store("cannot be reached");
    let right = gated(&format!("redis://:correct-horse@{}", redis.address()));
    Web::open(right.at);
    for replica in [a, right] {
        replica.process.terminate();
        let ended = replica.process.ended();
        assert!(!ended.stderr.contains("staple") && !ended.stderr.contains("horse"), "{}", ended.stderr);
    }
}

#[test]
fn k4_a_store_that_is_full_is_named_and_what_it_has_is_served() {
    let (redis, [a, b], web) = in_session();
    web.fetch(a.at);
    redis.command("CONFIG SET maxmemory-policy noeviction");
    redis.command("CONFIG SET maxmemory 1");
    initialize(a.at).is_of_store("full");
    assert!(web.may_call(b.at), "what is there is read");
    assert!(web.may_call(a.at));
    web.fetch_of(b.at, "wait").is_of_store("full");
    a.process.logged("the session store is full");
    let c = gated(&redis.url());
    assert!(web.may_call(c.at), "a replica that connects now reads it, too");
    initialize(c.at).is_of_store("full");
    assert_eq!(web.end(c.at).status, 204, "an end makes room");
    assert_eq!(web.call(a.at, "echo").status, 404);
    redis.command("CONFIG SET maxmemory 0");
    recovers(a.at);
    recovers(c.at);
}

/// The command of docs/scaling.md that creates a user.
fn documented_user() -> String {
    let page = include_str!("../../../docs/scaling.md");
    let from = page.find("ACL SETUSER").expect("the command");
    let command = page[from..].split("```").next().unwrap();
    command.replace(">PASSWORD", ">secret").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A session goes from one replica to another and ends, by nothing but what this store offers.
#[track_caller]
fn suffices(url: &str) {
    let (a, b) = (gated(url), gated(url));
    let web = Web::open(a.at);
    web.fetch(b.at);
    assert!(web.may_call(a.at));
    assert_eq!(web.end(b.at).status, 204);
    assert_eq!(web.call(a.at, "echo").status, 404);
}

#[test]
fn k4_all_but_the_documented_commands_may_be_forbidden() {
    let redis = Redis::start(&[]);
    redis.command(&documented_user());
    suffices(&format!("redis://disclosure:secret@{}/1", redis.address()));
    for forbidden in ["EVAL x 0", "MULTI", "FLUSHALL", "KEYS *", "GET other"] {
        let tried = redis.command(&format!("ACL DRYRUN disclosure {forbidden}")).concat();
        assert!(tried.contains("no permissions"), "{forbidden}: {tried}");
    }
}

#[test]
fn k1_k4_the_documented_commands_suffice_in_a_cluster_though_its_first_node_hangs() {
    let (redis, (_silent, hangs)) = (Redis::start_cluster(), silent());
    redis.command(&documented_user());
    suffices(&format!("redis+cluster://disclosure:secret@{hangs},{}", redis.address()));
}

#[test]
fn k1_a_url_that_cannot_be_meant_is_refused_without_its_password() {
    for url in ["http://user:secret@h", "redis://user:secret@", "redis+sentinel://user:secret@h:1"] {
        let ended = over_http(&["--session-store", url, "--", ODD]).finish();
        ended.says(64, &["--session-store: "]);
        assert!(!ended.stderr.contains("secret"), "{}", ended.stderr);
    }
    let mut over_stdio = start(&["serve", "--session-store", "redis://127.0.0.1:1", "--", ODD]);
    over_stdio.logged("--session-store is ignored");
    over_stdio.initialize();
    assert_eq!(over_stdio.tools().len(), 2);
}

/// A server that accepts connections, and says nothing: one that hangs, or whose machine is gone.
fn silent() -> (TcpListener, SocketAddr) {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap();
    (silent, at)
}

#[test]
fn k4_a_store_that_fails_over_serves_the_same_sessions() {
    let mut master = Redis::start(&[]);
    let copy = master.start_replica();
    for server in [&master, &copy] {
        server.command(&documented_user());
    }
    let (sentinel, (_silent, hangs)) = (master.start_sentinel("main"), silent());
    let url = format!("redis+sentinel://disclosure:secret@{hangs},{}/main", sentinel.address());
    let (a, b) = (gated(&url), gated(&url));
    let web = Web::open(a.at);
    web.fetch(a.at);
    assert!(web.may_call(b.at));
    // What is acknowledged is copied a little later.
    assert!(until(|| copy.number("DBSIZE") == master.number("DBSIZE")));
    let marks = || copy.number(&format!("HEXISTS {} mecho", web.key()));
    assert!(until(|| marks() == 1));
    let noticed = |replica: &Replica| {
        let log = replica.process.log();
        log.iter().filter(|line| line.contains("session store cannot be used;")).count()
    };
    let before = [&a, &b].map(noticed);
    master.kill();
    // Not that requests are refused: that may be over before one asks.
    assert!(until(|| [&a, &b].map(noticed).iter().zip(before).all(|(now, before)| *now > before)));
    for at in [a.at, b.at] {
        assert!(until(|| web.request(at, "ping", json!({})).status == 200), "it does not recover");
        assert!(web.may_call(at), "nothing is lost");
    }
    assert_eq!(web.end(a.at).status, 204);
    assert_eq!(web.call(b.at, "echo").status, 404);
}

#[test]
fn k4_what_the_store_refuses_is_logged_without_keys_p11() {
    let redis = Redis::start(&["--rename-command", "HGETALL", ""]);
    let (a, b) = (gated(&redis.url()), gated(&redis.url()));
    let web = Web::open(a.at);
    web.request(b.at, "ping", json!({})).is_of_store("refused a command");
    let said = b.process.logged("the session store refused a command");
    assert!(said.contains("ERR") && said.contains("HGETALL"), "{said}");
    b.process.terminate();
    let ended = b.process.ended();
    assert!(!ended.stderr.contains(&web.session), "{}", ended.stderr);
}

#[test]
fn k4_a_server_that_takes_no_writes_is_not_believed() {
    let (redis, [a], web) = in_session();
    // As a master that is cut off from its replicas: another one may know of an end.
    redis.command("CONFIG SET min-replicas-to-write 1");
    web.request(a.at, "ping", json!({})).is_of_store("cannot be reached");
    redis.command("CONFIG SET min-replicas-to-write 0");
    web.request(a.at, "ping", json!({})).result();
}

#[test]
fn k1_a_replica_that_stood_still_does_not_serve_what_ended_meanwhile() {
    let (_redis, [a, b], web) = in_session();
    web.tools(b.at);
    b.process.signal(Signal::STOP);
    assert_eq!(web.end(a.at).status, 204, "it is not waited for");
    b.process.signal(Signal::CONT);
    // Its connection may have ended, too.
    let mut status = 503;
    assert!(until(|| {
        status = web.call(b.at, "echo").status;
        status != 503
    }));
    assert_eq!(status, 404);
}
