//! One entry of a manifest.

use mcp_disclosure_core::{Digest, RawObject};

/// The entry of one tool: what a client compares with what it holds, and what it decides by before it fetches.
#[derive(Clone, Debug)]
pub struct ManifestEntry {
    name: String,
    digest: Digest,
    size: usize,
    tool: RawObject,
    text: RawObject,
}

impl ManifestEntry {
    /// The entry of a `Tool` as it is sent to clients.
    pub fn of(tool: &RawObject) -> Self {
        let (digest, size) = Digest::with_size(tool.text());
        let name = tool.string("name").unwrap_or_default();
        let title = tool.member("title").filter(|title| title.starts_with('"'));
        let annotations = tool.member("annotations").filter(|hints| hints.starts_with('{'));
        let text = RawObject::empty().with_value("name", &name);
        let text = title.into_iter().fold(text, |text, title| text.with("title", title));
        let text = text.with_value("digest", &digest).with_value("size", &size);
        let text = annotations.into_iter().fold(text, |text, hints| text.with("annotations", hints));
        Self { name, digest, size, tool: tool.clone(), text }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The digest of the definition.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The size of its canonical form, in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The definition.
    pub fn tool(&self) -> &RawObject {
        &self.tool
    }

    /// The entry as it is sent: `name`, `title`, `digest`, `size` and `annotations`, and nothing else of the definition.
    pub fn text(&self) -> &RawObject {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_an_entry_has_what_the_draft_allows_and_nothing_else() {
        let tool = |text: &str| ManifestEntry::of(&RawObject::parse(text).unwrap());
        let whole = tool(
            r#"{"name":"t","title":"T","description":"d","inputSchema":{},"outputSchema":{},"icons":[],
                "annotations":{"readOnlyHint":true,"x":1.0},"_meta":{"a":1},"unheard-of":1}"#,
        );
        let keys: Vec<&str> = whole.text().iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["name", "title", "digest", "size", "annotations"]);
        assert_eq!(whole.text().member("annotations"), Some(r#"{"readOnlyHint":true,"x":1.0}"#));
        let odd = tool(r#"{"name":"t","title":7,"annotations":[]}"#);
        let keys: Vec<&str> = odd.text().iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["name", "digest", "size"]);
    }

    /// The four vectors of the working group's suite, and twelve of our own.
    #[test]
    fn m3_digest_and_size_are_of_the_canonical_form() {
        let vectors: Vec<RawObject> = serde_json::from_str(include_str!("canonical.json")).unwrap();
        assert_eq!(vectors.len(), 16);
        for vector in vectors {
            let (text, canonical) = (vector.string("text"), vector.string("canonical").unwrap());
            // RFC 8785 refuses a lone surrogate, and so does our parser: such a text is digested as it is.
            let (text, id) = (text.unwrap_or(canonical.clone()), vector.string("id").unwrap());
            let entry = ManifestEntry::of(&RawObject::parse(text).unwrap());
            assert_eq!(entry.size(), canonical.len(), "{id}");
            assert_eq!(entry.digest(), Digest::of_bytes(canonical.as_bytes()), "{id}");
        }
    }
}
