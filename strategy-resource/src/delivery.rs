//! What a fetch answers: definitions, receipts, and the errors of 000 §6.

use std::time::Duration;

use mcp_disclosure_core::{
    Context, Definitions, Era, Names, RawObject, ReceiptProblem, Receipts, Refusal, VisibleTool,
    delivered::DESCRIPTION_REQUIRED,
};
use serde_json::{Value, json};

use crate::{ResourceConfig, selection::uri_of, wording};

/// Too many fetches in a short time.
const RATE_LIMITED: &str = "RATE_LIMITED";

/// The channel of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The resource: entries are exact.
    Resource,
    /// The bridge tool: entries are what the operator chose.
    Bridge,
}

/// Delivers these tools' descriptions, in this order.
///
/// # Errors
/// Why nothing is delivered.
pub fn deliver(
    cx: &Context<'_>,
    config: &ResourceConfig,
    channel: Channel,
    names: Names<'_>,
) -> Result<RawObject, Refusal> {
    let (message, example): (_, fn(&[&str]) -> Value) = match channel {
        Channel::Resource => (wording::MISSING_SELECTION, |names| uri_of(names.iter().copied()).into()),
        Channel::Bridge => (wording::MISSING_NAMES, |names| json!({"names": names})),
    };
    let definitions = match channel {
        Channel::Resource => Definitions::Exact,
        Channel::Bridge => cx.client.definitions,
    };
    let entry = |tool: VisibleTool<'_>| cx.deliver_entry(tool, tool.delivered(definitions));
    let admitted = cx.services.admit_fetch().map_err(rate_limited);
    let delivered = admitted.and_then(|()| cx.descriptions(names, config.bounds(), message, example, entry));
    delivered.inspect_err(|Refusal { code, .. }| {
        tracing::info!(session = cx.session, code, "fetch refused");
        cx.refuse(code);
    })
}

fn rate_limited(wait: Duration) -> Refusal {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let content = json!({"error": {
        "code": RATE_LIMITED,
        "message": wording::rate_limited(seconds),
        "retry_after_seconds": seconds,
    }});
    Refusal { code: RATE_LIMITED, content }
}

/// The refusal of a call whose description was not delivered (000 §6.2).
pub fn refusal(cx: &Context<'_>, tool: VisibleTool<'_>, problem: ReceiptProblem) -> Refusal {
    // What a call has to bring: a signed receipt, or nothing where the session is marked.
    let era = match cx.receipts {
        Receipts::Marks(_) | Receipts::Both { signs: false, .. } => Era::Session,
        Receipts::Handles(_) | Receipts::Both { .. } => Era::Stateless,
    };
    let name = tool.name();
    let mut error = json!({
        "code": DESCRIPTION_REQUIRED,
        "message": wording::description_required(name),
        "instructions": wording::steps(name, tool.tool().receipt_argument(), era, cx.client.bridge, problem),
        "resource_uri": uri_of([name.as_str()]),
    });
    // In a session that nothing was fetched yet is the ordinary case and goes without saying.
    let ordinary = era == Era::Session && problem == ReceiptProblem::Missing;
    if !ordinary {
        error["reason"] = problem.to_string().into();
    }
    Refusal { code: DESCRIPTION_REQUIRED, content: json!({ "error": error }) }
}
