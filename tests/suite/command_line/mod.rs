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
mod folder;
mod help;
mod hosts;
mod hung;
mod init;
mod logs;
mod long_briefs;
mod mistakes;
mod protection;
mod questions;
mod read_once;
mod reload;
mod remembered;
mod secrets;
mod signals;
mod strategy_pages;
mod supervision;
mod terminal;
mod upstream_calls;
mod upstream_starts;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use folder::{GATED, hosted, named_pipe, scratch, scripted};
pub(crate) use folder::{configured, played, playing, queries, remembered, rewrite};
use kit::{
    HttpServer,
    http_server::status,
    messages::tool,
    process::{Ended, Process},
};
use serde_json::Value;
use tempfile::TempDir;

/// What is announced where the list of tools is another one.
const CHANGED: &str = "notifications/tools/list_changed";

/// The upstream that misbehaves as its first argument says.
pub(crate) const ODD: &str = env!("CARGO_BIN_EXE_odd-upstream");

/// The program, with these arguments.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command.args(arguments);
    command
}

/// Starts the program.
pub(crate) fn start(arguments: &[&str]) -> Process {
    Process::start(&mut program(arguments))
}

/// Starts the program over stdio, and opens a session.
#[track_caller]
pub(crate) fn opened(arguments: &[&str]) -> Process {
    let mut gateway = start(arguments);
    gateway.initialize();
    gateway
}

/// Starts `serve` over HTTP.
pub(crate) fn over_http(arguments: &[&str]) -> Process {
    start(&[&["serve", "--transport", "http", "--listen", "127.0.0.1:0"], arguments].concat())
}

/// `serve` with this configuration and complete definitions, and a session.
#[track_caller]
pub(crate) fn serve(file: &Path, flags: &[&str]) -> Process {
    opened(&[&["serve", "--config", shown(file), "--strategy", "full"], flags].concat())
}

/// A configuration that is served with complete definitions, and a session: its folder, its file, and the program.
#[track_caller]
fn served(toml: &str, flags: &[&str]) -> (TempDir, PathBuf, Process) {
    let (directory, file) = configured(toml);
    let gateway = serve(&file, flags);
    (directory, file, gateway)
}

/// `serve` refuses this configuration, and says all of this; FILE is its path.
#[track_caller]
fn refuses(toml: &str, expected: &[&str]) {
    refuses_file("disclosure.toml", toml, "--config", 64, expected);
}

/// The same of a file of this name that is given by this flag, with this exit code.
#[track_caller]
fn refuses_file(name: &str, text: &str, flag: &str, code: i32, expected: &[&str]) {
    let (_folder, file) = scratch(name);
    rewrite(&file, text);
    let expected: Vec<String> =
        expected.iter().map(|expected| expected.replace("FILE", shown(&file))).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let ended = run(&["serve", flag, shown(&file)]);
    assert_eq!(ended.says(code, &expected).stdout, "", "{text}");
}

/// Runs the program to its end; its input is at its end from the start.
#[track_caller]
fn run(arguments: &[&str]) -> Ended {
    start(arguments).finish()
}

/// `serve` over stdio with complete definitions, in front of the odd upstream in this mode, initialized.
#[track_caller]
pub(crate) fn serve_odd(flags: &[&str], mode: &[&str]) -> Process {
    opened(&[&["serve", "--strategy", "full"], flags, &["--", ODD], mode].concat())
}

/// A server that answers every request with 401.
fn unauthorizing() -> HttpServer<()> {
    HttpServer::apart((), |_, _| async { status(401) })
}

/// The text of a call's result.
#[track_caller]
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}

/// The message of the error that answers.
#[track_caller]
pub(crate) fn error(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no error in {answer}"))
}

/// Writes a description file for a tool; the text is the whole file.
fn write(directory: &Path, file: &str, text: &str) {
    std::fs::write(directory.join(file), text).unwrap();
}

/// A good description file.
fn described(name: &str, description: &str) -> String {
    tool(name, description).to_string()
}

/// A path as an argument.
pub(crate) fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}
