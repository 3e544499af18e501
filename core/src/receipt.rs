//! Receipts: proof that a definition was delivered to this client.
//!
//! With sessions, a receipt is a mark in the session's memory ([`Marks`]). Without sessions it is a
//! signed handle ([`ReceiptKey`]) that the client passes back, so that any replica can check it and none
//! has to remember it. Receipts are a workflow aid, not access control.

use std::{
    collections::HashMap,
    fmt,
    sync::Mutex,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::{
    digest::Digest,
    name::ToolName,
    setting::{SettingKind, SettingValue},
};

/// How long a handle is valid unless configured otherwise.
pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Where receipts come from for the caller at hand.
#[derive(Clone, Copy, Debug)]
pub enum Receipts<'a> {
    /// A session's marks.
    Marks(&'a Marks),
    /// Signed handles.
    Handles(Handles<'a>),
    /// Either: a session's marks, and handles for clients that call in other sessions than they read in.
    Both {
        /// The session's marks.
        marks: &'a Marks,
        /// Signed handles.
        handles: Handles<'a>,
        /// Whether the client is known to be one of these, so that what is delivered has handles.
        signs: bool,
    },
}

/// The proof of a delivery in sessions (docs/CONTRACT.md R8, R14; decision 0023). Without sessions it is always signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionReceipts {
    /// A mark in the session, which is valid there only.
    Session,
    /// The same, and a signed receipt as well for a client that read a description in one session and called in another.
    #[default]
    Auto,
    /// A signed receipt in the delivered schema, which calls must contain.
    Signed,
}

impl SettingValue for SessionReceipts {
    const KIND: SettingKind = SettingKind::Word(&["session", "auto", "signed"]);
}

/// What stands for a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// The session shall be marked; the client need not do anything.
    Mark,
    /// The client must pass this back with each call.
    Handle(String),
}

/// Why there is no valid receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum ReceiptProblem {
    /// Nothing was delivered, or no handle was given.
    Missing,
    /// The handle is too old.
    Expired,
    /// The definition is another one since.
    DefinitionChanged,
    /// The handle is not one of ours, or for another tool or principal.
    Invalid,
}

impl Receipts<'_> {
    /// The receipt for a delivery that is about to happen.
    pub fn issue(&self, tool: &ToolName, digest: &Digest) -> Receipt {
        match self {
            Self::Marks(_) | Self::Both { signs: false, .. } => Receipt::Mark,
            Self::Handles(handles) | Self::Both { handles, .. } => {
                Receipt::Handle(handles.sign(tool, digest))
            }
        }
    }

    /// Whether the definition of this digest was delivered. `handle` is what the call brought.
    ///
    /// Strategies ask [`Context::authorize`](crate::Context::authorize), which knows which tools need no receipt.
    pub fn check(
        &self,
        tool: &ToolName,
        digest: &Digest,
        handle: Option<&str>,
    ) -> Result<(), ReceiptProblem> {
        match self {
            Self::Marks(marks) => marks.check(tool, digest),
            Self::Handles(handles) => handles.check(tool, digest, handle.ok_or(ReceiptProblem::Missing)?),
            Self::Both { marks, handles, .. } => marks
                .check(tool, digest)
                .or_else(|problem| handles.check(tool, digest, handle.ok_or(problem)?)),
        }
    }
}

/// What was delivered in one session.
#[derive(Debug, Default)]
pub struct Marks {
    delivered: Mutex<HashMap<ToolName, Digest>>,
}

impl Marks {
    /// Marks a definition as delivered.
    pub fn mark(&self, tool: ToolName, digest: Digest) {
        self.lock().insert(tool, digest);
    }

    /// Whether this definition is marked.
    pub fn has(&self, tool: &ToolName, digest: &Digest) -> bool {
        self.lock().get(tool) == Some(digest)
    }

    /// Whether nothing was delivered.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// All marks.
    pub fn all(&self) -> Vec<(ToolName, Digest)> {
        self.lock().iter().map(|(tool, digest)| (tool.clone(), *digest)).collect()
    }

    fn check(&self, tool: &ToolName, digest: &Digest) -> Result<(), ReceiptProblem> {
        match self.lock().get(tool) {
            Some(delivered) if delivered == digest => Ok(()),
            None => Err(ReceiptProblem::Missing),
            Some(_) => Err(ReceiptProblem::DefinitionChanged),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ToolName, Digest>> {
        // Whoever panicked while holding it left a map that is still a map.
        self.delivered.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The key under which handles are signed. Replicas that share it accept each other's handles.
#[derive(Clone)]
pub struct ReceiptKey(Hmac<Sha256>);

impl ReceiptKey {
    /// Fewer bytes than this are no key.
    pub const LEAST_BYTES: usize = 32;

    /// A new key from the operating system's randomness.
    ///
    /// # Errors
    /// The operating system's, where it has none.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; Self::LEAST_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(Hmac::new_from_slice(&bytes).expect("HMAC takes a key of any length")))
    }

    /// Takes the bytes as they are; `None` if there are too few.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let long_enough = bytes.len() >= Self::LEAST_BYTES;
        long_enough.then(|| Hmac::new_from_slice(bytes).ok().map(Self))?
    }
}

impl fmt::Debug for ReceiptKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ReceiptKey(..)")
    }
}

