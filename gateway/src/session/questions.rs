//! Requests of upstreams to clients: how many one upstream may have open at one client, and how many bytes they may hold.

use std::{
    fmt::Arguments,
    sync::{Arc, Once},
};

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{Budget, ErrorText, Json, Share, code};
use tokio::sync::oneshot;

use crate::limits::Limits;

/// The open requests of one upstream to one client.
#[derive(Debug)]
pub(super) struct Questions {
    count: Budget,
    bytes: Budget,
    /// Of a limit that was reached; how often is the upstream's to say.
    reported: Once,
}

/// An open request's part of both limits, released on drop.
pub(super) type OpenQuestion = (Share, Share);

impl Questions {
    /// No open requests yet.
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            count: Budget::new(limits.questions_per_upstream),
            bytes: Budget::new(limits.upstream_queue_bytes),
            reported: Once::new(),
        }
    }

    /// Opens a request of this upstream, whose parameters have this many bytes.
    ///
    /// # Errors
    /// -32005 if a limit is reached; the message names it.
    pub(super) fn open(&self, upstream: &str, bytes: usize) -> Result<OpenQuestion, ErrorText> {
        let refused = |what: &str, most| self.refused(upstream, format_args!("{what}: at most {most}"));
        let count = self.count.take(1).ok_or_else(|| refused("requests", self.count.most()))?;
        let bytes = self.bytes.take_one(bytes).ok_or_else(|| refused("bytes", self.bytes.most()))?;
        Ok((count, bytes))
    }

    fn refused(&self, upstream: &str, what: Arguments<'_>) -> ErrorText {
        self.reported.call_once(|| {
            tracing::warn!(upstream, %what, "upstream reached a limit of unanswered requests to a client");
        });
        ErrorText::new(code::LIMIT_REACHED, format_args!("the client has too many unanswered {what}"))
    }
}

/// A request from an upstream to a client of the stateless era, delivered in an `input_required` result.
#[derive(Debug)]
pub struct InputRequest {
    /// The JSON-RPC method.
    pub method: String,
    /// The parameters.
    pub params: RawObject,
    /// Receives the client's response.
    pub answer: oneshot::Sender<Result<Json, ErrorText>>,
    /// Held for as long as the parameters are, even if the upstream cancels the request.
    pub(super) _open: Arc<OpenQuestion>,
}

#[cfg(test)]
impl InputRequest {
    /// A request without parameters that counts against no limit.
    pub fn uncounted(method: &str, answer: oneshot::Sender<Result<Json, ErrorText>>) -> Self {
        let params = RawObject::empty();
        let open = Questions::new(&Limits::default()).open("u", params.text().len()).unwrap();
        Self { method: method.to_owned(), params, answer, _open: Arc::new(open) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_requests_are_limited_by_number_and_by_bytes() {
        let limits = Limits { questions_per_upstream: 3, upstream_queue_bytes: 10, ..Limits::default() };
        let questions = Questions::new(&limits);
        let open = |bytes| questions.open("u", bytes);
        let message = |bytes| open(bytes).unwrap_err().message();
        let first = open(8).unwrap();
        assert!(message(3).ends_with("at most 10"), "{}", message(3));
        let _others = [open(1).unwrap(), open(1).unwrap()];
        assert!(message(0).ends_with("at most 3"), "{}", message(0));
        drop(first);
        assert!(open(8).is_ok(), "an answer makes room");
    }
}
