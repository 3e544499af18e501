//! The key of fingerprints: arguments are often short and could be guessed from a plain hash.

use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use mcp_disclosure_core::digest::hex;
use mcp_disclosure_gateway::Problem;
use sha2::Sha256;

use crate::{
    failure::Failure,
    files::{random_key, read_key},
};

/// What the key's own fingerprint is of.
const IDENTITY: &str = "mcp-disclosure audit key";

/// A key for fingerprints.
#[derive(Clone, Debug)]
pub(super) struct Key {
    mac: Hmac<Sha256>,
    /// Whether it outlives this run.
    pub(super) is_kept: bool,
}

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
        let mac = Hmac::new_from_slice(&key.map_err(wrong)?).map_err(|error| wrong(none(&error)))?;
        Ok(Self { mac, is_kept: file.is_some() })
    }

    /// HMAC-SHA-256 of a text, in hexadecimal.
    pub(super) fn fingerprint(&self, text: &str) -> Box<str> {
        let mut mac = self.mac.clone();
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes()).into()
    }

    /// What distinguishes it from other keys, without saying anything about it.
    pub(super) fn id(&self) -> String {
        self.fingerprint(IDENTITY).chars().take(8).collect()
    }
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
