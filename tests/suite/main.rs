//! Every test of the whole program, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod command_line;
