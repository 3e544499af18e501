//! Handshakes with servers that do whatever a protocol revision, or none, allows.

use mcp_disclosure_transport::{ErrorText, Handler, Json, Message, Response, streams};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::*;
use crate::limits::Limits;

#[derive(Debug)]
struct Owner;

impl Handler for Owner {
    fn name(&self) -> String {
        "test".to_owned()
    }
}

/// What a server does with a request.
enum Reply {
    Result(Value),
    /// An error, and the revisions that it lists as supported.
    Refuse(i64, Vec<&'static str>),
    Silence,
    HangUp,
}

use Reply::{HangUp, Refuse, Result as Answer, Silence};

/// The methods and proposed revisions that a server was asked.
type Asked = Mutex<Vec<String>>;

/// A server: what it does with `initialize` that proposes this revision, and with any other method, the how-manieth request
/// that is.
type Server = (fn(revision: &str) -> Reply, fn(number: usize) -> Reply);

fn initialized(revision: &str) -> Reply {
    Answer(json!({"protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "session"}}))
}

fn discovered(supported: &[&str]) -> Reply {
    Answer(json!({"supportedVersions": supported, "capabilities": {"tools": {}}}))
}

/// The method and the proposed revision of a request.
fn proposed(method: &str, params: &RawObject) -> String {
    let params: Value = serde_json::from_str(params.text()).unwrap();
    let revision = match method {
        "initialize" => &params["protocolVersion"],
        _ => &params["_meta"]["io.modelcontextprotocol/protocolVersion"],
    };
    format!("{method} {}", revision.as_str().unwrap_or_default())
}

fn reply(server: Server, asked: &Asked, method: &str, params: &RawObject) -> Reply {
    let mut asked = asked.lock();
    asked.push(proposed(method, params));
    match asked.last().unwrap().strip_prefix("initialize ") {
        Some(revision) => (server.0)(revision),
        None => (server.1)(asked.len()),
    }
}

fn outcome(reply: Reply) -> Option<Result<Json, ErrorText>> {
    match reply {
        Answer(result) => Some(Ok(Json::of(&result))),
        Refuse(code, supported) if supported.is_empty() => Some(Err(ErrorText::new(code, "no"))),
        Refuse(code, supported) => {
            Some(Err(ErrorText::new(code, "no").with_data(&json!({"supported": supported}))))
        }
        Silence | HangUp => None,
    }
}

/// A server on byte streams.
fn on_streams(server: Server, asked: &Arc<Asked>) -> Arc<Connection> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(near);
    let asked = Arc::clone(asked);
    tokio::spawn(async move {
        let (input, mut output) = tokio::io::split(far);
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let bounds = Limits::default().bounds();
            let Ok(Message::Request(request)) = Message::parse(line.as_bytes(), bounds.message_depth) else {
                continue;
            };
            let reply = reply(server, &asked, &request.method, &request.params);
            if matches!(reply, HangUp) {
                return;
            }
            if let Some(outcome) = outcome(reply) {
                let mut line = Response::new(request.id, outcome).encode();
                line.push(b'\n');
                output.write_all(&line).await.unwrap();
            }
        }
    });
    streams::connect(input, output, Arc::new(Owner), Limits::default().bounds())
}

/// The eras that are found, or the error, and what was asked.
async fn met(server: Server, prefer: Era) -> (Result<Eras, Why>, Vec<String>) {
    let asked = Arc::default();
    let connection = on_streams(server, &asked);
    let hello = Hello::new(None, RawObject::empty(), true, &crate::lineage::Lineage::alone());
    let introduced = introduce(&connection, &hello, prefer, Duration::from_secs(60)).await;
    let asked = asked.lock().clone();
    (introduced.map(|introduction| introduction.eras), asked)
}

const SESSION: Eras = Eras { session: true, stateless: false };
const STATELESS: Eras = Eras { session: false, stateless: true };
const INITIALIZE: &str = "initialize 2025-11-25";
const DISCOVER: &str = "server/discover 2026-07-28";

/// Its revision is the only one of the stateless era.
fn stateless(_number: usize) -> Reply {
    discovered(&["2026-07-28"])
}

fn unknown(_number: usize) -> Reply {
    Refuse(-32601, vec![])
}

fn lists_what_it_refuses() -> Reply {
    Refuse(-32022, vec!["2025-11-25", "2026-07-28"])
}

#[tokio::test(start_paused = true)]
async fn u7_the_handshake_in_all_its_legal_forms() {
    let both: Server = (initialized, |_| discovered(&["2025-11-25", "2026-07-28"]));
    let cases: Vec<(Server, Era, Eras, Vec<&str>)> = vec![
        // It speaks both: it is spoken to in the client's era.
        (both, Era::Session, SESSION, vec![INITIALIZE]),
        (both, Era::Stateless, STATELESS, vec![DISCOVER]),
        // It answers with another revision than proposed.
        ((|_| initialized("2024-11-05"), unknown), Era::Session, SESSION, vec![INITIALIZE]),
        ((|_| initialized("2026-07-28"), stateless), Era::Session, STATELESS, vec![INITIALIZE, DISCOVER]),
        ((|_| initialized("2026-07-28"), unknown), Era::Session, STATELESS, vec![INITIALIZE, DISCOVER]),
        // It refuses, and lists what it supports, whatever the code.
        (
            (
                |revision| match revision {
                    "2025-06-18" => initialized(revision),
                    _ => Refuse(-32602, vec!["2025-03-26", "2025-06-18", "2030-01-01"]),
                },
                unknown,
            ),
            Era::Session,
            SESSION,
            vec![INITIALIZE, "initialize 2025-06-18"],
        ),
        (
            (initialized, |_| Refuse(-32022, vec!["2025-06-18"])),
            Era::Stateless,
            SESSION,
            vec![DISCOVER, "initialize 2025-06-18"],
        ),
        (
            (initialized, |_| discovered(&["2025-03-26"])),
            Era::Stateless,
            SESSION,
            vec![DISCOVER, "initialize 2025-03-26"],
        ),
        (
            (|_| Refuse(-32022, vec!["2026-07-28"]), stateless),
            Era::Session,
            STATELESS,
            vec![INITIALIZE, DISCOVER],
        ),
        // It refuses once what it lists.
        (
            (initialized, |number| match number {
                1 => lists_what_it_refuses(),
                _ => stateless(number),
            }),
            Era::Stateless,
            STATELESS,
            vec![DISCOVER, DISCOVER],
        ),
        // It knows one era only, and says no more than that it does not know the other, or nothing.
        ((initialized, |_| Refuse(-32602, vec![])), Era::Stateless, SESSION, vec![DISCOVER, INITIALIZE]),
        ((initialized, |_| Silence), Era::Stateless, SESSION, vec![DISCOVER, INITIALIZE]),
        ((|_| unknown(1), stateless), Era::Session, STATELESS, vec![INITIALIZE, DISCOVER]),
    ];
    for (number, (server, prefer, eras, asked)) in cases.into_iter().enumerate() {
        let (met, was_asked) = met(server, prefer).await;
        assert_eq!(
            (met.unwrap(), was_asked),
            (eras, asked.into_iter().map(str::to_owned).collect()),
            "{number}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn u7_a_handshake_that_fails_says_why_and_comes_to_an_end() {
    let cases: Vec<(Server, Era, &str, usize)> = vec![
        (
            (|_| Refuse(-32022, vec!["2030-01-01"]), unknown),
            Era::Session,
            "supports no other protocol versions than 2030-01-01",
            1,
        ),
        ((|_| lists_what_it_refuses(), |_| lists_what_it_refuses()), Era::Stateless, "code\":-32022", 4),
        (
            (|_| initialized("1999-01-01"), unknown),
            Era::Session,
            "protocolVersion \\\"1999-01-01\\\", which is not supported",
            1,
        ),
        ((|_| unknown(1), unknown), Era::Stateless, "code\":-32601", 2),
        (
            (|_| Answer(json!({})), |_| Answer(json!({}))),
            Era::Stateless,
            "initialize result has no protocolVersion",
            2,
        ),
        ((|_| Silence, |_| Silence), Era::Session, "TimedOut", 1),
    ];
    for (server, prefer, expected, asked) in cases {
        let (met, was_asked) = met(server, prefer).await;
        let error = format!("{:?}", met.unwrap_err());
        assert!(error.contains(expected) && was_asked.len() == asked, "{error} {was_asked:?}");
    }
}

#[tokio::test]
async fn u7_a_server_that_hangs_up_at_an_unknown_method_is_asked_in_the_other_era_on_a_new_connection() {
    let server: Server = (initialized, |_| HangUp);
    let (first, _) = met(server, Era::Stateless).await;
    assert!(may_work_in_other_era(&first.unwrap_err(), Era::Stateless));
    // Where it would hang up, it is not asked what it does not know.
    let (second, asked) = met(server, Era::Session).await;
    assert_eq!((second.unwrap(), asked), (SESSION, vec![INITIALIZE.to_owned()]));
}
