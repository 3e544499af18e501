//! Why a connection ended, or a request has no result.
//!
//! Each error has two levels of detail: `Display` is a predicate of the peer ("did not respond within 2 seconds") that
//! clients may read; `in_full` adds what is for the operator only, such as stderr output, errors of the operating system
//! and the bodies of responses.

use std::{borrow::Cow, error::Error, fmt, io, time::Duration};

use reqwest::StatusCode;

use crate::{Bound, ErrorText};

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Reason {
    kind: Cow<'static, str>,
    detail: String,
}

impl Reason {
    /// A reason without details; `kind` must be safe to show to clients.
    pub fn new(kind: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: kind.into(), detail: String::new() }
    }

    /// The same with details, unless they are empty.
    pub fn because(self, detail: &str) -> Self {
        let between = if self.detail.is_empty() || detail.is_empty() { "" } else { "; " };
        Self { detail: format!("{}{between}{detail}", self.detail), ..self }
    }

    /// Kind and details, for the operator.
    pub fn in_full(&self) -> String {
        with_detail(self, &self.detail)
    }
}

/// Only for string literals, so that details are not used as a kind by accident.
impl From<&'static str> for Reason {
    fn from(kind: &'static str) -> Self {
        Self::new(kind)
    }
}

fn with_detail(shown: &impl fmt::Display, detail: &str) -> String {
    if detail.is_empty() { shown.to_string() } else { format!("{shown}: {detail}") }
}

/// A request has no result.
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
    /// The response cannot be parsed, or is neither an object result nor an error with code and message.
    #[error("sent an invalid response: {what}")]
    Invalid {
        /// What is invalid. It does not quote what may be data of other clients.
        what: Cow<'static, str>,
        /// The response, shortened: for the operator, since it may name what is hidden from clients.
        shown: String,
    },
    /// The queue of messages not yet read by the peer is full.
    #[error("does not read fast enough: at most {} bytes are queued{}", .0.most, .0.in_brackets())]
    QueueFull(Bound),
    /// The share of the request's owner of that queue is used up, or that of all requests without an owner.
    #[error("does not read fast enough: at most {} bytes of one client are queued{}", .0.most, .0.in_brackets())]
    ShareFull(Bound),
    /// The request is nested too deeply.
    #[error("was not sent the request: it is nested deeper than {} levels{}", .0.most, .0.in_brackets())]
    TooDeep(Bound),
    /// No response in time.
    #[error("did not respond within {} seconds", waited.as_secs_f64())]
    TimedOut {
        /// The time since the request was sent or its last progress.
        waited: Duration,
    },
}

impl CallError {
    /// An invalid response of which nothing is shown.
    pub fn invalid(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid { what: what.into(), shown: String::new() }
    }

    /// The connection has ended before a request was sent.
    pub fn ended(reason: impl Into<Reason>) -> Self {
        Self::Ended { reason: reason.into(), unprocessed: true }
    }

