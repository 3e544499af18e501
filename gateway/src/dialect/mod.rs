//! Protocol dialects: revisions, per-request metadata, disclosure offers, and the format of results in each
//! era. Other modules do not depend on how a client encodes messages.

mod filter;
mod finish;
mod initialize;
mod meta;
mod offer;

pub(crate) use filter::{FILTERING, Filter};
pub(crate) use finish::{asks_for_input, cacheable, complete, era_error, list_result, read_result};
pub(crate) use initialize::InitializeRequest;
pub use mcp_disclosure_client::Revision;
pub(crate) use meta::{RequestKind, RequestMeta, classify, unsupported};
pub use offer::Offer;
pub(crate) use offer::{TASKS, needs_tasks};
