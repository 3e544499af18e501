//! Detection of a request's era, and the metadata of stateless requests.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

use mcp_disclosure_client::handshake::{stateless_meta, with_meta};
use mcp_disclosure_core::{
    RawObject,
    given::{LONGEST_TEXT, is_like, shown, string},
};
use mcp_disclosure_drafts::variants::SERVER_VARIANT;
use mcp_disclosure_transport::{
    ErrorText, LoggingLevel, Request, code,
    meta::{
        CLIENT_CAPABILITIES as CAPABILITIES, CLIENT_INFO as CLIENT, LOG_LEVEL, PREFIX,
        PROTOCOL_VERSION as VERSION,
    },
};
use serde_json::json;

use super::{Offer, Revision};
use crate::{DRAFTS, limits::Limits};

/// The kind of a request.
#[derive(Clone, Debug)]
pub(crate) enum RequestKind {
    /// Opens a session.
    Initialize,
    /// Belongs to a session, or to none.
    Session,
    /// A stateless request.
    Stateless(Box<RequestMeta>),
}

/// The metadata of a stateless request.
#[derive(Clone, Debug)]
pub struct RequestMeta {
    /// The version, as sent.
    pub version: String,
    /// The client's capabilities.
    pub capabilities: RawObject,
    /// The `clientInfo`, if present.
    pub client: RawObject,
    /// The client's disclosure offer.
    pub offer: Offer,
    /// The server variant that it names, as JSON text.
    pub variant: Option<String>,
    /// The lowest log level requested.
    pub log_level: Option<LoggingLevel>,
}

/// Determines the era of a request.
///
/// # Errors
/// Those of [`check`]; -32602 if required `_meta` keys are missing or invalid; -32022 for an unsupported version.
pub(crate) fn classify(request: &Request, limits: &Limits) -> Result<RequestKind, ErrorText> {
    let meta = check(request, limits)?;
    let version = meta.and_then(|meta| meta.member(VERSION));
    let capabilities = meta.and_then(|meta| meta.member(CAPABILITIES));
    if version.is_none() && capabilities.is_none() {
        return match &*request.method {
            "initialize" => Ok(RequestKind::Initialize),
            "server/discover" | "subscriptions/listen" => Err(missing(VERSION)),
            _ => Ok(RequestKind::Session),
        };
    }
    let meta = meta.ok_or_else(|| missing(VERSION))?;
    let version = meta.string(VERSION).ok_or_else(|| missing(VERSION))?;
    if Revision::parse(&version).is_none_or(Revision::has_sessions) {
        return Err(unsupported(&version, |_| true));
    }
    let capabilities = meta.object(CAPABILITIES).ok_or_else(|| missing(CAPABILITIES))?;
    let offer = Offer::read(&capabilities);
    let log_level = match meta.member(LOG_LEVEL) {
        None => None,
        Some(_) => {
            let level = meta.string(LOG_LEVEL).and_then(|level| level.parse().ok());
            Some(level.ok_or_else(|| missing(LOG_LEVEL))?)
        }
    };
    let client = meta.object(CLIENT).unwrap_or_else(RawObject::empty);
    let variant = meta.member(SERVER_VARIANT).filter(|_| DRAFTS).map(str::to_owned);
    Ok(RequestKind::Stateless(Box::new(RequestMeta {
        version,
        capabilities,
        client,
        offer,
        variant,
        log_level,
    })))
}