/// Signs and checks handles for one request.
///
/// A handle is 43 characters: base64url of expiry (4 bytes, seconds since 1970), nonce (4), the head of
/// the digest (8) and the head of an HMAC-SHA-256 (16) over these, the principal and the tool's name.
#[derive(Clone, Copy, Debug)]
pub struct Handles<'a> {
    /// The key.
    pub key: &'a ReceiptKey,
    /// Whom the handles are for.
    pub principal: Option<&'a str>,
    /// How long new ones are valid.
    pub lifetime: Duration,
    /// The time of the request.
    pub now: SystemTime,
}

const HEAD: usize = 16;
const WHOLE: usize = 32;

impl Handles<'_> {
    fn sign(&self, tool: &ToolName, digest: &Digest) -> String {
        let expiry = seconds(self.now).saturating_add(self.lifetime.as_secs());
        let expiry = u32::try_from(expiry).unwrap_or(u32::MAX);
        let mut handle = [0; WHOLE];
        handle[..4].copy_from_slice(&expiry.to_be_bytes());
        // So that handles made within a second differ. Without randomness the clock has to do.
        if getrandom::fill(&mut handle[4..8]).is_err() {
            let since = self.now.duration_since(UNIX_EPOCH).unwrap_or_default();
            handle[4..8].copy_from_slice(&since.subsec_nanos().to_be_bytes());
        }
        handle[8..HEAD].copy_from_slice(&digest.as_bytes()[..8]);
        let mac = self.mac(tool, &handle[..HEAD]).finalize().into_bytes();
        handle[HEAD..].copy_from_slice(&mac[..WHOLE - HEAD]);
        URL_SAFE_NO_PAD.encode(handle)
    }

    fn check(&self, tool: &ToolName, digest: &Digest, handle: &str) -> Result<(), ReceiptProblem> {
        let bytes = URL_SAFE_NO_PAD.decode(handle).map_err(|_| ReceiptProblem::Invalid)?;
        let bytes: [u8; WHOLE] = bytes.try_into().map_err(|_| ReceiptProblem::Invalid)?;
        let (head, mac) = bytes.split_at(HEAD);
        self.mac(tool, head).verify_truncated_left(mac).map_err(|_| ReceiptProblem::Invalid)?;
        if head[8..] != digest.as_bytes()[..8] {
            return Err(ReceiptProblem::DefinitionChanged);
        }
        let expiry = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        if seconds(self.now) >= u64::from(expiry) { Err(ReceiptProblem::Expired) } else { Ok(()) }
    }

    /// Lengths stand before texts, so that no two inputs look the same to the MAC.
    fn mac(&self, tool: &ToolName, head: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.key.0.clone();
        mac.update(head);
        let principal = self.principal.unwrap_or_default();
        mac.update(&[u8::from(self.principal.is_some())]);
        for text in [principal, tool.as_str()] {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        mac
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(byte: u8) -> ReceiptKey {
        ReceiptKey::new(&[byte; 32]).unwrap()
    }

    fn handles<'a>(key: &'a ReceiptKey, principal: Option<&'a str>, now: u64) -> Handles<'a> {
        let now = UNIX_EPOCH + Duration::from_secs(now);
        Handles { key, principal, lifetime: Duration::from_secs(60), now }
    }

    #[test]
    fn a_handle_is_for_one_tool_principal_definition_and_time() {
        let (key, other_key) = (key(1), key(2));
        let (tool, other) = (ToolName::parse("t").unwrap(), ToolName::parse("u").unwrap());
        let (digest, changed) = (Digest::of("1"), Digest::of("2"));
        let handle = handles(&key, Some("p"), 100).sign(&tool, &digest);
        assert_eq!(handle.len(), 43);
        let check = |key, principal, now, tool: &ToolName, digest: &Digest| {
            handles(key, principal, now).check(tool, digest, &handle)
        };
        assert_eq!(check(&key, Some("p"), 159, &tool, &digest), Ok(()));
        assert_eq!(check(&key, Some("p"), 160, &tool, &digest), Err(ReceiptProblem::Expired));
        assert_eq!(check(&key, Some("p"), 100, &tool, &changed), Err(ReceiptProblem::DefinitionChanged));
        assert_eq!(check(&key, Some("p"), 100, &other, &digest), Err(ReceiptProblem::Invalid));
        assert_eq!(check(&key, Some("q"), 100, &tool, &digest), Err(ReceiptProblem::Invalid));
        assert_eq!(check(&key, None, 100, &tool, &digest), Err(ReceiptProblem::Invalid));
        assert_eq!(check(&other_key, Some("p"), 100, &tool, &digest), Err(ReceiptProblem::Invalid));
    }

    proptest! {
        #[test]
        fn no_other_text_passes(text in "\\PC{0,60}", flip in 0usize..32, bit in 0u8..8) {
            let key = key(1);
            let tool = ToolName::parse("t").unwrap();
            let digest = Digest::of("1");
            let handles = handles(&key, None, 100);
            prop_assert!(handles.check(&tool, &digest, &text).is_err());
            let mut bytes = URL_SAFE_NO_PAD.decode(handles.sign(&tool, &digest)).unwrap();
            bytes[flip] ^= 1 << bit;
            prop_assert!(handles.check(&tool, &digest, &URL_SAFE_NO_PAD.encode(bytes)).is_err());
        }
    }
}
