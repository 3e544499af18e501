//! What a client that holds definitions does with a manifest.

use std::collections::HashMap;

use mcp_disclosure_core::{Digest, RawObject};

use super::{MOST_NAMES, digest};

/// The sizes that are fetched at once, in bytes, if they are more than one definition.
const BATCH_BYTES: u64 = 1_000_000;

/// What an entry without `size` counts as, in bytes: the first revision of the draft has none.
const USUAL_BYTES: u64 = 1_000;

/// Definitions that a client holds, in the order of the list that they are from, with their digests.
#[derive(Clone, Debug, Default)]
pub struct Held(Vec<(String, Digest, RawObject)>);

impl Held {
    /// Computes the digests. What has no name is left out.
    pub fn new(tools: Vec<RawObject>) -> Self {
        let named = tools.into_iter().filter_map(|tool| Some((tool.string("name")?, tool)));
        Self(named.map(|(name, tool)| (name, tool.digest(), tool)).collect())
    }

    /// The digest of the manifest of these definitions.
    pub fn digest(&self) -> Digest {
        digest::of(self.0.iter().map(|(name, digest, _)| (name.as_str(), *digest)))
    }

    /// The definitions.
    pub fn into_tools(self) -> Vec<RawObject> {
        self.0.into_iter().map(|(_, _, tool)| tool).collect()
    }
}

/// The state of one reconciliation: which definitions are held, and which have to be fetched.
#[derive(Debug)]
pub struct Reconciliation {
    wanted: Vec<Wanted>,
    places: HashMap<String, usize>,
    /// Whether the manifest has the names that are held, and no others.
    has_same_names: bool,
    /// How many names a request may have.
    most: usize,
}

#[derive(Debug)]
struct Wanted {
    name: String,
    /// `None` for an algorithm that is not known: such a definition is always fetched, and not verified.
    digest: Option<Digest>,
    size: Option<u64>,
    /// The definition and its own digest.
    tool: Option<(Digest, RawObject)>,
}

/// What was delivered is not what the manifest says: it changed meanwhile, or the server computes digests in another way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{tool}: {what} differs from the manifest")]
pub struct Mismatch {
    /// The tool that was asked for.
    pub tool: String,
    /// What differs.
    pub what: &'static str,
}

impl Reconciliation {
    /// Compares a manifest with the definitions that are held.
    ///
    /// # Errors
    /// A [`Mismatch`] if an entry has no name, or that of another.
    pub fn new(entries: &[RawObject], held: Held) -> Result<Self, Mismatch> {
        let count = held.0.len();
        let mut held: HashMap<String, (Digest, RawObject)> =
            held.0.into_iter().map(|(name, digest, tool)| (name, (digest, tool))).collect();
        let (mut wanted, mut places) = (Vec::with_capacity(entries.len()), HashMap::new());
        for entry in entries {
            let name = entry.string("name").unwrap_or_default();
            if name.is_empty() || places.insert(name.clone(), wanted.len()).is_some() {
                return Err(Mismatch { tool: name, what: "a name that is missing or not unique" });
            }
            let digest = entry.string("digest").and_then(|digest| digest.parse::<Digest>().ok());
            let size = entry.member("size").and_then(|size| size.parse().ok());
            let tool = held.remove(&name).filter(|(held, _)| digest == Some(*held));
            wanted.push(Wanted { name, digest, size, tool });
        }
        let has_same_names = held.is_empty() && wanted.len() == count;
        Ok(Self { wanted, places, has_same_names, most: MOST_NAMES })
    }

    /// The bytes of the definitions that have to be fetched, and of all.
    pub fn bytes(&self) -> (u64, u64) {
        let of = |wanted: &Wanted| wanted.size.unwrap_or(USUAL_BYTES);
        // Sizes are the server's to state, and may be more than there are numbers.
        let sum = |missing: bool| {
            let counted = self.wanted.iter().filter(|wanted| !missing || wanted.tool.is_none());
            counted.map(of).fold(0, u64::saturating_add)
        };
        (sum(true), sum(false))
    }

    /// Why `tools/list` has to be asked instead; `None` if the manifest will do. What a manifest leaves out would be lost, so
    /// it is believed on definitions, and not on which there are: if names differ from those that are held, or if a change
    /// was `announced` and there is none in it. And so much can have changed that the whole list is fetched as easily.
    pub fn why_list(&self, announced: bool) -> Option<String> {
        let (missing, all) = self.bytes();
        if !self.has_same_names {
            return Some("it has other names than before".to_owned());
        }
        if announced && self.wanted.iter().all(|wanted| wanted.tool.is_some()) {
            return Some("a change was announced, and it has none".to_owned());
        }
        (missing > all / 2).then(|| format!("{missing} of {all} bytes changed"))
    }

