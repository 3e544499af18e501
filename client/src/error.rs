//! What can go wrong between a host and a server.

use std::{fmt, time::Duration};

use mcp_disclosure_core::RawObject;

/// Why there is no result. A tool that fails is not an error here: its result says `isError: true`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's program could not be started.
    #[error("cannot start '{program}'")]
    Start {
        /// The program.
        program: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The address, or a header for it, is none.
    #[error("'{given}' is no {what}")]
    Address {
        /// What was given.
        given: String,
        /// What it should have been.
        what: &'static str,
    },
    /// No revision of MCP is spoken by both sides.
    #[error("the server speaks no revision of MCP that this client does: {told}")]
    NothingInCommon {
        /// What the server said to that.
        told: String,
    },
    /// The connection is gone.
    #[error("the connection to the server has ended: {reason}")]
    Ended {
        /// Why, as far as is known; for a child process with the last lines of its stderr.
        reason: String,
    },
    /// An HTTP exchange failed; the connection itself may still be good.
    #[error("{method}: {reason}")]
    Http {
        /// The request's method.
        method: String,
        /// What happened, with the status if there was one.
        reason: String,
    },
    /// The server took too long. It was told that nobody waits any more.
    #[error("{method}: no answer within {} seconds", waited.as_secs_f64())]
    TimedOut {
        /// The request's method.
        method: String,
        /// How long was waited.
        waited: Duration,
    },
    /// The server answered with an error.
    #[error("{method}: {error}")]
    Answered {
        /// The request's method.
        method: String,
        /// The error as it came.
        error: ServerError,
    },
    /// The server answered with something that is no answer.
    #[error("{method}: the answer makes no sense: {what}")]
    Nonsense {
        /// The request's method.
        method: String,
        /// What is wrong with it.
        what: String,
    },
    /// A definition was asked for that the server does not have.
    #[error("the server has no tool '{name}'{}", nearest(available))]
    UnknownTool {
        /// The name asked for.
        name: String,
        /// Names that the server proposes instead; may be empty.
        available: Vec<String>,
    },
    /// The server would not deliver definitions.
    #[error("definitions were refused: {message} ({code})")]
    Refused {
        /// Its code for that, such as `RATE_LIMITED`.
        code: String,
        /// Its message.
        message: String,
        /// When it may be asked again, if it said so.
        retry_after: Option<Duration>,
    },
    /// What was given as arguments or parameters is no JSON object.
    #[error("arguments must be a JSON object")]
    NoObject {
        /// What serialization said, where it failed.
        source: Option<serde_json::Error>,
    },
}

/// A server's error object as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// Its `code`.
    pub code: i64,
    /// Its `message`.
    pub message: String,
    /// The whole object, `data` and members unknown to this program included.
    pub object: RawObject,
}

impl ServerError {
    /// Reads an error object; `None` if it is none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let object = RawObject::parse(text).ok()?;
        let code = object.member("code")?.parse().ok()?;
        Some(Self { code, message: object.string("message")?, object })
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code)
    }
}

fn nearest(available: &[String]) -> String {
    const SHOWN: usize = 5;
    match available {
        [] => String::new(),
        names if names.len() <= SHOWN => format!("; it has {}", names.join(", ")),
        names => format!("; it has {} and more", names[..SHOWN].join(", ")),
    }
}
