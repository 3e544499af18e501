//! Declarations of the operator.

use std::sync::Arc;

use mcp_disclosure_core::{About, DescriptionFile, Rules};

use crate::slot::Upstreams;

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
}
