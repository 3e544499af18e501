//! Tools found by words: `search_tools` finds them, and `call_tool` calls them.

#![doc = include_str!("../../docs/strategies/search.md")]

pub mod answer;
pub mod arguments;
pub mod config;
pub mod strategy;
pub mod wording;

pub use config::SearchConfig;
pub use strategy::{NAME, PROFILE, Search};
