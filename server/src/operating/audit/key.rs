//! The key of fingerprints: arguments are often short and could be guessed from a plain hash.

use std::{fmt, path::Path};

use hmac::{Hmac, KeyInit, Mac};
use mcp_disclosure_core::digest::hex;
use mcp_disclosure_gateway::Problem;
use sha2::Sha256;

use crate::{failure::Failure, files::others_can_read};

/// The shortest key in a file, in bytes.
const LEAST: usize = 32;

/// What the key's own fingerprint is of.
const IDENTITY: &str = "mcp-disclosure audit key";

/// A key for fingerprints.
#[derive(Clone)]
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
        let found = match file {
            Some(path) => read(path).map_err(|why| format!("--audit-key-file {}: {why}", path.display())),
            None => random(),
        };
        let mac = found.and_then(|key| Hmac::new_from_slice(&key).map_err(|error| error.to_string()));
        let mac = mac.map_err(|message| {
            let hint = "head -c 32 /dev/urandom > FILE makes a key";
            Failure::Configuration(vec![Problem::new(message).hint(hint)])
        })?;
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

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    if others_can_read(path) {
        let path = path.display();
        tracing::warn!("--audit-key-file {path}: others can read the key (hint: chmod 600 {path})");
    }
    let key = std::fs::read(path).map_err(|error| error.to_string())?;
    if key.len() < LEAST {
        return Err(format!("{} bytes are no key; it needs {LEAST}", key.len()));
    }
    Ok(key)
}

fn random() -> Result<Vec<u8>, String> {
    let mut key = vec![0; LEAST];
    getrandom::fill(&mut key).map_err(|error| format!("no key for the audit log: {error}"))?;
    Ok(key)
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