/// Checks the size of a request's client info, which is all of `initialize` and the `_meta` of any other
/// request, and of the name or URI that it asks for, and that the request is unambiguous. Returns its `_meta`, if it has one that
/// is an object.
///
/// # Errors
/// -32602 if the client info, the name or the URI is too large, or the request ambiguous.
fn check<'r>(request: &'r Request, limits: &Limits) -> Result<Option<&'r RawObject>, ErrorText> {
    check_size(request, limits)?;
    ["name", "uri", "taskId"].into_iter().try_for_each(|key| check_name(&request.params, key))?;
    unambiguous(&request.params, &DECISIVE)?;
    // Only a completion has one that is read; parsing another's would cost for nothing.
    let is_completion = request.method == "completion/complete";
    for part in ["ref", "argument"].into_iter().filter(|_| is_completion) {
        let Some(part) = request.params.object(part) else { continue };
        ["name", "uri", "value"].into_iter().try_for_each(|key| check_name(&part, key))?;
        unambiguous(&part, &DECISIVE)?;
    }
    let context = is_completion.then(|| request.params.object("context")).flatten();
    context.map_or(Ok(()), |context| {
        unambiguous(&context, &DECISIVE)?;
        // What is hidden is found by these values, so that none may be read in two ways.
        let is_plain = |arguments: &str| {
            let mut known = HashSet::new();
            RawObject::parse(arguments).is_ok_and(|arguments| {
                let mut all = arguments.iter();
                all.all(|(key, value)| known.insert(key.to_owned()) && string(value).is_some())
            })
        };
        let message = "params.context.arguments must be an object of strings, in which each key occurs once";
        let is_read = context.member("arguments").is_none_or(is_plain);
        if is_read { Ok(()) } else { Err(ErrorText::invalid_params(message)) }
    })?;
    let meta = request.params.meta();
    // Some servers read no request with another one, and never answer it.
    if meta.is_none() && request.params.member("_meta").is_some_and(|meta| meta != "null") {
        return Err(ErrorText::invalid_params("params._meta must be an object"));
    }
    meta.map_or(Ok(()), |meta| unambiguous(meta, &DECISIVE_META))?;
    Ok(meta)
}

/// Checks the length of what a request asks for, as it is written, before it is decoded, looked up and repeated in answers.
fn check_name(object: &RawObject, key: &str) -> Result<(), ErrorText> {
    let size = object.member(key).map_or(0, str::len);
    if size <= LONGEST_TEXT {
        return Ok(());
    }
    Err(ErrorText::invalid_params(format_args!(
        "'{key}' has {size} bytes; at most {LONGEST_TEXT} are allowed"
    )))
}

fn check_size(request: &Request, limits: &Limits) -> Result<(), ErrorText> {
    let (what, size) = match &*request.method {
        "initialize" => ("params", request.params.text().len()),
        _ => ("params._meta", request.params.member("_meta").map_or(0, str::len)),
    };
    let most = limits.client_info_bytes;
    if size <= most {
        return Ok(());
    }
    let message = format_args!("{what} has {size} bytes; at most {most} are allowed");
    Err(ErrorText::invalid_params(message))
}

/// Members that decide what a request reaches. The gateway uses the last one of a name; an upstream may use
/// the first, or one that differs in case (as Go does), so a request with several could reach something other
/// than what was checked.
const DECISIVE: [&str; 11] =
    ["name", "arguments", "uri", "ref", "argument", "value", "context", "type", "task", "taskId", "_meta"];

/// The same in `_meta`: another client's progress token, or who asks and in which revision.
const DECISIVE_META: [&str; 6] = ["progressToken", VERSION, CAPABILITIES, CLIENT, LOG_LEVEL, SERVER_VARIANT];

fn unambiguous(object: &RawObject, decisive: &[&str]) -> Result<(), ErrorText> {
    for (at, (key, _)) in object.iter().enumerate() {
        let Some(decisive) = decisive.iter().find(|decisive| is_like(key, decisive)) else { continue };
        let is_first = || !object.iter().take(at).any(|(before, _)| before == key);
        if key != *decisive || !is_first() {
            let message =
                format_args!("ambiguous parameters: '{decisive}' must occur once, spelled exactly so");
            return Err(ErrorText::invalid_params(message));
        }
    }
    Ok(())
}

/// The refusal of a version, naming the revisions that are supported instead.
pub(crate) fn unsupported(version: &str, is_supported: impl Fn(Revision) -> bool) -> ErrorText {
    let supported = Revision::names().into_iter();
    let supported: Vec<String> =
        supported.filter(|name| Revision::parse(name).is_some_and(&is_supported)).collect();
    ErrorText::new(code::UNSUPPORTED_VERSION, "Unsupported protocol version")
        .with_data(&json!({"supported": supported, "requested": shown(version)}))
}

fn missing(key: &str) -> ErrorText {
    ErrorText::invalid_params(format_args!("params._meta[\"{key}\"] is missing or of the wrong type"))
}

/// The parameters of a stateless request with other capabilities, made of those that it declares.
fn with_capabilities(params: &RawObject, made: impl FnOnce(&RawObject) -> RawObject) -> RawObject {
    let Some(meta) = params.meta() else { return params.clone() };
    let capabilities = meta.object(CAPABILITIES).unwrap_or_default();
    params.with("_meta", meta.with(CAPABILITIES, made(&capabilities).text()).text())
}

