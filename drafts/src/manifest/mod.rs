//! Manifests of tools (SEP-2636): a digest and a size for each definition, and the definitions by name.
//!
//! A manifest lets a client that holds definitions find out which of them changed, and fetch those only. It is about
//! complete lists: a digest covers the whole `Tool` as `tools/list` sends it. [`Manifest`] is the server's side,
//! [`Reconciliation`] the client's; neither does I/O. What the draft leaves open, whether a manifest as a whole changed, is
//! answered by its own [digest](Manifest::digest), which a client may [state](digest) in its request.
//!
//! ```
//! use mcp_disclosure_core::RawObject;
//! use mcp_disclosure_drafts::manifest::{Held, ManifestEntry, Reconciliation};
//!
//! let tool = |text: &str| RawObject::parse(text).unwrap();
//! let (old, new) = (tool(r#"{"name":"a","inputSchema":{}}"#), tool(r#"{"name":"a","title":"A","inputSchema":{}}"#));
//! let entries = [ManifestEntry::of(&new).text().clone()];
//! let mut reconciliation = Reconciliation::new(&entries, Held::new(vec![old])).unwrap();
//! while let Some(names) = reconciliation.next_batch() {
//!     // Here `tools/describe` fetches them.
//!     assert_eq!(names, ["a"]);
//!     reconciliation.accept(&names, vec![new.clone()]).unwrap();
//! }
//! assert_eq!(reconciliation.finish().map(Held::into_tools), Some(vec![new]));
//! ```

pub mod digest;
mod entry;
mod reconciliation;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

pub use entry::ManifestEntry;
pub use reconciliation::{Held, Mismatch, Reconciliation};

use mcp_disclosure_core::{Digest, RawObject, View, availability::DETERMINISTIC_GROUPS};

/// The method that sends the manifest.
pub const MANIFEST: &str = "tools/manifest";

/// The method that sends definitions by their names.
pub const DESCRIBE: &str = "tools/describe";

/// The names that a server should accept in one [`DESCRIBE`].
pub const MOST_NAMES: usize = 50;

/// The key in `capabilities.experimental` under which we repeat the capability, and in `_meta` that of [`digest`].
pub const KEY: &str = "io.github.mcp-disclosure/manifest";

/// Whether a server with these capabilities offers manifests. Some SDKs remove unknown members of `capabilities.tools`, so
/// servers repeat it in `experimental`.
pub fn is_offered(capabilities: &RawObject) -> bool {
    let says_so =
        |object: Option<RawObject>| object.is_some_and(|object| object.member("manifest") == Some("true"));
    let experimental = capabilities.object("experimental");
    let repeated = |key| experimental.as_ref().and_then(|all| all.object(key));
    says_so(capabilities.object("tools")) || says_so(repeated(KEY)) || says_so(repeated(DETERMINISTIC_GROUPS))
}

/// The manifest of a complete list.
#[derive(Clone, Debug)]
pub struct Manifest {
    entries: Vec<Arc<ManifestEntry>>,
    /// Where each is in the list, by its name.
    places: HashMap<String, usize>,
    digest: Digest,
}

/// Entries that were made for a view, by name. Lists of equal views can differ in tools that are not the view's.
#[derive(Debug, Default)]
struct Made(Mutex<HashMap<String, Arc<ManifestEntry>>>);

impl Manifest {
    /// The manifest of a view's list, `tools` as they are sent. Digests are computed once for each snapshot and view:
    /// lists of thousands of tools do not belong on a worker that serves others.
    pub fn of(view: &View, tools: &[RawObject]) -> Self {
        let made = view.derived(|_| Made::default());
        let entries: Vec<_> = tools.iter().map(|tool| made.entry(tool)).collect();
        let places = entries.iter().enumerate().rev().map(|(at, entry)| (entry.name().to_owned(), at));
        let places = places.collect();
        let digest = digest::of(entries.iter().map(|entry| (entry.name(), entry.digest())));
        Self { places, entries, digest }
    }

