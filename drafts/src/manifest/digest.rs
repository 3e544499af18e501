//! The digest of a manifest as a whole, and conditional requests for manifests: an extension of ours to SEP-2636.
//!
//! Where nothing changed, a manifest is still about 200 bytes for each tool. A client that states the digest of what it
//! holds receives no entries then:
//!
//! ```text
//! → {"method": "tools/manifest", "params": {"_meta": {"io.github.mcp-disclosure/manifest": {"digest": "sha256:…"}}}}
//! ← {"entries": [], "_meta": {"io.github.mcp-disclosure/manifest": {"digest": "sha256:…", "unchanged": true}}}
//! ```
//!
//! Servers that support this have `"digest": true` under the same key in `capabilities.experimental`; other servers ignore
//! the member, and send the manifest.

use mcp_disclosure_core::{Digest, RawObject};

use super::KEY;

/// What a server that compares digests has under [`KEY`] in `capabilities.experimental`.
pub const CAPABILITY: &str = r#"{"manifest":true,"digest":true}"#;

const DIGEST: &str = "digest";
const UNCHANGED: &str = "unchanged";
const COMPARES: &str = "compares";

/// The digest of a manifest: that of the JSON array of `[name, digest]`, in the order of the list.
pub fn of<'n>(entries: impl IntoIterator<Item = (&'n str, Digest)>) -> Digest {
    let entries: Vec<(&str, Digest)> = entries.into_iter().collect();
    // Strings and digests always serialize, and in one way: this is its canonical form.
    Digest::of_bytes(serde_json::to_string(&entries).unwrap_or_default().as_bytes())
}

/// Whether a server with these capabilities compares digests.
pub fn is_compared(capabilities: &RawObject) -> bool {
    let own = capabilities.object("experimental").and_then(|experimental| experimental.object(KEY));
    own.is_some_and(|own| own.member(DIGEST) == Some("true"))
}

/// The parameters of a request for the manifest that states a digest.
pub fn stated(digest: Digest) -> RawObject {
    RawObject::empty().with("_meta", with_own(&RawObject::empty(), &own(digest)).text())
}

/// The parameters of the first request of `tools/list` to a server with these capabilities. One that compares digests adds to
/// its list what [hosts read](mcp_disclosure_core::full), which no manifest has; it leaves that out for clients that compare.
pub fn comparable(capabilities: &RawObject) -> RawObject {
    if !is_compared(capabilities) {
        return RawObject::empty();
    }
    let own = RawObject::empty().with(COMPARES, "true");
    RawObject::empty().with("_meta", with_own(&RawObject::empty(), &own).text())
}

/// Whether a request of `tools/list` is that of a client that compares.
pub fn is_comparable(params: &RawObject) -> bool {
    let own = params.meta().and_then(|meta| meta.object(KEY));
    own.is_some_and(|own| own.member(COMPARES) == Some("true"))
}

/// The digest that a request states.
pub fn stated_in(params: &RawObject) -> Option<Digest> {
    params.meta()?.object(KEY)?.string(DIGEST)?.parse().ok()
}

/// The `_meta` of a result: of a manifest, or of one that is left out since it is the stated one.
pub fn meta(others: Option<&RawObject>, digest: Digest, unchanged: bool) -> RawObject {
    let own = own(digest);
    let own = if unchanged { own.with(UNCHANGED, "true") } else { own };
    with_own(&others.cloned().unwrap_or_default(), &own)
}

/// Whether a result with this `_meta` has no entries since nothing changed.
pub fn is_unchanged(meta: &RawObject) -> bool {
    meta.object(KEY).is_some_and(|own| own.member(UNCHANGED) == Some("true"))
}

/// The `_meta` without what is said here; `None` if nothing is left.
pub fn without(meta: &RawObject) -> Option<RawObject> {
    Some(meta.retain(|key| key != KEY)).filter(|meta| !meta.is_empty())
}

fn own(digest: Digest) -> RawObject {
    RawObject::empty().with_value(DIGEST, &digest)
}

fn with_own(meta: &RawObject, own: &RawObject) -> RawObject {
    meta.with(KEY, own.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_stated_compared_and_removed_again() {
        let digest = of([("a", Digest::of("{}")), ("b\\n", Digest::of("[]"))]);
        let expected = format!(r#"[["a","{}"],["b\\n","{}"]]"#, Digest::of("{}"), Digest::of("[]"));
        assert_eq!(digest, Digest::of(&expected));
        assert_eq!(stated_in(&stated(digest)), Some(digest));
        let others = RawObject::parse(r#"{"x":1.0}"#).unwrap();
        let unchanged = meta(Some(&others), digest, true);
        assert!(is_unchanged(&unchanged) && !is_unchanged(&meta(None, digest, false)));
        assert_eq!(without(&unchanged), Some(others));
        assert_eq!(without(&meta(None, digest, false)), None);
        let capabilities =
            RawObject::parse(format!(r#"{{"experimental":{{"{KEY}":{CAPABILITY}}}}}"#)).unwrap();
        assert!(is_comparable(&comparable(&capabilities)) && !is_comparable(&stated(digest)));
        assert!(comparable(&RawObject::empty()).is_empty());
    }
}
