//! JSON-RPC errors, created here or relayed.

use std::fmt;

use mcp_disclosure_core::{Fault, RawObject};
use serde_json::Value;

use crate::Json;

/// The error codes in use.
pub mod code {
    /// Invalid JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// Not a valid request, or not valid in the current state.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is not supported.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Missing or invalid parameters.
    pub const INVALID_PARAMS: i64 = -32602;
    /// An internal error.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// An upstream failed: it ended, hung or sent an invalid response. Implementation-defined.
    pub const UPSTREAM_FAILED: i64 = -32000;
    /// A peer reached a limit, which the message names. Implementation-defined.
    pub const LIMIT_REACHED: i64 = -32005;
    /// The store of sessions cannot be used now. Implementation-defined.
    pub const STORE_UNAVAILABLE: i64 = -32006;
    /// Resource not found, up to 2025-11-25.
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// An HTTP header contradicts the body, since 2026-07-28.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The client has not declared a capability that the request needs, since 2026-07-28.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The protocol version is not supported, since 2026-07-28.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// An error object as text, so that a relayed one keeps all its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    code: i64,
    text: Json,
    is_relayed: bool,
}

impl ErrorText {
    /// A new error.
    pub fn new(code: i64, message: impl fmt::Display) -> Self {
        let object = RawObject::empty().with_value("code", &code).with_value("message", &message.to_string());
        Self { code, text: object.into(), is_relayed: false }
    }

    /// Adds `data`.
    pub fn with_data(self, data: &Value) -> Self {
        let object = self.object().with_value("data", data);
        Self { text: object.into(), ..self }
    }

    /// A relayed error object, unchanged.
    pub fn relayed(text: Json) -> Self {
        let code = RawObject::of(&text).ok().and_then(|object| object.member("code")?.parse().ok());
        Self { code: code.unwrap_or(code::INTERNAL_ERROR), text, is_relayed: true }
    }

    /// The error with another code.
    pub fn recoded(self, code: i64) -> Self {
        let object = self.object().with_value("code", &code);
        Self { code, text: object.into(), ..self }
    }

    /// Whether it is an object with an integer code and a string message.
    pub fn is_sound(&self) -> bool {
        let object = self.object();
        object.member("code").is_some_and(|code| code.parse::<i64>().is_ok())
            && object.string("message").is_some()
    }

    /// Whether another program made it. Its code may then mean something else than it does here.
    pub fn is_relayed(&self) -> bool {
        self.is_relayed
    }

    /// Its code.
    pub fn code(&self) -> i64 {
        self.code
    }

    /// Its message.
    pub fn message(&self) -> String {
        self.object().string("message").unwrap_or_default()
    }

    /// Its `data`, if that is an object.
    pub fn data(&self) -> Option<RawObject> {
        self.object().object("data")
    }

    /// The whole error object.
    pub fn text(&self) -> &Json {
        &self.text
    }

    fn object(&self) -> RawObject {
        RawObject::of(&self.text).unwrap_or_default()
    }

    /// Missing or invalid parameters (-32602).
    pub fn invalid_params(message: impl fmt::Display) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// An unsupported method (-32601).
    pub fn method_not_found() -> Self {
        Self::new(code::METHOD_NOT_FOUND, "Method not found")
    }
}

impl From<Fault> for ErrorText {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InvalidParams(message) => Self::invalid_params(message),
            Fault::NotFound { message, data } => {
                Self::new(code::RESOURCE_NOT_FOUND, message).with_data(&data)
            }
            Fault::Rejected { message, data } => Self::invalid_params(message).with_data(&data),
            other => Self::new(code::INTERNAL_ERROR, other),
        }
    }
}