    /// The names of the definitions that the next request fetches; `None` if none is missing.
    pub fn next_batch(&self) -> Option<Vec<String>> {
        let (mut names, mut bytes) = (Vec::new(), 0_u64);
        for wanted in self.wanted.iter().filter(|wanted| wanted.tool.is_none()) {
            bytes = bytes.saturating_add(wanted.size.unwrap_or(USUAL_BYTES));
            if !names.is_empty() && (names.len() >= self.most || bytes > BATCH_BYTES) {
                break;
            }
            names.push(wanted.name.clone());
        }
        Some(names).filter(|names| !names.is_empty())
    }

    /// The server refused these names as invalid parameters, with this `data`. If they were too many for it, the next batches
    /// are smaller.
    ///
    /// # Errors
    /// If they were not: then one of these tools vanished meanwhile, and a new manifest has to be fetched.
    pub fn refused(&mut self, names: &[String], data: Option<&RawObject>) -> Result<(), Mismatch> {
        let bound = data.and_then(|data| data.member("maxNames")?.parse::<usize>().ok());
        let Some(bound) = bound.filter(|bound| (1..names.len()).contains(bound)) else {
            return Err(Mismatch { tool: names.first().cloned().unwrap_or_default(), what: "a name" });
        };
        self.most = bound;
        Ok(())
    }

    /// Takes the definitions that were delivered for these names.
    ///
    /// # Errors
    /// If they are not those of the manifest. Then a new manifest has to be fetched.
    pub fn accept(&mut self, names: &[String], delivered: Vec<RawObject>) -> Result<(), Mismatch> {
        let mismatch = |tool: &str, what| Mismatch { tool: tool.to_owned(), what };
        if names.len() != delivered.len() {
            return Err(mismatch(names.first().map_or("", String::as_str), "the number of definitions"));
        }
        for (name, tool) in names.iter().zip(delivered) {
            let at = self.places.get(name).ok_or_else(|| mismatch(name, "the name"))?;
            let wanted = &mut self.wanted[*at];
            if tool.string("name").as_ref() != Some(name) {
                return Err(mismatch(name, "the order of definitions"));
            }
            let (digest, size) = Digest::with_size(tool.text());
            if wanted.digest.is_some_and(|wanted| wanted != digest) {
                return Err(mismatch(name, "the digest"));
            }
            if wanted.digest.is_some() && wanted.size.is_some_and(|wanted| wanted != size as u64) {
                return Err(mismatch(name, "the size"));
            }
            wanted.tool = Some((digest, tool));
        }
        Ok(())
    }

