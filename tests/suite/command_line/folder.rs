//! Files that a test gives to the program, in a folder of their own.

use std::path::{Path, PathBuf};

use kit::Scenario;
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

use super::{ODD, shown};
use crate::UPSTREAM;

/// A folder, and the path of a file in it that is not there yet.
pub(super) fn scratch(name: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(name);
    (directory, file)
}

/// A folder with this disclosure.toml, written by [`rewrite`].
pub(crate) fn configured(toml: &str) -> (TempDir, PathBuf) {
    let (directory, file) = scratch("disclosure.toml");
    rewrite(&file, toml);
    (directory, file)
}

/// Writes a configuration, in which ODD stands for the odd upstream and FOLDER for the file's folder.
pub(crate) fn rewrite(file: &Path, toml: &str) {
    let toml = toml.replace("ODD", ODD).replace("FOLDER", shown(file.parent().unwrap()));
    std::fs::write(file, toml).unwrap();
}

/// A folder with this host's file, in which ODD stands for the odd upstream.
pub(super) fn hosted(servers: &Value) -> (TempDir, PathBuf) {
    let (directory, file) = scratch("mcp.json");
    let text = json!({"mcpServers": servers, "inputs": []}).to_string();
    std::fs::write(&file, text.replace("ODD", ODD)).unwrap();
    (directory, file)
}

/// The files in which a run with this cache keeps what upstreams listed.
pub(crate) fn remembered(cache: &Path) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(cache.join("mcp-disclosure/upstreams"));
    let paths = folder.into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

/// A folder with a scenario, and its file as the argument of the upstream that plays it.
pub(crate) fn played(scenario: &Scenario) -> (TempDir, String) {
    let (directory, file) = scratch("scenario.json");
    scenario.write(&file);
    let file = shown(&file).to_owned();
    (directory, file)
}

/// Labelled queries as a file.
pub(crate) fn queries(lines: &[Value]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(file.path(), lines).unwrap();
    file
}

/// A pipe, which is there to be read once.
pub(super) fn named_pipe(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// The entry of an upstream that plays the scenario in this file.
pub(crate) fn playing(name: &str, scenario: &str) -> String {
    format!("[upstreams.{name}]\ncommand = {UPSTREAM:?}\nargs = [{scenario:?}]\n")
}

/// The entry of an upstream whose program is this shell script.
pub(super) fn scripted(name: &str, script: &str) -> String {
    format!("[upstreams.{name}]\ncommand = \"sh\"\nargs = [\"-c\", {script:?}]\n")
}

/// A script that becomes the odd upstream once FOLDER/gate is there.
pub(super) const GATED: &str = "until [ -e FOLDER/gate ]; do sleep 0.02; done; exec ODD";
