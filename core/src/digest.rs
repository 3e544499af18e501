//! Digests of definitions: SHA-256 over the canonical form (RFC 8785).

use std::{fmt, io, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::layout::{self, tokens};

/// Maximum memory of a parsed text, in bytes.
const MAX_MEMORY: usize = 32_000_000;

/// A definition's digest, as SEP-2636 computes it. It does not depend on white space or key order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a JSON text.
    ///
    /// A text without canonical form, such as one that has a key twice in an object, nests too deep for a `Value` or would take
    /// too much memory as one, is digested byte by byte: any change of its bytes then changes the digest.
    pub fn of(text: &str) -> Self {
        Self::with_size(text).0
    }

    /// The same with the size of what is digested, in bytes.
    pub fn with_size(text: &str) -> (Self, usize) {
        match canonical(text) {
            Some(bytes) => (Self::of_bytes(&bytes), bytes.len()),
            None => (Self::of_bytes(text.as_bytes()), text.len()),
        }
    }

    /// The digest of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest of these texts in this order, byte by byte.
    pub fn of_parts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut hash = Sha256::new();
        for text in texts {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        Self(hash.finalize().into())
    }

    /// The digest of these [bytes](Self::as_bytes).
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    /// `sha256:` and 64 hexadecimal digits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sha256:{}", hex(&self.0))
    }
}

/// A new id: 128 random bits in hexadecimal.
///
/// # Errors
/// If the operating system provides no randomness.
pub fn random_id() -> io::Result<Arc<str>> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes).into())
}

/// Whether this can be such an id.
pub fn is_random_id(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| char::from(b"0123456789abcdef"[usize::from(half)])).collect()
}

/// The canonical form of a JSON text (RFC 8785): what [`Digest::of`] digests. `None` for a text that has none, or would take
/// too much memory.
pub fn canonical(text: &str) -> Option<Vec<u8>> {
    if !layout::fits(text, MAX_MEMORY) {
        return None;
    }
    let value = serde_json::from_str::<Value>(text).ok()?;
    let mut form = Vec::with_capacity(text.len());
    let members = write_canonical(&value, &mut form).ok()?;
    // Where an object has a key twice, what is written has the last one, and another reader may take the first.
    let is_whole = members == tokens(text).filter(|token| *token == ":").count();
    is_whole.then_some(form)
}

/// Writes a value in canonical form, and returns how many members it has at all depths. `serde_json_canonicalizer` keeps a buffer for each member, which is more than half of what a
/// digest takes then.
fn write_canonical(value: &Value, form: &mut Vec<u8>) -> io::Result<usize> {
    let mut count = 0;
    match value {
        Value::Object(members) => {
            count += members.len();
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            form.push(b'{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                form.extend((at > 0).then_some(b','));
                serde_json::to_writer(&mut *form, key)?;
                form.push(b':');
                count += write_canonical(value, form)?;
            }
            form.push(b'}');
        }
        Value::Array(items) => {
            form.push(b'[');
            for (at, item) in items.iter().enumerate() {
                form.extend((at > 0).then_some(b','));
                count += write_canonical(item, form)?;
            }
            form.push(b']');
        }
        Value::Number(_) => serde_json_canonicalizer::to_writer(value, form)?,
        Value::String(_) | Value::Bool(_) | Value::Null => serde_json::to_writer(form, value)?,
    }
    Ok(count)
}

/// The text is not a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 'sha256:' and 64 hexadecimal digits, not '{0}'")]
pub struct NoDigest(String);

impl FromStr for Digest {
    type Err = NoDigest;

    /// Parses what `Display` writes.
    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let is_digits = |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = text.strip_prefix("sha256:").filter(is_digits);
        let digits = digits.ok_or_else(|| NoDigest(text.chars().take(80).collect()))?;
        // Two digits are a byte.
        let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap_or_default();
        Ok(Self(std::array::from_fn(byte)))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<f64>().prop_map(|number| json!(number)),
            any::<i64>().prop_map(|number| json!(number)),
            any::<Option<bool>>().prop_map(|flag| json!(flag)),
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_that_of_rfc_8785(value in values()) {
            let expected = serde_json_canonicalizer::to_vec(&value).ok();
            prop_assert_eq!(canonical(&value.to_string()), expected);
        }
    }

    #[test]
    fn parts_keep_their_ends() {
        assert_ne!(Digest::of_parts(["ab", "c"]), Digest::of_parts(["a", "bc"]));
        assert_ne!(Digest::of_parts(["a"]), Digest::of_parts(["a", ""]));
        assert_eq!(Digest::of_parts(["a", "b"]), Digest::of_parts(["a", "b"]));
    }

    #[test]
    fn a_digest_is_parsed_from_what_it_is_written_as() {
        let digest = Digest::of("{}");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        let short = format!("sha256:{}", "0".repeat(63));
        let signed = format!("sha256:{}", "+f".repeat(32));
        for wrong in ["", "sha256:", "sha1:00", &short, &signed, &format!("sha256:{}", "é".repeat(32))] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn u10_a_key_that_stands_twice_is_digested_each_time() {
        for (doubled, once) in [
            (r#"{"a":"evil","a":"good"}"#, r#"{"a":"good"}"#),
            (r#"[{"b":{"a":1,"\u0061":2}}]"#, r#"[{"b":{"a":2}}]"#),
        ] {
            assert_ne!(Digest::of(doubled), Digest::of(once));
            assert_eq!(Digest::of(doubled), Digest::of_bytes(doubled.as_bytes()));
        }
        assert_eq!(Digest::of(r#"{"a":":","b":{"a":1}}"#), Digest::of(r#"{"b":{"a":1},"a":"\u003a"}"#));
    }
}
