//! Names and at most 60 characters; complete definitions by `tools/describe`.

#![doc = include_str!("../../docs/strategies/describe.md")]

pub mod config;
pub mod delivery;
pub mod hints;
pub mod selection;
pub mod strategy;
pub mod wording;

pub use config::{DescribeConfig, LongBriefs};
pub use selection::Selection;
pub use strategy::{Describe, NAME, PROFILE};
