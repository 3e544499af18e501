//! What the tests of the whole program are made of.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

pub mod conformance;
pub mod process;
