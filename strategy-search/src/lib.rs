//! Tools found by words: `search_tools` finds them, with what a call needs, and `call_tool` calls them.
//!
//! Nothing else is listed, so the list costs the same for ten tools and for ten thousand. Every tool stays callable by its own
//! name. What is found is decided by a [`Ranker`](mcp_disclosure_ranking::Ranker).

pub mod answer;
pub mod arguments;
pub mod config;
pub mod strategy;
pub mod wording;

pub use config::SearchConfig;
pub use strategy::{NAME, PROFILE, Search};
