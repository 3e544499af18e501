//! The program `mcp-disclosure`: the [gateway](mcp_disclosure_gateway) with a command line, configuration files and exit
//! codes.
//!
//! [`run`] is the whole program for a registry of strategies, so that a custom strategy works with every command;
//! [`run_with`] also serves your own handler. [`cli`] has a file per command; [`config`] defines the configuration files,
//! and [`files`] reads and watches them; [`check`] and [`export`] produce the findings and files of those commands;
//! [`failure`] is the table from errors to exit codes. To embed a gateway without the program, use
//! `mcp-disclosure-gateway`.

pub mod check;
pub mod cli;
pub mod config;
#[cfg_attr(not(feature = "demo"), path = "without_demo.rs")]
mod demo;
mod embeddings;
pub mod export;
pub mod failure;
pub mod files;
pub mod flags;
mod init;
pub mod launcher;
pub mod lock;
pub mod log;
pub mod operating;
mod receipts;
pub mod remember;
mod run;
mod secrets;
mod strategies;

pub use demo::demonstration;
use demo::{own_answer, own_task};
pub use embeddings::builtin;
pub use run::{run, run_with};