impl RequestMeta {
    /// The parameters of a stateless request from the gateway to an upstream, on behalf of a client with
    /// these capabilities.
    pub fn ours(params: &RawObject, capabilities: &RawObject) -> RawObject {
        let own = json!({"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")});
        with_meta(params, &stateless_meta(&own, &Offer::ours(capabilities)))
    }

    /// The parameters of a client's stateless request with this gateway's half of the disclosure extension.
    pub fn with_our_offer(params: &RawObject) -> RawObject {
        with_capabilities(params, Offer::ours)
    }

    /// The capabilities that a stateless request declares.
    pub fn declared(params: &RawObject) -> Option<RawObject> {
        params.meta()?.object(CAPABILITIES)
    }

    /// A hash, of this process, of what the client says about itself. It distinguishes clients at an address, and is not authenticated.
    pub fn identity(&self) -> u64 {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        HASHER.hash_one((self.client.text(), self.capabilities.text()))
    }

    /// Whether the parameters request log messages.
    pub fn asks_for_log(params: &RawObject) -> bool {
        params.meta().is_some_and(|meta| meta.member(LOG_LEVEL).is_some())
    }

    /// The parameters with the requested log level set or removed.
    pub fn with_log_level(params: &RawObject, level: Option<LoggingLevel>) -> RawObject {
        let Some(meta) = params.meta() else { return params.clone() };
        let meta = match level {
            Some(level) => meta.with_value(LOG_LEVEL, &level.to_string()),
            // Most requests have none to remove.
            None if meta.member(LOG_LEVEL).is_none() => return params.clone(),
            None => meta.retain(|key| key != LOG_LEVEL),
        };
        params.with("_meta", meta.text())
    }

    /// The parameters of a client's stateless request, which declares the extension of tasks or does not.
    pub fn with_tasks(params: &RawObject, tasks: bool) -> RawObject {
        with_capabilities(params, |capabilities| Offer::with_tasks(capabilities, tasks))
    }

    /// The parameters without the metadata of the stateless era, for upstreams with sessions.
    pub fn strip(params: &RawObject) -> RawObject {
        let Some(meta) = params.meta() else { return params.clone() };
        let kept = meta.retain(|key| !key.starts_with(PREFIX));
        if kept.is_empty() { params.retain(|key| key != "_meta") } else { params.with("_meta", kept.text()) }
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_transport::Id;

    use super::*;

    fn is_unambiguous(params: &str) -> bool {
        let (id, params) = (Id::number(1), RawObject::parse(params).unwrap());
        let request = Request { id, method: "completion/complete".to_owned(), params };
        check(&request, &Limits::default()).is_ok()
    }

    #[test]
    fn what_decides_occurs_once_and_as_the_protocol_spells_it_p2() {
        for good in [
            r#"{}"#,
            r#"{"name":"x","arguments":{"name":1,"Name":2},"_meta":{"URI":1}}"#,
            r#"{"uri":"file:///x","names":[],"argument":{"name":"a","value":"b"}}"#,
            r#"{"ref":{"type":"ref/prompt","name":"p"},"context":{"arguments":{"a":"x","A":"y"}}}"#,
            r#"{"name":"x","_meta":null}"#,
        ] {
            assert!(is_unambiguous(good), "{good}");
        }
        for bad in [
            r#"{"name":"x","name":"y"}"#,
            r#"{"name":"x","n\u0061me":"y"}"#,
            r#"{"name":"x","NAME":"y"}"#,
            r#"{"Name":"x"}"#,
            r#"{"arguments":{},"argumentſ":{}}"#,
            r#"{"uri":"file:///x","Uri":"file:///y"}"#,
            r#"{"ref":{"type":"ref/resource","uri":"x","URI":"y"}}"#,
            r#"{"ref":{},"Ref":{}}"#,
            r#"{"argument":{"name":"a","Name":"b"}}"#,
            r#"{"argument":{"name":"a"},"argument":{"name":"b"}}"#,
            r#"{"context":{"arguments":{"a":"x","a":"y"}}}"#,
            r#"{"context":{"arguments":{"a":1}}}"#,
            r#"{"_meta":[]}"#,
            r#"{"_meta":{},"_META":{}}"#,
            r#"{"_meta":{"progressToken":1,"ProgressToken":2}}"#,
            r#"{"_meta":{"progressToken":1,"progressToken":2}}"#,
            r#"{"_meta":{"progresstoken":2}}"#,
            r#"{"_meta":{"IO.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
        ] {
            assert!(!is_unambiguous(bad), "{bad}");
        }
    }
}
