//! The format of records.

use mcp_disclosure_gateway::observe::Called;
use mcp_disclosure_transport::printable::{line, printable};
use serde::Serialize;

use super::Key;
use crate::log::now;

/// Maximum length of a text that peers choose, in characters.
const LONGEST: usize = 256;

/// A call or a decision.
#[derive(Serialize)]
struct Record<'a> {
    time: &'a str,
    /// `call`: it was sent to its upstream and is over; `decision`: it was decided by the gateway.
    event: &'static str,
    method: String,
    principal: Option<String>,
    session: Option<&'a str>,
    strategy: &'a str,
    client: String,
    upstream: Option<&'a str>,
    tool: String,
    outcome: &'static str,
    /// Of a refusal.
    code: Option<&'static str>,
    duration_ms: f64,
    request_bytes: usize,
    response_bytes: usize,
    arguments_hmac: Option<&'a str>,
}

/// What a file begins with.
#[derive(Serialize)]
struct Started<'a> {
    time: &'a str,
    event: &'static str,
    program: &'static str,
    /// Fingerprints under other keys cannot be compared with those that follow.
    key_id: String,
    /// `file`, or `random` for one that ends with this run.
    key: &'static str,
}

/// The line of a call or a decision.
pub(super) fn record(call: &Called<'_>) -> Vec<u8> {
    to_line(&Record {
        time: &now(),
        event: if call.outcome.is_call() { "call" } else { "decision" },
        method: line(call.method, LONGEST),
        principal: call.who.principal.map(|name| line(name, LONGEST)),
        session: call.who.session,
        strategy: call.who.strategy,
        client: line(call.who.client, LONGEST),
        upstream: call.upstream,
        tool: line(call.tool, LONGEST),
        outcome: call.outcome.name(),
        code: call.refusal,
        duration_ms: call.duration.as_micros() as f64 / 1000.0,
        request_bytes: call.request_bytes,
        response_bytes: call.response_bytes,
        arguments_hmac: call.fingerprint,
    })
}

/// Makes the line that says which key is used.
pub(super) fn started(key: &Key) -> impl Fn() -> Vec<u8> + Send + use<> {
    let (key_id, is_kept) = (key.id(), key.is_kept);
    move || {
        to_line(&Started {
            time: &now(),
            event: "opened",
            program: concat!("mcp-disclosure ", env!("CARGO_PKG_VERSION")),
            key_id: key_id.clone(),
            key: if is_kept { "file" } else { "random" },
        })
    }
}

/// Structs of texts and numbers always serialize. A person reads it, too: what JSON leaves as it is is escaped by its means.
fn to_line(record: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_string(record).unwrap_or_default();
    let mut line = Vec::with_capacity(text.len() + 1);
    line.extend_from_slice(printable(&text).as_bytes());
    line.push(b'\n');
    line
}
