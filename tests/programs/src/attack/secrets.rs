//! P5, P10, P11: what answers reveal of other clients, upstreams and the environment, and what is in logs.

use std::time::Duration;

use serde_json::json;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::Peer,
    scene::{Scene, Verdict, says_nothing_of},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    let errors = attacks![
        "P5":
        "a child dies with a password on stderr" => dying_words,
        "a child with a secret in its arguments does not start for a session" => failing_start,
        "what an upstream logs for one client, in shared scope" => log_of_another,
    ];
    let environment = attacks![
        "P10":
        "a child of a file reads the environment" => environment,
        "a child that inherits everything reads our own variables" => own_variables,
        "secrets in arguments and values stand in logs" => arguments_in_logs,
    ];
    let logs = attacks![
        "P11":
        "names that forge log lines" => forged_lines,
        "a session's id in logs" => session_in_logs,
        "user info and query of a URL in logs" => url_in_logs,
        "100,000 lines on a child's stderr" => flood_of_stderr,
        "100,000 lines on a child's stdout that are no MCP" => flood_of_stdout,
    ];
    errors.into_iter().chain(environment).chain(logs)
}

const SECRET: &str = "postgres://admin:hunter2@db";

async fn dying_words(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", "die,slow"])).await;
    let (attacker, other) = (scene.attacker().await, scene.attacker().await);
    let (dying, waiting) = tokio::join!(attacker.call("die", json!({"saying": SECRET})), async {
        tokio::time::timeout(Duration::from_secs(5), other.call("slow", json!({}))).await
    });
    let later = other.call("slow", json!({}));
    let later = tokio::time::timeout(Duration::from_secs(1), later).await;
    let text = |reply: Result<super::peer::Reply, _>| reply.map(|reply| reply.text()).unwrap_or_default();
    let verdict = says_nothing_of("the error of the call", SECRET, &dying.text())
        .and(says_nothing_of("the error of another client's call", SECRET, &text(waiting)))
        .and(says_nothing_of("the error of a later call", SECRET, &text(later)));
    scene.judge(verdict).await
}

async fn failing_start(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab);
    let fails = serve.folder().join("fails");
    let serve = serve
        .upstream("evil", &["--tools", "size", "--dies-if", &fails.display().to_string(), "--saying", SECRET])
        .flags(&["--upstream-scope", "session", "--connect-timeout", "2"]);
    let scene = Scene::start(lab, serve).await;
    std::fs::write(&fails, "").unwrap();
    let mut text = String::new();
    // Whichever of these fails, its error is what a client sees.
    let stranger = scene.stranger();
    text.push_str(&stranger.initialize().await.0.text());
    if let Ok(attacker) = Peer::with_session(scene.gateway.address, super::peer::HERE).await {
        for method in ["tools/list", "resources/list"] {
            text.push_str(&attacker.ask(method, json!({})).await.text());
        }
        text.push_str(&attacker.call("size", json!({})).await.text());
    }
    text.push_str(&stranger.call("size", json!({})).await.text());
    let verdict =
        says_nothing_of("an error", SECRET, &text).and(says_nothing_of("an error", "--saying", &text));
    scene.judge(verdict).await
}

async fn log_of_another(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", "log,slow"])).await;
    let (victim, spy) = (scene.attacker().await, scene.attacker().await);
    for peer in [&victim, &spy] {
        peer.ask("logging/setLevel", json!({"level": "debug"})).await;
    }
    let alone = listen_beside(&victim, &spy).await;
    // With a call of the spy under way, nothing tells whose log message it is.
    let waiting = spy.call("slow", json!({}));
    let beside = async {
        tokio::select! {
            reply = waiting => Err(format!("a call that never ends: {}", reply.text())),
            heard = listen_beside(&victim, &spy) => heard,
        }
    };
    let verdict = alone.and(beside.await);
    scene.judge(verdict).await
}

/// The victim's query is logged by the upstream; the spy must not hear of it.
async fn listen_beside(victim: &Peer, spy: &Peer) -> Verdict {
    let hearing = spy.hear(Duration::from_millis(1_200));
    let calling = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        victim.call("log", json!({"text": SECRET})).await
    };
    let (heard, called) = tokio::join!(hearing, calling);
    called.result()?;
    says_nothing_of("a notification to another client", SECRET, &heard?.join("\n"))
}

async fn environment(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).upstream("evil", &["--tools", "environment"]);
    let scene = Scene::start(lab, serve.environment("CLOUD_TOKEN", "hunter2-of-the-cloud")).await;
    let text = scene.attacker().await.call("environment", json!({})).await.result();
    let verdict =
        text.and_then(|text| says_nothing_of("the child's environment", "hunter2", &text.to_string()));
    scene.judge(verdict).await
}

