//! A filter: lists what fits the concerns that the host chose.

#![doc = include_str!("../../docs/strategies/concerns.md")]

pub mod bridge;
pub mod choices;
pub mod config;
pub mod operator;
pub mod strategy;
pub mod update;
pub mod wording;

pub use config::{BridgeTool, ConcernsConfig, OnInvalidValue, Unset};
pub use strategy::{Concerns, NAME, PROFILE};
