//! What a fetch answers: definitions, receipts, and the errors of 000 §6.

use mcp_disclosure_core::{
    Context, Definitions, Era, Names, Note, RawObject, ReceiptProblem, Receipts, Refusal, VisibleTool,
    delivered::DESCRIPTION_REQUIRED, own_tool_note, tool_not_found,
};
use serde_json::{Value, json};

use crate::{ResourceConfig, selection::uri_of, wording};

/// Too many fetches in a short time.
const RATE_LIMITED: &str = "RATE_LIMITED";

/// The answer to one fetch.
#[derive(Debug)]
pub struct Delivery {
    /// The JSON object, as text.
    pub content: RawObject,
    /// Whether nothing was delivered because the request itself was at fault.
    pub failed: bool,
}

/// The channel of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The resource: entries are exact.
    Resource,
    /// The bridge tool: entries are what the operator chose.
    Bridge,
}

/// Delivers these tools' descriptions, in this order.
pub fn deliver(cx: &Context<'_>, config: &ResourceConfig, channel: Channel, names: Names<'_>) -> Delivery {
    if let Err(wait) = cx.services.admit_fetch() {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let content = json!({"error": {
            "code": RATE_LIMITED,
            "message": wording::rate_limited(seconds),
            "retry_after_seconds": seconds,
        }});
        return refused(cx, Refusal { code: RATE_LIMITED, content });
    }
    let (message, example): (_, fn(&[&str]) -> Value) = match channel {
        Channel::Resource => (wording::MISSING_SELECTION, |names| uri_of(names.iter().copied()).into()),
        Channel::Bridge => (wording::MISSING_NAMES, |names| json!({"names": names})),
    };
    let names = match names.selected(config.bounds(), message, example) {
        Ok(names) => names,
        Err(refusal) => return refused(cx, refusal),
    };
    cx.services.notes(Note::Delivered);
    let entries: Vec<String> = names
        .iter()
        .map(|name| match cx.view.tool(name) {
            Some(tool) => entry(cx, channel, tool).text().to_owned(),
            None if cx.view.reserves(name) => own_tool_note(name).to_string(),
            None => {
                tracing::info!(session = cx.session, tool = name, "description of an unknown tool asked for");
                tool_not_found(name, cx.view, config.bounds()).to_string()
            }
        })
        .collect();
    let pieces = names.iter().map(String::as_str).zip(entries.iter().map(String::as_str));
    Delivery { content: RawObject::assemble(pieces), failed: false }
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

fn entry(cx: &Context<'_>, channel: Channel, tool: VisibleTool<'_>) -> RawObject {
    let entry = tool.delivered(match channel {
        Channel::Resource => Definitions::Exact,
        Channel::Bridge => cx.client.definitions,
    });
    tracing::info!(session = cx.session, tool = %tool.name(), "description delivered");
    cx.deliver_entry(tool, entry)
}

fn refused(cx: &Context<'_>, refusal: Refusal) -> Delivery {
    let Refusal { code, content } = refusal;
    tracing::info!(session = cx.session, code, "fetch refused");
    cx.services.refuses(code);
    let content = RawObject::parse(content.to_string()).unwrap_or_else(|_| RawObject::empty());
    Delivery { content, failed: true }
}
