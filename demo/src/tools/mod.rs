//! The tools: from arguments to `structuredContent`.

pub(crate) mod numeric;
pub(crate) mod symbolic;
