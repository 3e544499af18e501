//! Stands for `demo` where the feature is not built in: there is no demonstration.

use mcp_disclosure_compare::transcript::Assignment;
use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::{catalogue::Declared, upstream::Target};
use serde_json::Value;

/// The demonstration and its declarations, if it was built in.
pub fn demonstration() -> Option<(Target, Declared)> {
    None
}

pub(crate) fn own_task() -> Option<Assignment> {
    None
}

pub(crate) fn own_answer(_: &str, _: &RawObject) -> Option<Value> {
    None
}
