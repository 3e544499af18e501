//! Malformed responses: the requests they belong to, as far as that is known, fail immediately.

use mcp_disclosure_core::brief::shorten;

use super::Connection;
use crate::{CallError, ErrorText, Glimpse, Json, RequestId, Response, code};

impl Connection {
    /// Handles text that is not a message; `refused` is what is wrong with it.
    pub(super) fn refuse(&self, text: &[u8], refused: &Response, about: Option<RequestId>) {
        let reason = refused.outcome.as_ref().err().map(ErrorText::message).unwrap_or_default();
        let seen = Glimpse::of(text);
        if seen.has_method {
            if let [id] = seen.ids.as_slice() {
                self.reply(id.clone(), "", Err(ErrorText::new(code::INVALID_REQUEST, reason)));
            }
        } else if seen.is_answer || seen.is_json_rpc {
            return self.fail_meant(&seen, &reason, about);
        }
        let line = shorten(&String::from_utf8_lossy(text), 120);
        tracing::warn!(upstream = self.name(), line, "skipped output that is not an MCP message");
        let _first_counts = self.foreign_output.set(line);
    }

    /// Handles a response without an id. An error may belong to a request whose id the peer could not read; a
    /// result cannot.
    pub(super) fn settle_without_id(&self, outcome: Result<Json, ErrorText>, about: Option<RequestId>) {
        let Some(id) = about.or_else(|| self.requests.only()) else {
            return tracing::warn!(upstream = self.name(), "result without id dropped");
        };
        let error = match outcome {
            Err(error) if error.is_sound() => CallError::Answered(error),
            _ => CallError::Malformed { reason: "it has no id".to_owned() },
        };
        self.fail(id, error);
    }

    /// Fails the only pending request; `false` if there are several, or none.
    pub(crate) fn fail_only(&self, reason: &str) -> bool {
        let only = self.requests.only();
        self.fail_all(only.as_slice(), reason);
        only.is_some()
    }

    /// Fails the requests that text with an invalid response belongs to.
    pub(super) fn fail_meant(&self, seen: &Glimpse, reason: &str, about: Option<RequestId>) {
        tracing::warn!(upstream = self.name(), reason, "invalid response");
        self.fail_all(&self.meant(seen, about), reason);
    }

    /// The requests that a malformed response belongs to: those it names, otherwise the one on whose stream
    /// it arrived, otherwise the only pending one. Truncated text without an id may be the rest of a response
    /// to an abandoned request.
    fn meant(&self, seen: &Glimpse, about: Option<RequestId>) -> Vec<RequestId> {
        if seen.ids.is_empty() {
            let only = || seen.is_whole.then(|| self.requests.only()).flatten();
            return about.or_else(only).into_iter().collect();
        }
        seen.ids.iter().filter_map(RequestId::of).collect()
    }

    fn fail_all(&self, ids: &[RequestId], reason: &str) {
        for id in ids {
            self.fail(*id, CallError::Malformed { reason: reason.to_owned() });
        }
    }
}
