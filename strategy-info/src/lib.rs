//! Three levels through one `info` tool: overview, category, tool.

#![doc = include_str!("../../docs/strategies/info.md")]

pub mod answer;
pub mod config;
pub mod contents;
pub mod explain;
mod own;
pub mod strategy;
pub mod topics;
pub mod wording;

pub use config::{InfoConfig, OtherTools};
pub use strategy::{Info, NAME, PROFILE};
