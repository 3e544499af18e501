//! Who is asking, and what they may use.

use std::{collections::BTreeSet, sync::Arc};

use crate::name::ToolName;

/// A caller as the front door knows it. Equal principals are interchangeable: views and receipts are
/// kept by principal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal {
    id: Option<Arc<str>>,
    permits: Permits,
}

/// The tools a principal may use. A tool outside of them does not exist for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permits {
    /// Every tool.
    #[default]
    All,
    /// These tools, by the names they are served under.
    Only(Arc<BTreeSet<ToolName>>),
}

impl Principal {
    /// The caller nobody knows, who may use everything that is served.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// A known caller and what it may use.
    pub fn new(id: &str, permits: Permits) -> Self {
        Self { id: Some(id.into()), permits }
    }

    /// The caller's identity; `None` for the anonymous one.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// What it may use.
    pub fn permits(&self) -> &Permits {
        &self.permits
    }
}

impl Permits {
    /// Whether a tool is among them.
    pub fn allow(&self, tool: &ToolName) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(tool),
        }
    }
}
