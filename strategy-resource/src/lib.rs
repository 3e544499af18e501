//! `resource`: minimal lists, a `tool_descriptions` resource, and receipts before calls.
//!
//! After the specification and guide of the MCP extension "Progressive Disclosure for Tool Descriptions"
//! 2.1 (seeds 000 and 001). A model picks a tool by its brief in `tools/list`, fetches that tool's complete
//! description from the resource `resource:///tool_descriptions?tools=NAME`, and only then may call it.
//! Where the protocol has sessions, fetching marks the session; where it has none, the delivered schema
//! asks for a signed `disclosure_receipt` as one more argument, which the tool itself never sees.

pub mod config;
pub mod delivery;
pub mod selection;
pub mod strategy;
pub mod wording;

pub use config::ResourceConfig;
pub use strategy::Resource;