async fn own_variables(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).upstream("evil", &["--tools", "environment"]).flags(&["--inherit-env"]);
    let serve = serve.environment("MCP_DISCLOSURE_HEADER_AUTHORIZATION", "hunter2-of-another-upstream");
    let scene = Scene::start(lab, serve).await;
    let text = scene.attacker().await.call("environment", json!({})).await.result();
    let verdict =
        text.and_then(|text| says_nothing_of("the child's environment", "hunter2", &text.to_string()));
    scene.judge(verdict).await
}

async fn arguments_in_logs(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab)
        .upstream("evil", &["--tools", "die,size", "--token", "hunter2-of-the-child"])
        .upstream("dead", &["--dies-if", "/", "--saying", "bye", "--token", "hunter2-of-the-dead"])
        .command("absent", "/nonexistent/program", &["--token", "hunter2-of-the-absent"])
        .flags(&["--connect-timeout", "5"]);
    let scene = Scene::start(lab, serve.log("debug")).await;
    let attacker = scene.attacker().await;
    attacker.call("size", json!({"password": "hunter2-of-the-call"})).await;
    attacker.call("die", json!({"saying": "bye"})).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let log = scene.gateway.log().join("\n");
    scene.judge(says_nothing_of("the log", "hunter2", &log)).await
}

async fn forged_lines(lab: &Lab) -> Verdict {
    const FORGED: &str =
        "\n2026-01-01T00:00:00Z ERROR forged: \u{1b}[31mred\u{1b}[0m\r\u{7}\u{9b}31m\u{2028}";
    let serve = Serve::new(lab).upstream("evil", &["--tools", "size,complain"]).flags(&["--explain"]);
    let scene = Scene::start(lab, serve.log("debug")).await;
    let attacker = scene.attacker().await;
    attacker.call(FORGED, json!({})).await;
    attacker.call("complain", json!({"saying": FORGED})).await;
    attacker.ask("resources/read", json!({"uri": format!("file:///{FORGED}")})).await;
    attacker.ask("prompts/get", json!({"name": FORGED})).await;
    attacker.ask(FORGED, json!({})).await;
    scene.stranger().able(json!({"extensions": {FORGED: {}}})).initialize().await.0.text();
    let hello = json!({
        "protocolVersion": FORGED, "capabilities": {}, "clientInfo": {"name": FORGED, "version": FORGED},
    });
    scene.stranger().ask("initialize", hello).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let log = scene.gateway.log();
    let is_control =
        |line: &&String| line.chars().any(|character| character.is_control() && character != '\t');
    let verdict = match log.iter().find(|line| line.starts_with("2026-01-01") || is_control(line)) {
        Some(line) => Err(format!("this is logged: {line:?}")),
        None => Ok(()),
    };
    scene.judge(verdict).await
}

async fn session_in_logs(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).flags(&["--explain"]).log("debug,hyper=info");
    let scene = Scene::start(lab, serve).await;
    let attacker = scene.stranger().at("/mcp/resource").begin_session().await.unwrap();
    attacker.call("echo", json!({"text": "unlearned"})).await;
    attacker.call("unknown", json!({})).await;
    attacker.ask("resources/read", json!({"uri": "resource:///tool_descriptions?tools=echo"})).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let log = scene.gateway.log().join("\n");
    let verdict = says_nothing_of("the log", attacker.session(), &log);
    scene.judge(verdict).await
}

async fn url_in_logs(lab: &Lab) -> Verdict {
    // Nothing listens on port 9: that it cannot be reached is logged.
    let serve =
        Serve::new(lab).url("far", "http://admin:hunter2-as-user@127.0.0.1:9/mcp?key=hunter2-as-query", "");
    let scene = Scene::start(lab, serve.log("debug").flags(&["--connect-timeout", "3"])).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let log = scene.gateway.log().join("\n");
    scene.judge(says_nothing_of("the log", "hunter2", &log)).await
}

async fn flood_of_stderr(lab: &Lab) -> Verdict {
    flood(lab, "complain").await
}

async fn flood_of_stdout(lab: &Lab) -> Verdict {
    flood(lab, "babble").await
}

async fn flood(lab: &Lab, tool: &str) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", tool])).await;
    let attacker = scene.attacker().await;
    let flood = attacker.call(tool, json!({"times": 100_000, "saying": "x".repeat(100)}));
    let flooded = tokio::time::timeout(Duration::from_secs(12), flood).await;
    let lines = scene.gateway.log().len();
    let verdict = match flooded {
        Err(_) => Err("the upstream is held up by its own lines".to_owned()),
        Ok(_) if lines > 20_000 => Err(format!("{lines} lines are logged")),
        Ok(_) => Ok(()),
    };
    scene.judge(verdict).await
}
