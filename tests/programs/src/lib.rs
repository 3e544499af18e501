//! What the programs beside the suite are made of: each is a module here, and a short program in `bin`.
//!
//! They are a package of their own so that the suite is compiled and run without them.

#![allow(clippy::unwrap_used, reason = "a program of tests, whose failure is its message")]

pub mod accuracy;
pub mod attack;
pub mod faults;
