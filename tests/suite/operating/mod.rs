//! What operators see: the admin listener (O1), logs (O2) and the audit log (A7), of the program as it is started.

mod admin;
mod audit;
mod logs;
mod losses;
mod otel;

use std::path::Path;

use kit::{
    exchange::get,
    process::{Process, until},
};
use serde_json::Value;

use crate::command_line::{self, ODD};

/// `serve` with these flags in front of the odd upstream, with an address for operators, initialized.
fn serve(flags: &[&str], mode: &[&str]) -> Process {
    let mut gateway = start(flags, mode);
    gateway.initialize();
    gateway
}

fn start(flags: &[&str], mode: &[&str]) -> Process {
    command_line::start(&[&["serve", "--admin", "127.0.0.1:0"], flags, &["--", ODD], mode].concat())
}

/// The status as JSON.
#[track_caller]
pub(crate) fn status(gateway: &Process) -> Value {
    get(gateway.admin(), "/status", "Host: localhost\r\nAccept: application/json\r\n").json()
}

#[track_caller]
fn metrics(gateway: &Process) -> String {
    get(gateway.admin(), "/metrics", "Host: localhost\r\n").body
}

/// Asserts that the metrics have this line, as soon as they have.
#[track_caller]
pub(crate) fn counts(gateway: &Process, line: &str) {
    let counted = until(|| metrics(gateway).lines().any(|one| one == line));
    assert!(counted, "{line:?} is not in:\n{}", metrics(gateway));
}

/// The lines of an audit log.
#[track_caller]
fn records(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}
