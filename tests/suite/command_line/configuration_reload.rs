//! A configuration that changes while the program runs: taken over within two seconds, as a whole.

use std::{fs::OpenOptions, io::Write, path::Path, time::Instant};

use kit::process::until;
use serde_json::json;

use super::{configured, named_pipe, opened, reload::SOON, served, shown, text};

const UPSTREAM: &str = "[upstreams.odd]\ncommand = \"ODD\"\n";

fn rewrite(file: &Path, toml: &str) -> Instant {
    super::rewrite(file, &format!("{UPSTREAM}{toml}"));
    Instant::now()
}

#[test]
fn u13_u14_a_good_change_is_served_and_announced() {
    let (_directory, file, mut gateway) = served(UPSTREAM, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    let changed = rewrite(&file, "[tools.wait]\nhidden = true\n");
    assert!(until(|| gateway.tool_names() == ["echo"]));
    assert!(changed.elapsed() < SOON, "{:?}", changed.elapsed());
    gateway.notified("notifications/tools/list_changed", 1);
    // Names and switches of an upstream are followed without a restart (U14).
    rewrite(&file, "prefix = \"odd_\"\nhidden = [\"wait\"]\n");
    assert!(until(|| gateway.tool_names() == ["odd_echo"]));
    assert_eq!(text(&gateway.call("odd_echo", json!({"text": "here"}))), "here");
    // As editors save: a new file takes the old one's name.
    let aside = file.with_extension("new");
    rewrite(&aside, "[tools.echo]\nhidden = true\n");
    std::fs::rename(&aside, &file).unwrap();
    assert!(until(|| gateway.tool_names() == ["wait"]));
    let ended = gateway.finish();
    ended.says(0, &["configuration and description files were read again"]).omits(&["needs a restart"]);
}

#[test]
fn categories_and_facts_change_what_info_says() {
    let (_directory, file) = configured(UPSTREAM);
    let mut gateway = opened(&["serve", "--config", shown(&file), "--strategy", "info"]);
    let mut overview = || gateway.call("info", json!({}))["result"]["structuredContent"].clone();
    assert!(overview()["categories"]["odd"].is_object());
    rewrite(
        &file,
        "[server.facts]\nnew = true\n[categories.echoes]\ndescription = \"Sounds\"\ntools = [\"*\"]\n",
    );
    assert!(until(|| overview()["new"] == true), "{}", overview());
    let categories = overview()["categories"].clone();
    let echoes = &categories["echoes"];
    assert_eq!((&echoes["count"], &echoes["description"]), (&json!(2), &json!("Sounds")));
    assert_eq!(categories.as_object().unwrap().len(), 1);
    gateway.notified("notifications/tools/list_changed", 1);
}

#[test]
fn changes_that_need_a_restart_are_reported() {
    let (_directory, file, mut gateway) = served(UPSTREAM, &[]);
    rewrite(
        &file,
        "[upstreams.more]\ncommand = \"ODD\"\n[serve]\nlisten = \"127.0.0.1:1\"\n[tools.wait]\nhidden = true\n",
    );
    gateway.logged("[serve] changed, which needs a restart");
    assert!(until(|| gateway.tool_names() == ["odd__echo", "more__echo"]), "the rest is taken over");
}

/// A pipe without a writer is like a disk that does not answer.
#[test]
fn p4_a_file_of_tokens_that_does_not_answer_holds_no_client_up() {
    let (directory, file, mut gateway) = served(UPSTREAM, &[]);
    gateway.tools();
    let token = named_pipe(directory.path(), "token");
    rewrite(&file, &format!("[auth]\ntokens = [{{ name = \"t\", file = {token:?} }}]\n"));
    // It opens once the program reads.
    let mut pipe = OpenOptions::new().write(true).open(&token).unwrap();
    assert!(gateway.request("ping", json!({}))["result"].is_object());
    assert!(gateway.call("echo", json!({"text": "x"}))["result"].is_object());
    pipe.write_all(b"a-token-of-more-than-32-characters-0123").unwrap();
    drop(pipe);
    gateway.logged("were read again");
}
