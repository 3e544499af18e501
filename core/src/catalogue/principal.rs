//! The caller's identity and permissions.

use std::sync::Arc;

use crate::catalogue::permits::Permits;

/// An authenticated caller. What is kept for a caller is kept by [`id`](Self::id); what is made for all callers that may use
/// the same, by [`permits`](Self::permits).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal {
    id: Option<Arc<str>>,
    permits: Permits,
}

impl Principal {
    /// The unauthenticated caller, who is permitted to use everything.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// An authenticated caller and its permissions.
    pub fn new(id: impl Into<Arc<str>>, permits: Permits) -> Self {
        Self { id: Some(id.into()), permits }
    }

    /// The same caller with other permissions.
    pub fn permitted(self, permits: Permits) -> Self {
        Self { permits, ..self }
    }

    /// The caller's identity; `None` for the anonymous caller.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Its permissions.
    pub fn permits(&self) -> &Permits {
        &self.permits
    }

    /// Whether it is the same caller, whatever it may use now.
    pub fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
