//! Tools in groups: `groups/list` and `groups/get` for hosts that know them, `get_group` for all others.

#![doc = include_str!("../../docs/strategies/groups.md")]

pub mod answer;
pub mod config;
pub mod draft;
mod grouping;
pub mod groups;
pub mod method;
pub mod slug;
pub mod strategy;
pub mod wording;

pub use config::GroupsConfig;
pub use groups::{Group, Groups};
pub use strategy::{EXTENSION, GroupsStrategy, NAME, PROFILE};
