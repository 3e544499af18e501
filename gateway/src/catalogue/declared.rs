//! Declarations of the operator.

use std::{fmt, sync::Arc};

use mcp_disclosure_core::{About, DescriptionFile, Lock, Rules, UpstreamLists};

use crate::upstream::Upstreams;

/// Everything the operator declares: upstreams, and rules for what they list. Replaced as a whole.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The upstreams; `None` leaves them as they are.
    pub upstreams: Option<Upstreams>,
    /// The description files.
    pub files: Arc<[DescriptionFile]>,
    /// Description of the catalogue as a whole; empty fields default to the upstream's own.
    pub about: About,
    /// Rules for single tools, resources and prompts.
    pub rules: Arc<Rules>,
    /// Accepts what an upstream lists whose new tools are held, the first time.
    pub accepting: Option<Arc<dyn Accepting>>,
}

/// Where it is written down which definitions were reviewed.
pub trait Accepting: fmt::Debug + Send + Sync {
    /// Writes down everything that an upstream lists of which nothing is written down yet, and returns what is then. May
    /// block.
    ///
    /// # Errors
    /// Why it cannot be written, for the log.
    fn accept(&self, lists: &UpstreamLists) -> Result<Lock, String>;
}
