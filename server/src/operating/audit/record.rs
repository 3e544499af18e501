//! The format of records, and the key of the fingerprints in them.

use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use mcp_disclosure_core::digest::hex;
use mcp_disclosure_gateway::{Problem, observe::Called};
use mcp_disclosure_transport::printable::{line, printable};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    failure::Failure,
    files::{random_key, read_key},
    log::now,
};

/// Maximum length of a text that peers choose, in characters.
const LONGEST: usize = 256;

/// What the key's own fingerprint is of.
const IDENTITY: &str = "mcp-disclosure audit key";

/// A key for fingerprints: arguments are often short and could be guessed from a plain hash.
#[derive(Clone, Debug)]
pub(super) struct Key(Hmac<Sha256>);

impl Key {
    /// The key in the file, or a new one.
    ///
    /// # Errors
    /// [`Failure::Configuration`] if the file cannot be read or is too short, or the operating system has no randomness.
    pub(super) fn new(file: Option<&Path>) -> Result<Self, Failure> {
        let wrong = |problem| Failure::Configuration(vec![problem]);
        let none = |error: &dyn std::fmt::Display| Problem::new(format!("no key for the audit log: {error}"));
        let key = file.map_or_else(
            || random_key().map_err(|error| none(&error)),
            |path| read_key("--audit-key-file", path),
        );
        Hmac::new_from_slice(&key.map_err(wrong)?).map(Self).map_err(|error| wrong(none(&error)))
    }

    /// HMAC-SHA-256 of a text, in hexadecimal.
    pub(super) fn fingerprint(&self, text: &str) -> Box<str> {
        let mut mac = self.0.clone();
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes()).into()
    }

    /// What distinguishes it from other keys, without saying anything about it.
    pub(super) fn id(&self) -> String {
        self.fingerprint(IDENTITY).chars().take(8).collect()
    }
}

/// The line of a call, which was sent to its upstream and is over, or of a decision of the gateway's.
pub(super) fn record(call: &Called<'_>) -> Vec<u8> {
    let who = &call.who;
    to_line(&json!({
        "time": now(),
        "event": if call.outcome.is_call() { "call" } else { "decision" },
        "method": line(call.method, LONGEST),
        "principal": who.principal.map(|name| line(name, LONGEST)),
        "session": who.session,
        "strategy": who.strategy,
        "client": line(who.client, LONGEST),
        "upstream": call.upstream,
        "tool": line(call.tool, LONGEST),
        "outcome": call.outcome.name(),
        "code": call.refusal,
        "duration_ms": call.duration.as_micros() as f64 / 1000.0,
        "request_bytes": call.request_bytes,
        "response_bytes": call.response_bytes,
        "arguments_hmac": call.fingerprint,
    }))
}

/// Makes the line that a file begins with. Fingerprints under other keys than the one that it names cannot be compared with those
/// that follow.
pub(super) fn started(key: &Key) -> impl Fn() -> Vec<u8> + Send + use<> {
    let key_id = key.id();
    let program = concat!("mcp-disclosure ", env!("CARGO_PKG_VERSION"));
    move || to_line(&json!({"time": now(), "event": "opened", "program": program, "key_id": key_id}))
}

/// A person reads it, too: what JSON leaves as it is is escaped by its means.
fn to_line(record: &Value) -> Vec<u8> {
    let mut line = printable(&record.to_string()).into_owned().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a7_fingerprints_are_hmac_sha_256() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0x0b; 32]).unwrap();
        let key = Key::new(Some(file.path())).unwrap();
        // As openssl dgst -sha256 -mac HMAC -macopt hexkey:0b… has it.
        let expected = "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7";
        assert_eq!(&*key.fingerprint("Hi There"), expected);
        let others = [Key::new(None).unwrap(), Key::new(None).unwrap()];
        assert_ne!(others[0].fingerprint("{}"), others[1].fingerprint("{}"));
        assert_ne!(others[0].id(), others[1].id());
    }

    #[test]
    fn a7_a_short_key_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "short").unwrap();
        let Err(Failure::Configuration(problems)) = Key::new(Some(file.path())) else { panic!() };
        assert!(problems[0].to_string().contains("5 bytes are no key; it needs 32"), "{problems:?}");
    }
}
