//! Drafts of MCP that are no part of it yet, without I/O: manifests of tools ([SEP-2636](manifest)), and [deterministic
//! groups](directory), an experiment on top of them. docs/drafts.md says what of them is supported.
//!
//! Programs without drafts are built without the feature `drafts` of the gateway.

pub mod directory;
pub mod manifest;

pub use directory::Directory;
pub use manifest::{Manifest, ManifestEntry, Reconciliation};
