//! Notes on clients, which the server keeps for strategies.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

/// A strategy's notes on a client, by name.
pub type Notes = BTreeMap<String, Value>;

/// All notes on one client, by strategy. Immutable and cheap to clone. Clients with equal memories see the same.
///
/// In the session era it lasts as long as the session; in the stateless era, for one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory(Option<Arc<BTreeMap<String, Notes>>>);

impl Memory {
    /// A memory without notes.
    pub const EMPTY: Self = Self(None);

    /// The notes of a strategy, if there are any.
    pub fn of(&self, strategy: &str) -> Option<&Notes> {
        self.0.as_ref()?.get(strategy)
    }

    /// All notes, by strategy.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Notes)> {
        self.0.iter().flat_map(|all| all.iter()).map(|(strategy, notes)| (&**strategy, notes))
    }

    /// Whether there are no notes.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The memory with changes to a strategy's notes, name by name. `null` removes a note.
    pub fn with(&self, strategy: &str, changes: Notes) -> Self {
        let mut all = self.0.as_deref().cloned().unwrap_or_default();
        let notes = all.entry(strategy.to_owned()).or_default();
        notes.extend(changes);
        notes.retain(|_, value| !value.is_null());
        all.retain(|_, notes| !notes.is_empty());
        Self((!all.is_empty()).then(|| Arc::new(all)))
    }
}

/// One strategy's notes on a client: the only part of a [`Memory`] that it can see.
#[derive(Clone, Copy, Debug)]
pub struct Noted<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) strategy: &'a str,
}

impl<'a> Noted<'a> {
    /// The notes of the strategy of this name.
    pub fn new(memory: &'a Memory, strategy: &'a str) -> Self {
        Self { memory, strategy }
    }

    /// A note, by its name.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.all()?.get(name)
    }

    /// All notes, if there are any.
    pub fn all(&self) -> Option<&'a Notes> {
        self.memory.of(self.strategy)
    }

    /// The notes with these changes applied.
    pub fn with(&self, changes: Notes) -> Notes {
        self.memory.with(self.strategy, changes).of(self.strategy).cloned().unwrap_or_default()
    }
}