    /// The complete list, in the order of the manifest; `None` if a definition is missing.
    pub fn finish(self) -> Option<Held> {
        let definitions = self
            .wanted
            .into_iter()
            .map(|wanted| wanted.tool.map(|(digest, tool)| (wanted.name, digest, tool)));
        definitions.collect::<Option<Vec<_>>>().map(Held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::ManifestEntry;

    fn tool(name: &str, more: &str) -> RawObject {
        RawObject::parse(format!(r#"{{"name":"{name}","description":"{more}","inputSchema":{{}}}}"#)).unwrap()
    }

    fn entries(tools: &[RawObject]) -> Vec<RawObject> {
        tools.iter().map(|tool| ManifestEntry::of(tool).text().clone()).collect()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn m5_only_what_changed_is_fetched() {
        let now = [tool("c", "3"), tool("a", "1"), tool("b", "new")];
        let held = vec![tool("a", "1"), tool("b", "old"), tool("c", "")];
        let mut reconciliation = Reconciliation::new(&entries(&now), Held::new(held)).unwrap();
        let (missing, all) = reconciliation.bytes();
        assert!(missing > 0 && missing < all);
        assert!(reconciliation.why_list(false).unwrap().contains("bytes changed"));
        assert_eq!(reconciliation.next_batch(), Some(names(&["c", "b"])));
        let most = |bound: &str| RawObject::parse(format!(r#"{{"maxNames":{bound}}}"#)).unwrap();
        for none in ["0", "2", "-1", "99999999999999999999", "null"] {
            assert!(reconciliation.refused(&names(&["c", "b"]), Some(&most(none))).is_err(), "{none}");
        }
        assert!(reconciliation.refused(&names(&["c", "b"]), None).is_err());
        reconciliation.refused(&names(&["c", "b"]), Some(&most("1"))).unwrap();
        assert_eq!(reconciliation.next_batch(), Some(names(&["c"])));
        reconciliation.accept(&names(&["c", "b"]), vec![now[0].clone(), now[2].clone()]).unwrap();
        assert_eq!(reconciliation.bytes().0, 0);
        assert_eq!(reconciliation.next_batch(), None);
        let list = reconciliation.finish().unwrap();
        assert_eq!(list.digest(), Held::new(now.to_vec()).digest());
        assert_eq!(list.into_tools(), now);
    }

    #[test]
    fn m1_a_manifest_is_not_believed_on_which_tools_there_are() {
        let [a, b, c] = ["a", "b", "c"].map(|name| tool(name, ""));
        let why = |listed: &[&RawObject], held: &[&RawObject], announced: bool| {
            let of = |tools: &[&RawObject]| tools.iter().map(|tool| (*tool).clone()).collect::<Vec<_>>();
            Reconciliation::new(&entries(&of(listed)), Held::new(of(held))).unwrap().why_list(announced)
        };
        for (listed, held) in [
            (vec![&a, &b], vec![&a, &b, &c]),
            (vec![&a, &b, &c], vec![&a, &b]),
            (vec![&a, &b], vec![&a, &c]),
            (vec![], vec![&a]),
            // Names that repeat are served as the list has them.
            (vec![&a, &b], vec![&a, &b, &b]),
        ] {
            for announced in [false, true] {
                let why = why(&listed, &held, announced).unwrap();
                assert!(why.contains("other names"), "{listed:?} {held:?}: {why}");
            }
        }
        assert_eq!(why(&[&b, &a], &[&a, &b], false), None);
        assert!(why(&[&b, &a], &[&a, &b], true).unwrap().contains("announced"));
        let (changed, others) = (tool("a", "x"), [&b, &c, &tool("d", ""), &tool("e", "")]);
        let list = |first| [&[first][..], &others].concat();
        assert_eq!(why(&list(&changed), &list(&a), true), None);
    }

    #[test]
    fn what_is_not_as_the_manifest_says_is_refused() {
        let now = [tool("a", "1"), tool("b", "2")];
        let of = |entries: &[RawObject]| Reconciliation::new(entries, Held::default()).unwrap();
        let both = names(&["a", "b"]);
        for (delivered, what) in [
            (vec![now[0].clone()], "the number of definitions"),
            (vec![now[1].clone(), now[0].clone()], "the order of definitions"),
            (vec![now[0].clone(), tool("b", "3")], "the digest"),
        ] {
            let mut reconciliation = of(&entries(&now));
            assert_eq!(reconciliation.accept(&both, delivered).unwrap_err().what, what);
            assert!(reconciliation.finish().is_none());
        }
        let sized = entries(&now)[0].with("size", "1");
        let refused = of(&[sized]).accept(&names(&["a"]), vec![now[0].clone()]);
        assert_eq!(refused.unwrap_err().what, "the size");
        let twice = [entries(&now), entries(&now)].concat();
        assert!(Reconciliation::new(&twice, Held::default()).is_err());
        assert!(Reconciliation::new(&[RawObject::empty()], Held::default()).is_err());
    }

    #[test]
    fn an_unknown_algorithm_means_fetching_again() {
        let entry = RawObject::parse(r#"{"name":"a","digest":"blake3:00"}"#).unwrap();
        let mut reconciliation = Reconciliation::new(&[entry], Held::new(vec![tool("a", "1")])).unwrap();
        assert!(reconciliation.next_batch().is_some());
        reconciliation.accept(&names(&["a"]), vec![tool("a", "2")]).unwrap();
        let list = reconciliation.finish().unwrap();
        assert_eq!(list.digest(), Held::new(vec![tool("a", "2")]).digest());
        assert_eq!(list.into_tools(), [tool("a", "2")]);
    }

    #[test]
    fn a_request_fetches_a_million_bytes_at_most_but_for_one_definition() {
        let entry = |name: &str, size: u64| {
            RawObject::parse(format!(r#"{{"name":"{name}","digest":"x","size":{size}}}"#)).unwrap()
        };
        let entries = [entry("a", 900_000), entry("b", 200_000), entry("c", 5_000_000), entry("d", 1)];
        let mut reconciliation = Reconciliation::new(&entries, Held::default()).unwrap();
        for name in ["a", "b", "c", "d"] {
            assert_eq!(reconciliation.next_batch(), Some(names(&[name])));
            reconciliation.accept(&names(&[name]), vec![tool(name, "")]).unwrap();
        }
    }

    #[test]
    fn sizes_beyond_all_numbers_mean_that_the_list_is_fetched() {
        let entry = |name: &str| {
            RawObject::parse(format!(r#"{{"name":"{name}","digest":"x","size":{}}}"#, u64::MAX)).unwrap()
        };
        let held = Held::new(vec![tool("a", ""), tool("b", "")]);
        let reconciliation = Reconciliation::new(&[entry("a"), entry("b")], held).unwrap();
        assert_eq!(reconciliation.bytes(), (u64::MAX, u64::MAX));
        assert!(reconciliation.why_list(false).unwrap().contains("bytes changed"));
        assert_eq!(reconciliation.next_batch(), Some(names(&["a"])));
    }
}
