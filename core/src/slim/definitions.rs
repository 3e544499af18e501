//! Which definitions of a schema are referred to, directly or by each other.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;

use super::{DEFINITIONS, words::strings};
use crate::raw::RawObject;

/// The definitions at the root of a schema, and which of them must stay.
///
/// Every string that could be a reference counts as one, wherever it stands: too many are kept rather than too few.
pub(super) struct Definitions {
    all: Vec<Definition>,
    by_name: HashMap<(usize, String), usize>,
    /// The definitions in which a string occurs, as an anchor does; made where an anchor is referred to.
    by_string: Option<HashMap<String, Vec<usize>>>,
}

struct Definition {
    text: String,
    is_kept: bool,
}

/// What a string refers to, if it is a reference. Containers are positions in [`DEFINITIONS`].
enum Target {
    Definition(usize, String),
    Container(usize),
    Anchor(String),
}

impl Definitions {
    /// The definitions of a schema; those that must stay are marked.
    pub(super) fn of(root: &RawObject) -> Self {
        let mut definitions = Self { all: Vec::new(), by_name: HashMap::new(), by_string: None };
        let mut rest = Vec::new();
        for (key, value) in root.iter() {
            match (container(key), RawObject::parse(value)) {
                (Some(container), Ok(all)) => {
                    all.iter().for_each(|(name, text)| definitions.add(container, name, text));
                }
                _ => rest.push(value.to_owned()),
            }
        }
        if !definitions.all.is_empty() {
            definitions.keep_referenced(rest);
        }
        definitions
    }

    /// Whether a definition must stay.
    pub(super) fn keeps(&self, container: &str, name: &str) -> bool {
        let at = self::container(container).and_then(|at| self.by_name.get(&(at, name.to_owned())));
        at.is_none_or(|at| self.all[*at].is_kept)
    }

    fn add(&mut self, container: usize, name: &str, text: &str) {
        let next = self.all.len();
        let at = *self.by_name.entry((container, name.to_owned())).or_insert(next);
        if at == next {
            self.all.push(Definition { text: String::new(), is_kept: false });
        }
        // A repeated name may be read either way: both texts count.
        self.all[at].text.push_str(text);
    }

    /// Keeps what these texts refer to, what that refers to, and so on.
    fn keep_referenced(&mut self, mut texts: Vec<String>) {
        // An identifier of its own makes a definition a document that is referred to by any URI.
        let identified = |definition: &Definition| strings(&definition.text).any(|string| string == "$id");
        let identified: Vec<usize> = (0..self.all.len()).filter(|at| identified(&self.all[*at])).collect();
        texts.extend(self.keep(&identified));
        while let Some(text) = texts.pop() {
            for target in strings(&text).filter_map(|string| target(&string)) {
                let meant = self.meant_by(&target);
                texts.extend(self.keep(&meant));
            }
        }
    }

    /// Keeps these, and returns the texts of those that were not kept before.
    fn keep(&mut self, meant: &[usize]) -> Vec<String> {
        let mut texts = Vec::new();
        for at in meant {
            let definition = &mut self.all[*at];
            if !definition.is_kept {
                definition.is_kept = true;
                texts.push(definition.text.clone());
            }
        }
        texts
    }

    fn meant_by(&mut self, target: &Target) -> Vec<usize> {
        match target {
            Target::Definition(container, name) => {
                self.by_name.get(&(*container, name.clone())).copied().into_iter().collect()
            }
            Target::Container(container) => {
                let inside = self.by_name.iter().filter(|((at, _), _)| at == container);
                inside.map(|(_, at)| *at).collect()
            }
            Target::Anchor(anchor) => {
                let all = &self.all;
                let by_string = self.by_string.get_or_insert_with(|| by_string(all));
                by_string.get(anchor).cloned().unwrap_or_default()
            }
        }
    }
}

/// The definitions by the strings in them, without a leading `#`.
fn by_string(all: &[Definition]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, definition) in all.iter().enumerate() {
        for string in strings(&definition.text) {
            let places = found.entry(string.strip_prefix('#').unwrap_or(&string).to_owned()).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
    }
    found
}

fn container(key: &str) -> Option<usize> {
    DEFINITIONS.iter().position(|container| *container == key)
}

/// What a string refers to: its fragment, whatever document it names.
fn target(string: &str) -> Option<Target> {
    let fragment = &string[string.find('#')? + 1..];
    let fragment = percent_decode_str(fragment).decode_utf8_lossy();
    let Some(pointer) = fragment.strip_prefix('/') else {
        return (!fragment.is_empty()).then(|| Target::Anchor(fragment.into_owned()));
    };
    let mut tokens = pointer.split('/').map(|token| token.replace("~1", "/").replace("~0", "~"));
    let container = container(&tokens.next()?)?;
    Some(match tokens.next() {
        Some(name) => Target::Definition(container, name),
        None => Target::Container(container),
    })
}