    /// The digest of all names and digests.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The entries, in the order of the list.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &ManifestEntry> {
        self.entries.iter().map(|entry| &**entry)
    }

    /// The entry of this name.
    pub fn entry(&self, name: &str) -> Option<&ManifestEntry> {
        self.places.get(name).map(|at| &*self.entries[*at])
    }

    /// The result of [`DESCRIBE`] for these names.
    ///
    /// # Errors
    /// All names that are not in the manifest, each once.
    pub fn described(&self, names: &[String]) -> Result<RawObject, Vec<String>> {
        Ok(RawObject::empty().with_list("tools", self.describe(names)?))
    }

    /// The definitions of these names, in their order.
    ///
    /// # Errors
    /// All names that are not in the manifest, each once.
    pub fn describe(&self, names: &[String]) -> Result<Vec<&RawObject>, Vec<String>> {
        let mut unknown: Vec<String> = Vec::new();
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            match self.entry(name) {
                Some(entry) => found.push(entry.tool()),
                None if unknown.contains(name) => {}
                None => unknown.push(name.clone()),
            }
        }
        if unknown.is_empty() { Ok(found) } else { Err(unknown) }
    }
}

impl Made {
    fn entry(&self, tool: &RawObject) -> Arc<ManifestEntry> {
        // A panic while the lock was held cannot have left the map inconsistent.
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = tool.string("name").unwrap_or_default();
        if let Some(made) = kept().get(&name).filter(|made| made.tool() == tool) {
            return Arc::clone(made);
        }
        let entry = Arc::new(ManifestEntry::of(tool));
        kept().insert(name, Arc::clone(&entry));
        entry
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{Listing, Permits, Principal, Snapshot, fixtures::named};

    use super::*;

    #[test]
    fn m1_entries_are_made_once_for_equal_views() {
        let snapshot = Arc::new(Snapshot::build(&[named("u", ["a", "b"])], &[]));
        let view = |id: &str| View::of(Arc::clone(&snapshot), &Principal::new(id, Permits::all()));
        let listed = |view: &View| Listing::complete(view).tools;
        let (one, other) = (view("one"), view("other"));
        let first = Manifest::of(&one, &listed(&one));
        let own = RawObject::parse(r#"{"name":"own"}"#).unwrap();
        let second = Manifest::of(&other, &[listed(&other), vec![own]].concat());
        assert!(Arc::ptr_eq(&first.entries[0], &second.entries[0]));
        assert_eq!(second.entries().map(ManifestEntry::name).collect::<Vec<_>>(), ["a", "b", "own"]);
        let changed = RawObject::parse(r#"{"name":"a","title":"A"}"#).unwrap();
        let third = Manifest::of(&one, std::slice::from_ref(&changed));
        assert_ne!(third.entry("a").unwrap().digest(), first.entry("a").unwrap().digest());
        let names = ["b", "x", "y", "x"].map(str::to_owned);
        assert_eq!(first.describe(&names).unwrap_err(), ["x", "y"]);
        let described = first.describe(&["b", "a", "b"].map(str::to_owned)).unwrap();
        assert_eq!(
            described.iter().map(|tool| tool.string("name").unwrap()).collect::<Vec<_>>(),
            ["b", "a", "b"]
        );
    }

    #[test]
    fn m1_the_capability_is_read_from_each_place() {
        for (capabilities, offered) in [
            (r#"{"tools":{"manifest":true}}"#.to_owned(), true),
            (
                r#"{"tools":{},"experimental":{"experimental/deterministic-groups":{"manifest":true}}}"#
                    .into(),
                true,
            ),
            (format!(r#"{{"experimental":{{"{KEY}":{{"manifest":true}}}}}}"#), true),
            (r#"{"tools":{"manifest":"true"}}"#.into(), false),
            (r#"{"tools":{"manifest":false},"manifest":true}"#.into(), false),
            (r#"{"tools":true,"experimental":7}"#.into(), false),
            ("{}".into(), false),
        ] {
            assert_eq!(
                is_offered(&RawObject::parse(capabilities.as_str()).unwrap()),
                offered,
                "{capabilities}"
            );
        }
    }
}
