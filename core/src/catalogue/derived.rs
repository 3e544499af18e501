//! Values that strategies derive from views, cached with the snapshot.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::name::Kind;

/// Maximum number of extents whose values are kept. Clients choose what distinguishes them, and a value can be as
/// large as an index of everything that is listed.
const MOST: usize = 16;

/// A set of positions in a list of the snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Selection {
    #[default]
    All,
    Some(Arc<[u64]>),
}

impl Selection {
    /// The positions at which there is `true`.
    pub(crate) fn by(kept: impl IntoIterator<Item = bool>) -> Self {
        let (mut words, mut all) = (Vec::new(), true);
        for (position, is_kept) in kept.into_iter().enumerate() {
            if position % 64 == 0 {
                words.push(0u64);
            }
            words[position / 64] |= u64::from(is_kept) << (position % 64);
            all &= is_kept;
        }
        if all { Self::All } else { Self::Some(words.into()) }
    }

    pub(crate) fn contains(&self, position: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some(words) => {
                words.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
            }
        }
    }
}

/// What a view has of its snapshot. Views of equal extent have the same derived values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// What exists for the caller, by kind.
    pub(crate) permitted: [Selection; 4],
    /// What is listed, by kind.
    pub(crate) listed: [Selection; 4],
    /// The names that are reserved for a strategy's own tools: few, so they are compared one by one.
    pub(crate) reserved: Arc<[String]>,
    /// Whether definitions have their mapping in `_meta`.
    pub(crate) shows_concerns: bool,
}

impl Extent {
    /// Whether what is at this position is listed.
    pub(crate) fn shows(&self, kind: Kind, at: usize) -> bool {
        self.permitted[kind as usize].contains(at) && self.listed[kind as usize].contains(at)
    }
}

/// The derived values of a snapshot by extent, those last used first.
#[derive(Debug, Default)]
pub(crate) struct DerivedByExtent(Mutex<Vec<(Extent, Arc<Derived>)>>);

impl DerivedByExtent {
    /// The values of an extent. If there are none, they take the place of those that were not used for the longest time.
    pub(crate) fn of(&self, extent: &Extent) -> Arc<Derived> {
        // A panic while the lock was held cannot have left the list inconsistent.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter().position(|(known, _)| known == extent) {
            Some(at) => kept[..=at].rotate_right(1),
            None => {
                kept.truncate(MOST - 1);
                kept.insert(0, (extent.clone(), Arc::default()));
            }
        }
        Arc::clone(&kept[0].1)
    }
}

/// What values are kept by, such as settings: equal keys have the same value.
pub trait Key: Clone + PartialEq + Send + Sync + 'static {}

impl<K: Clone + PartialEq + Send + Sync + 'static> Key for K {}

/// Where a value is, once it is made.
type Place<T> = Arc<OnceLock<Arc<T>>>;

/// Values by their type and a key, each computed at most once.
#[derive(Debug, Default)]
pub(crate) struct Derived(Mutex<HashMap<TypeId, Box<dyn Any + Send>>>);

impl Derived {
    /// The value of this type for this key. Concurrent callers wait while it is computed; others are not blocked.
    pub(crate) fn get<K: Key, T: Send + Sync + 'static>(&self, key: &K, make: impl FnOnce() -> T) -> Arc<T> {
        Arc::clone(self.place::<K, T>(key).get_or_init(|| Arc::new(make())))
    }

    /// The same, if it is made.
    pub(crate) fn made<K: Key, T: Send + Sync + 'static>(&self, key: &K) -> Option<Arc<T>> {
        self.place(key).get().cloned()
    }

    fn place<K: Key, T: Send + Sync + 'static>(&self, key: &K) -> Place<T> {
        // A panic while the lock was held cannot have left the map inconsistent.
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_type =
            places.entry(TypeId::of::<(K, T)>()).or_insert_with(|| Box::new(Vec::<(K, Place<T>)>::new()));
        let known: &mut Vec<(K, Place<T>)> = of_type
            .downcast_mut()
            .unwrap_or_else(|| unreachable!("the places of each type are stored under it"));
        let at = known.iter().position(|(other, _)| other == key).unwrap_or_else(|| {
            known.push((key.clone(), Place::default()));
            known.len() - 1
        });
        Arc::clone(&known[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{permits::Permits, principal::Principal, snapshot::Snapshot, view::View};

    #[test]
    fn views_that_list_the_same_share_their_values() {
        let snapshot = Arc::new(Snapshot::build(&[], &[]));
        let view = |id: &str| View::of(Arc::clone(&snapshot), &Principal::new(id, Permits::all()));
        let reserving = |id: &str| view(id).reserving(["search_tools".to_owned()]);
        assert_eq!(*view("a").derived(|_| 1), 1);
        assert_eq!(*view("b").derived(|_| 2), 1);
        assert_eq!((*reserving("a").derived(|_| 3), *reserving("b").derived(|_| 4)), (3, 3));
        assert_eq!(*view("a").showing_concerns().derived(|_| 5), 5);
    }

    fn extent(position: usize) -> Extent {
        let all = || Selection::All;
        Extent {
            permitted: [Selection::by((0..100).map(|at| at == position)), all(), all(), all()],
            listed: [all(), all(), all(), all()],
            reserved: Arc::default(),
            shows_concerns: false,
        }
    }

    #[test]
    fn equal_extents_share_their_values_and_few_are_kept() {
        let values = DerivedByExtent::default();
        let value = |position: usize, new: usize| *values.of(&extent(position)).get(&(), || new);
        assert_eq!((value(0, 1), value(0, 2), value(1, 3)), (1, 1, 3));
        // The first one is used between all others, so that it stays.
        for position in 2..100 {
            assert_eq!((value(position, position), value(0, 4)), (position, 1));
        }
        assert_eq!(value(1, 5), 5);
        assert_eq!(values.0.lock().unwrap().len(), MOST);
    }
}
