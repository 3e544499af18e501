//! Minimal lists; full descriptions from a resource, required before a call.

#![doc = include_str!("../../docs/strategies/resource.md")]

pub mod config;
pub mod delivery;
pub mod near_miss;
pub mod selection;
pub mod strategy;
pub mod wording;

pub use config::ResourceConfig;
pub use strategy::{NAME, PROFILE, Resource};
