//! Why a request has no result.

use std::{borrow::Cow, time::Duration};

use mcp_disclosure_core::brief::shorten;

use crate::{Bound, ErrorText, HttpError, Json, Reason};

/// A request has no result. `Display` is a predicate of the peer ("did not respond within 2 seconds") and
/// safe to show to clients; [`in_full`](Self::in_full) adds details for the operator.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer responded with an error, which is relayed unchanged.
    #[error("answered with an error: {}", .0.message())]
    Answered(ErrorText),
    /// The connection has ended.
    #[error("has ended: {reason}")]
    Ended {
        /// The cause, as far as known.
        reason: Reason,
        /// Whether the peer cannot have processed the request: it was never sent, or refused.
        unprocessed: bool,
    },
    /// The HTTP request failed. The connection may still be usable.
    #[error("{0}")]
    Http(HttpError),
    /// The response is neither an object result nor an error with code and message.
    #[error("sent an invalid response: {what}")]
    Invalid {
        /// What is invalid.
        what: Cow<'static, str>,
        /// The response, shortened: for the operator, since it may name what is hidden from clients.
        shown: String,
    },
    /// The response cannot be parsed.
    #[error("sent an invalid response: {reason}")]
    Malformed {
        /// What is invalid. Does not quote the text, which may contain data of other clients.
        reason: String,
    },
    /// The queue of messages not yet read by the peer is full.
    #[error("does not read fast enough: at most {} bytes are queued ({})", .0.most, .0.setting)]
    QueueFull(Bound),
    /// The share of the request's owner of that queue is used up, or that of all requests without an owner.
    #[error("does not read fast enough: at most {} bytes of one client are queued ({})", .0.most, .0.setting)]
    ShareFull(Bound),
    /// The request is nested too deeply.
    #[error("was not sent the request: it is nested deeper than {} levels ({})", .0.most, .0.setting)]
    TooDeep(Bound),
    /// No response in time.
    #[error("did not respond within {} seconds", waited.as_secs_f64())]
    TimedOut {
        /// The time since the request was sent or its last progress.
        waited: Duration,
    },
}

impl CallError {
    /// The error with all details, for the operator.
    pub fn in_full(&self) -> String {
        match self {
            Self::Ended { reason, .. } => format!("has ended: {}", reason.in_full()),
            Self::Http(error) => error.in_full(),
            Self::Invalid { shown, .. } if !shown.is_empty() => format!("{self}: {shown}"),
            // The others have no details.
            _ => self.to_string(),
        }
    }

    /// Whether the peer is, or may be, gone, so that a new connection may help.
    pub fn is_disconnection(&self) -> bool {
        matches!(self, Self::Ended { .. } | Self::Http(_))
    }

    /// Whether nothing could be reached at the peer's address.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Http(error) if error.is_unreachable())
    }

    /// Whether the peer certainly has not processed the request, so that sending it again cannot run it twice:
    /// it was never sent, or it was refused together with its session (HTTP 404). `false` where that is not
    /// known. Whether it helps to send it on a new connection is [`is_disconnection`](Self::is_disconnection).
    pub fn is_unprocessed(&self) -> bool {
        match self {
            Self::Ended { unprocessed, .. } => *unprocessed,
            Self::Http(error) => error.is_unsent(),
            Self::QueueFull(_) | Self::ShareFull(_) | Self::TooDeep(_) => true,
            Self::Answered(_) | Self::Invalid { .. } | Self::Malformed { .. } | Self::TimedOut { .. } => {
                false
            }
        }
    }
}

/// Checks that a result is an object, and that an error has a code and a message.
pub(crate) fn check(outcome: Result<Json, ErrorText>) -> Result<Json, CallError> {
    let shown = |text: &Json| shorten(text.as_str(), 120);
    match outcome {
        Ok(result) if result.as_str().starts_with('{') => Ok(result),
        Ok(result) => {
            Err(CallError::Invalid { what: "its result is not an object".into(), shown: shown(&result) })
        }
        Err(error) if error.is_sound() => Err(CallError::Answered(error)),
        // What it says is for the client, as any error's message is.
        Err(error) => {
            let what = format!("its error has no code and message: {}", shown(error.text()));
            Err(CallError::Invalid { what: what.into(), shown: String::new() })
        }
    }
}