    /// The error with all details, for the operator.
    pub fn in_full(&self) -> String {
        match self {
            Self::Ended { reason, .. } => format!("has ended: {}", reason.in_full()),
            Self::Http(error) => error.in_full(),
            Self::Invalid { shown, .. } => with_detail(self, shown),
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
    /// it was never sent, or it was refused together with its session. `false` where that is not
    /// known. Whether it helps to send it on a new connection is [`is_disconnection`](Self::is_disconnection).
    pub fn is_unprocessed(&self) -> bool {
        match self {
            Self::Ended { unprocessed, .. } => *unprocessed,
            Self::Http(error) => error.is_unsent(),
            Self::QueueFull(_) | Self::ShareFull(_) | Self::TooDeep(_) => true,
            Self::Answered(_) | Self::Invalid { .. } | Self::TimedOut { .. } => false,
        }
    }
}

/// An HTTP exchange without a response to the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// An error status, such as 401, 404 or 503.
    #[error("answered HTTP {status}")]
    Status {
        /// The status.
        status: StatusCode,
        /// The start of the response body.
        body: String,
    },
    /// The request is not authorized.
    #[error("{0}")]
    Unauthorized(#[from] Unauthorized),
    /// There is no connection to the server.
    #[error("cannot be reached{failed}")]
    Unreachable {
        /// What failed, as it is said: `: its name cannot be resolved`, `: TLS failed`, or nothing for any other reason.
        failed: &'static str,
        /// The error of the resolver, of TLS or of the operating system.
        cause: String,
    },
    /// The connection closed before the end of the response.
    #[error("closed the connection before the end of its response")]
    Broken {
        /// The cause.
        cause: String,
    },
    /// By HTTP+SSE, the server named no URL that can be used for messages.
    #[error("named {0}")]
    UnusableEndpoint(Cow<'static, str>),
    /// Anything else that the server did.
    #[error("{0}")]
    Other(Reason),
}

impl HttpError {
    /// The response, or one of its events, exceeds the limit.
    pub(crate) fn too_long(bound: Bound) -> Self {
        let (most, setting) = (bound.most, bound.in_brackets());
        let kind = format!("sent a response that is too long; at most {most} bytes are read{setting}");
        Self::Other(Reason::new(kind))
    }

    /// The error with all details, for the operator.
    pub fn in_full(&self) -> String {
        with_detail(self, self.detail())
    }

    /// What [`in_full`](Self::in_full) adds; may be empty.
    pub(crate) fn detail(&self) -> &str {
        match self {
            Self::Status { body, .. } => body,
            Self::Unauthorized(Unauthorized::Unavailable { detail }) => detail,
            Self::Unreachable { cause, .. } | Self::Broken { cause } => cause,
            Self::Other(reason) => &reason.detail,
            _ => "",
        }
    }

    /// Whether there was no connection to send the request on.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }

    /// Whether the request was not sent, because there was no connection to send it on, or was refused because nobody is
    /// signed in.
    pub fn is_unsent(&self) -> bool {
        match self {
            Self::Unauthorized(unauthorized) => !matches!(unauthorized, Unauthorized::Scopes { .. }),
            _ => self.is_unreachable(),
        }
    }

    /// Whether a person has to sign in before a later attempt may succeed.
    pub fn needs_sign_in(&self) -> bool {
        matches!(self, Self::Unauthorized(Unauthorized::SignIn { .. }))
    }

    /// Whether the server has no such endpoint, so that it may serve HTTP+SSE of 2024-11-05 there.
    pub(crate) fn is_unknown_endpoint(&self) -> bool {
        let is_unknown = |status| {
            matches!(status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED)
        };
        matches!(self, Self::Status { status, .. } if is_unknown(*status))
    }

    /// Whether a later attempt may succeed.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            // 409: the server has not yet noticed that the previous stream is closed.
            Self::Status { status, .. } => match *status {
                StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => true,
                StatusCode::NOT_IMPLEMENTED => false,
                other => other.is_server_error(),
            },
            Self::Unauthorized(unauthorized) => matches!(unauthorized, Unauthorized::Unavailable { .. }),
            Self::Broken { .. } => true,
            _ => self.is_unreachable(),
        }
    }
}

/// Why a request is not authorized. `Display` is a predicate of the server and safe to show to clients.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unauthorized {
    /// A person has to sign in.
    #[error("needs sign-in: run '{command}'")]
    SignIn {
        /// The command to run.
        command: String,
    },
    /// A person has to grant more scopes.
    #[error("does not allow this with the scopes that were granted: run '{command}'")]
    Scopes {
        /// The command to run.
        command: String,
    },
    /// The header cannot be obtained at present.
    #[error("cannot be signed in to at present")]
    Unavailable {
        /// The reason, for the operator.
        detail: String,
    },
}

impl From<&reqwest::Error> for HttpError {
    fn from(error: &reqwest::Error) -> Self {
        if let Some(refused) = find::<Self>(error) {
            return refused.clone();
        }
        let cause = cause(error);
        if !error.is_connect() {
            return Self::Broken { cause };
        }
        let failed = if find::<rustls::Error>(error).is_some() {
            ": TLS failed"
        // hyper-util has no public type for this error.
        } else if sources(error).any(|source| source.to_string() == "dns error") {
            ": its name cannot be resolved"
        } else {
            ""
        };
        Self::Unreachable { failed, cause }
    }
}

/// The innermost cause, which is the most specific. The outermost contains the whole URL.
pub fn cause(error: &reqwest::Error) -> String {
    sources(error).last().map(ToString::to_string).unwrap_or_default()
}

/// The chain of sources, outermost first. The error inside an [`io::Error`] is a separate source here.
fn sources(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    fn next<'a>(error: &&'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
        let error: &'a (dyn Error + 'static) = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inside) => Some(inside),
            None => error.source(),
        }
    }
    std::iter::successors(error.source(), next)
}

fn find<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    sources(error).find_map(|source| source.downcast_ref())
}

#[cfg(test)]
mod tests;
