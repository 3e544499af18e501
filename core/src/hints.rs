//! Cache hints (SEP-2549) and `_meta` of whole lists.

use std::{collections::HashMap, time::Duration};

use strum::IntoEnumIterator;

use crate::{
    assembly::UpstreamLists,
    raw::RawObject,
    snapshot::{Kind, Snapshot},
};

/// The members of a list result beside its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListHints {
    /// How long it can be cached.
    pub time_to_live: Duration,
    /// Whether it must not be served to other callers.
    pub private: bool,
    /// Its `_meta`.
    pub meta: Option<RawObject>,
}

impl Default for ListHints {
    /// For an upstream without hints: a list can change at any time, and clients that keep it are notified.
    fn default() -> Self {
        Self { time_to_live: Duration::from_secs(60), private: false, meta: None }
    }
}

impl ListHints {
    /// The hints of a list that is merged from this one and another: the stricter of both, without `_meta`, which
    /// describes one list only.
    pub fn and(self, other: &Self) -> Self {
        Self {
            time_to_live: self.time_to_live.min(other.time_to_live),
            private: self.private || other.private,
            meta: None,
        }
    }

    /// The hints of one list in two pages. If both have a member of `_meta`, the first takes precedence.
    pub fn continued(self, next: Self) -> Self {
        let meta = match (&self.meta, &next.meta) {
            (Some(first), Some(next)) => {
                let new = next.iter().filter(|(key, _)| first.member(key).is_none());
                Some(RawObject::assemble(first.iter().chain(new)))
            }
            (first, next) => first.as_ref().or(next.as_ref()).cloned(),
        };
        Self { meta, ..self.and(&next) }
    }

    /// What holds for the lists of all upstreams. The `_meta` of a single upstream is kept where all that it lists is
    /// served: it could speak of what is left out.
    pub(crate) fn of_all(upstreams: &[&UpstreamLists], snapshot: &Snapshot) -> HashMap<Kind, Self> {
        let of = |kind: Kind| {
            let all = upstreams.iter().filter_map(|lists| lists.hints.get(&kind));
            let merged = all.cloned().reduce(|merged, hints| merged.and(&hints))?;
            let is_whole = matches!(upstreams, [only] if only.count(kind) == snapshot.count(kind));
            Some((kind, if is_whole { merged } else { Self { meta: None, ..merged } }))
        };
        Kind::iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(seconds: u64, private: bool, meta: Option<&str>) -> ListHints {
        let meta = meta.map(|meta| RawObject::parse(meta).unwrap());
        ListHints { time_to_live: Duration::from_secs(seconds), private, meta }
    }

    #[test]
    fn u15_the_smallest_time_and_private_if_any_is() {
        let (short, long) = (hints(5, false, Some(r#"{"a":1}"#)), hints(90, true, None));
        assert_eq!(short.clone().and(&long), hints(5, true, None));
        assert_eq!(long.clone().and(&ListHints::default()), hints(60, true, None));
        assert_eq!(long.continued(short), hints(5, true, Some(r#"{"a":1}"#)));
    }

    #[test]
    fn u15_pages_add_to_meta() {
        let both =
            hints(1, false, Some(r#"{"a":1,"b":1}"#)).continued(hints(1, false, Some(r#"{"b":2,"c":2}"#)));
        assert_eq!(both.meta.unwrap().text(), r#"{"a":1,"b":1,"c":2}"#);
    }
}
