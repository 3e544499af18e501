//! The program as its users start it: command lines, exit codes, messages, and upstreams on bad days.

mod adaptive;
mod arguments;
mod check;
mod check_agrees;
mod choices;
mod circles;
mod configuration;
mod configuration_reload;
mod demo;
mod description_files;
mod drift;
mod embeddings;
mod endings;
mod eras;
mod export;
mod export_again;
mod help;
mod hosts;
mod hung;
mod init;
mod lines;
mod live_upstreams;
mod logs;
mod long_briefs;
mod mistakes;
mod naming;
mod once_broken;
mod protection;
mod questions;
mod read_once;
mod reload;
mod remembered;
mod secrets;
mod several_upstreams;
mod signals;
mod strategy_pages;
mod supervision;
mod terminal;
mod three_levels;
mod upstream_calls;
mod upstream_lists;
mod upstream_starts;

use std::{path::Path, process::Command};

use kit::process::{Ended, Process};
use serde_json::Value;

/// The upstream that misbehaves as its first argument says.
pub(crate) const ODD: &str = env!("CARGO_BIN_EXE_odd-upstream");

/// The program, with these arguments.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command.args(arguments);
    command
}

/// Starts the program.
fn start(arguments: &[&str]) -> Process {
    Process::start(&mut program(arguments))
}

/// Runs the program to its end; its input is at its end from the start.
#[track_caller]
fn run(arguments: &[&str]) -> Ended {
    start(arguments).finish()
}

/// `serve` over stdio with complete definitions, in front of the odd upstream in this mode, initialized.
#[track_caller]
pub(crate) fn serve_odd(flags: &[&str], mode: &[&str]) -> Process {
    let mut gateway = start(&[&["serve", "--strategy", "full"], flags, &["--", ODD], mode].concat());
    gateway.initialize();
    gateway
}

/// Runs `serve` in front of the odd upstream in this mode to its end.
#[track_caller]
fn run_odd(flags: &[&str], mode: &[&str]) -> Ended {
    run(&[&["serve"], flags, &["--", ODD], mode].concat())
}

/// The text of a call's result.
#[track_caller]
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}

/// Writes a description file for a tool; the text is the whole file.
fn write(directory: &Path, file: &str, text: &str) {
    std::fs::write(directory.join(file), text).unwrap();
}

/// A good description file.
fn described(name: &str, description: &str) -> String {
    serde_json::json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
        .to_string()
}

/// A path as an argument.
fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}
