//! Drafts of MCP that are no part of it yet, without I/O: [manifests] of tools (SEP-2636) and what clients that hold definitions do
//! with them, [server variants](variants) (SEP-2053), and [deterministic groups](directory), an experiment on top of manifests.
//! docs/drafts.md says what of them is supported.
//!
//! A gateway without its feature `drafts`, which is on by default, offers and uses none of them.
//!
//! [manifests]: manifest

pub mod directory;
pub mod manifest;
pub mod variants;

pub use directory::Directory;
pub use manifest::{Manifest, ManifestEntry, Reconciliation};
