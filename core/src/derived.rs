//! Values that strategies derive from views, cached with the snapshot.

use std::{
    any::{Any, TypeId},
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::view::Selection;

/// Maximum number of extents whose values are kept. Clients choose what distinguishes them, and a value can be as
/// large as an index of everything that is listed.
const MOST: usize = 16;

/// What a view has of its snapshot. Views of equal extent have the same derived values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// What exists for the caller, by kind.
    pub(crate) permitted: [Selection; 4],
    /// What is listed, by kind.
    pub(crate) listed: [Selection; 4],
    /// The names that are reserved for a strategy's own tools.
    pub(crate) reserved: Arc<HashSet<String>>,
    /// Whether definitions have their mapping in `_meta`.
    pub(crate) shows_concerns: bool,
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

type Place = Arc<OnceLock<Arc<dyn Any + Send + Sync>>>;

/// Values by type, each computed at most once.
#[derive(Debug, Default)]
pub(crate) struct Derived(Mutex<HashMap<TypeId, Place>>);

impl Derived {
    /// The value of this type. Concurrent callers wait while it is computed; other types are not blocked.
    pub(crate) fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let place = {
            // A panic while the lock was held cannot have left the map inconsistent.
            let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(places.entry(TypeId::of::<T>()).or_default())
        };
        let made = Arc::clone(place.get_or_init(|| Arc::new(make())));
        made.downcast().unwrap_or_else(|_| unreachable!("each value is stored under its own type"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{permits::Permits, principal::Principal, snapshot::Snapshot, view::View};

    #[test]
    fn views_that_list_the_same_share_their_values() {
        let snapshot = Arc::new(Snapshot::build(&[], &[]).unwrap().0);
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
            permitted: [Selection::by(100, |at| at == position), all(), all(), all()],
            listed: [all(), all(), all(), all()],
            reserved: Arc::default(),
            shows_concerns: false,
        }
    }

    #[test]
    fn equal_extents_share_their_values_and_few_are_kept() {
        let values = DerivedByExtent::default();
        let value = |position: usize, new: usize| *values.of(&extent(position)).get(|| new);
        assert_eq!((value(0, 1), value(0, 2), value(1, 3)), (1, 1, 3));
        // The first one is used between all others, so that it stays.
        for position in 2..100 {
            assert_eq!((value(position, position), value(0, 4)), (position, 1));
        }
        assert_eq!(value(1, 5), 5);
        assert_eq!(values.0.lock().unwrap().len(), MOST);
    }

    #[test]
    fn each_type_is_computed_once() {
        let derived = Derived::default();
        assert_eq!(*derived.get(|| 1_u8), 1);
        assert_eq!(*derived.get(|| 2_u8), 1);
        assert_eq!(*derived.get(|| "text"), "text");
    }
}
