//! Output that is no valid message: where it can be attributed to a request, that one is settled or answered; the rest is a line of the log.

use mcp_disclosure_core::brief::shorten;

use super::Connection;
use crate::{CallError, ErrorText, Json, Outline, RequestId, code};

impl Connection {
    /// Handles text that is not a message; `refused` is what is wrong with it. Only a request is answered.
    pub(super) fn refuse(&self, text: &[u8], refused: &ErrorText, about: Option<RequestId>) {
        if !self.refuse_seen(&Outline::of(text), &refused.message(), about) {
            self.skip_output(text);
        }
    }

    /// Handles a message that is too long, by what was seen of it.
    pub(crate) fn refuse_overlong(&self, seen: &Outline) {
        let bound = self.bounds().message_bytes;
        let (most, setting) = (bound.most, bound.in_brackets());
        let reason = format!("it is too long; at most {most} bytes are read{setting}");
        if !self.refuse_seen(seen, &reason, None) {
            self.skip_output(reason.as_bytes());
        }
    }

    /// Settles or answers what was seen of a text; `false` if it is neither a response nor a request.
    fn refuse_seen(&self, seen: &Outline, reason: &str, about: Option<RequestId>) -> bool {
        match seen.ids.as_slice() {
            _ if seen.is_response() => self.fail_meant(seen, reason, about),
            [id] if seen.has_method => {
                self.reply(id.clone(), "", Err(ErrorText::new(code::INVALID_REQUEST, reason)));
            }
            _ => return false,
        }
        true
    }

    /// Handles a response without an id: that of the request whose POST it answers. An error is then the answer; a result
    /// cannot be. Without such a request it belongs to none, however few wait: it may be about a notification, or about another
    /// client's request.
    pub(super) fn settle_without_id(&self, outcome: Result<Json, ErrorText>, about: Option<RequestId>) {
        let Some(id) = about else {
            let said = outcome.err().map(|error| format!("; {}", error.message())).unwrap_or_default();
            return self.skip_response(&format!("it has no id{said}"));
        };
        let error = match outcome {
            Err(error) if error.is_sound() => CallError::Answered(error),
            _ => CallError::invalid("it has no id"),
        };
        self.fail(id, error);
    }

    /// Fails the requests that text with an invalid response belongs to: those it names, otherwise the one whose POST it
    /// answers.
    pub(super) fn fail_meant(&self, seen: &Outline, reason: &str, about: Option<RequestId>) {
        self.skip_response(reason);
        let named: Vec<RequestId> = seen.ids.iter().filter_map(RequestId::of).collect();
        let meant = if seen.ids.is_empty() { about.into_iter().collect() } else { named };
        for id in meant {
            self.fail(id, CallError::invalid(reason.to_owned()));
        }
    }

    /// Logs a response that has no effect, or none but a failure, by what is wrong with it.
    pub(super) fn skip_response(&self, reason: &str) {
        if self.skipped.admits(&self.name()) {
            let reason = shorten(reason, SHOWN);
            tracing::warn!(upstream = self.name(), reason, "invalid response");
        }
    }

    /// Logs output that is nothing of MCP.
    fn skip_output(&self, text: &[u8]) {
        let is_logged = self.skipped.admits(&self.name());
        if is_logged || self.foreign_output.get().is_none() {
            let line = shorten(&String::from_utf8_lossy(text), SHOWN);
            if is_logged {
                tracing::warn!(upstream = self.name(), line, "skipped output that is not an MCP message");
            }
            let _first_counts = self.foreign_output.set(line);
        }
    }
}

/// Characters of output, or of an error in it, that are logged.
const SHOWN: usize = 120;
