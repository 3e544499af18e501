//! P15: web pages of elsewhere, by every header that says where a request belongs.

use serde_json::json;

use kit::http;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    scene::{Scene, Verdict},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P15":
        "foreign, doubled and missing Host, absolute targets, foreign Origin" => foreign_requests,
        "preflight requests" => preflights,
    ]
}

const FOREIGN: &str = "evil.example";
const ALLOWED: &str = "https://app.example";

/// A request with these headers; its status and headers.
async fn sent(
    scene: &Scene,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> Result<(u16, http::Headers), String> {
    let content = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let all = content.iter().chain(headers).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"},
    }});
    let body = if method == "POST" { hello.to_string() } else { String::new() };
    let stream = scene.stranger().connect().await?;
    let answer = http::send_over(stream, method, target, &all.collect::<Vec<_>>(), body.as_bytes()).await;
    answer.map(|answer| (answer.status, answer.headers)).map_err(|error| error.to_string())
}

/// What is tried, the request's target, and its headers.
type Try<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>);

async fn foreign_requests(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).flags(&["--allow-origin", ALLOWED])).await;
    let own = scene.gateway.address.to_string();
    let (foreign_target, own_target) = (format!("http://{FOREIGN}/mcp"), format!("http://{own}/mcp"));
    let foreign_origin = format!("https://{FOREIGN}");
    let tries: [Try<'_>; 9] = [
        ("a foreign Host", "/mcp", vec![("Host", FOREIGN)]),
        ("a foreign Host behind our own", "/mcp", vec![("Host", &own), ("Host", FOREIGN)]),
        ("our own Host behind a foreign one", "/mcp", vec![("Host", FOREIGN), ("Host", &own)]),
        ("an empty Host", "/mcp", vec![("Host", "")]),
        ("a foreign target", &foreign_target, vec![("Host", &own)]),
        ("our own target with a foreign Host", &own_target, vec![("Host", FOREIGN)]),
        ("a foreign Origin", "/mcp", vec![("Origin", &foreign_origin)]),
        (
            "a foreign Origin behind an allowed one",
            "/mcp",
            vec![("Origin", ALLOWED), ("Origin", &foreign_origin)],
        ),
        ("the Origin null", "/mcp", vec![("Origin", "null")]),
    ];
    let mut accepted = Vec::new();
    for (what, target, headers) in &tries {
        match sent(&scene, "POST", target, headers).await {
            Ok((400 | 403 | 421, _)) => {}
            Ok((status, _)) => accepted.push(format!("{what} ({status})")),
            // A connection that is closed has refused, too.
            Err(_) => {}
        }
    }
    // What belongs here is let in, also by an absolute target.
    for (what, target) in [("an allowed Origin", "/mcp"), ("our own absolute target", &own_target)] {
        let allowed = sent(&scene, "POST", target, &[("Origin", ALLOWED)]).await;
        if !matches!(allowed, Ok((200, _))) {
            accepted.push(format!("not {what}, though ({allowed:?})"));
        }
    }
    let verdict = if accepted.is_empty() { Ok(()) } else { Err(format!("let in: {}", accepted.join(", "))) };
    scene.judge(verdict).await
}

async fn preflights(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).flags(&["--allow-origin", ALLOWED])).await;
    let asks = [
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type,mcp-session-id,mcp-protocol-version"),
    ];
    let preflight = async |origin: String| {
        let mut headers = vec![("Origin", &*origin)];
        headers.extend(asks);
        let (status, headers) = sent(&scene, "OPTIONS", "/mcp", &headers).await?;
        let allowed = |header: &str| {
            let found = headers.iter().find(|(name, _)| name == header);
            found.map(|(_, value)| value.to_ascii_lowercase()).unwrap_or_default()
        };
        let names =
            ["access-control-allow-origin", "access-control-allow-headers", "access-control-allow-methods"];
        Ok::<_, String>((status, names.map(allowed)))
    };
    let verdict = async {
        let (status, [origin, headers, methods]) = preflight(ALLOWED.to_owned()).await?;
        let fits = origin == ALLOWED && headers.contains("mcp-session-id") && methods.contains("post");
        if !(200..300).contains(&status) || !fits {
            return Err(format!(
                "an allowed origin gets {status}, origin '{origin}', headers '{headers}', methods '{methods}'"
            ));
        }
        let (_, [origin, ..]) = preflight(format!("https://{FOREIGN}")).await?;
        if origin.is_empty() { Ok(()) } else { Err(format!("a foreign origin is allowed as '{origin}'")) }
    };
    let verdict = verdict.await;
    scene.judge(verdict).await
}
