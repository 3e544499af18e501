//! The program, in front of a server that asks for sign-in.

use std::{fs, path::PathBuf};

use axum::{http::StatusCode, response::IntoResponse};
use kit::{
    http_server::reply,
    process::{CACHE, Ended, Process},
};
use serde_json::json;

use super::{log_in, server::Server};
use crate::command_line::{program, remembered};

/// The program, whose user is the server's.
fn started(server: &Server, arguments: &[&str]) -> Process {
    let home = server.config_home();
    Process::start(program(arguments).env("XDG_CONFIG_HOME", home).env(CACHE, home.join("cache")))
}

#[track_caller]
fn run(server: &Server, arguments: &[&str]) -> Ended {
    started(server, arguments).finish()
}

/// A configuration in which the server is called notes.
fn configured(server: &Server, more: &str) -> String {
    let file = server.config_home().join("disclosure.toml");
    let url = server.url();
    fs::write(
        &file,
        format!("[upstreams.notes]\nurl = '{url}'\n{more}\n[upstreams.program]\ncommand = 'x'\n"),
    )
    .unwrap();
    file.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a6_the_one_upstream_of_a_command_line_names_the_command() {
    let server = Server::honest().await;
    let url = server.url().to_string();
    let expected = format!("needs sign-in: run 'mcp-disclosure login {url}'");
    run(&server, &["serve", "--upstream-url", &url]).says(1, &[&expected]);
    log_in(&server, &server.sign_in()).await.unwrap();
    run(&server, &["serve", "--upstream-url", &url]).says(0, &[]);
    run(&server, &["logout", &url]).prints(0, &["is signed out"]);
    run(&server, &["serve", "--upstream-url", &url]).says(1, &[&expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a6_a_sign_in_is_noticed_and_what_is_listed_then_is_not_remembered_u17() {
    let server = Server::honest().await;
    let file = configured(&server, "");
    let mut gateway = started(&server, &["serve", "--strategy", "full", "--config", &file]);
    gateway.initialize();
    gateway.logs(&["sign-in needed", &format!("mcp-disclosure login --config {file} notes")]);
    assert_eq!(gateway.tool_names(), Vec::<String>::new());
    log_in(&server, &server.sign_in()).await.unwrap();
    gateway.lists(&["add"]);
    assert_eq!(gateway.call("add", json!({}))["result"]["content"], json!([]));
    gateway.finish().says(0, &[]);
    assert_eq!(remembered(&server.config_home().join("cache")), Vec::<PathBuf>::new());
    let sent =
        server.heard("/mcp").into_iter().filter_map(|heard| heard.headers.get("authorization").cloned());
    assert!(sent.into_iter().all(|header| header == "Bearer access-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a6_a_header_of_the_operator_takes_precedence() {
    let server = Server::honest().await;
    log_in(&server, &server.sign_in()).await.unwrap();
    let file = configured(&server, "headers = { authorization = 'Bearer of-the-operator' }");
    let mut gateway = started(&server, &["serve", "--strategy", "full", "--config", &file]);
    gateway.initialize();
    gateway.lists(&["add"]);
    gateway.finish().says(0, &[]);
    let sent =
        server.heard("/mcp").into_iter().filter_map(|heard| heard.headers.get("authorization").cloned());
    assert!(sent.into_iter().all(|header| header == "Bearer of-the-operator"));
    run(&server, &["login", "--config", &file, "notes"])
        .says(2, &["upstream 'notes' is authorized by a header"]);
    let both = configured(&server, "headers = { Authorization = 'x' }\noauth = { scopes = ['a'] }");
    run(&server, &["serve", "--config", &both]).says(64, &["has both oauth and a header Authorization"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a6_what_cannot_be_signed_in_to_is_named() {
    let server = Server::honest().await;
    let file = configured(&server, "");
    for (arguments, code, expected) in [
        (&["login"][..], 2, "<UPSTREAM>"),
        (&["login", "notes"], 2, "add --config FILE"),
        (&["login", "--config", &file, "note"], 2, "did you mean 'notes'?"),
        (&["login", "--config", &file, "program"], 2, "is a program"),
        (&["login", "http://mcp.example.com/mcp"], 2, "plain HTTP"),
        // All of them are named.
        (&["login", "--config", &file, "program", "http://mcp.example.com/mcp"], 2, "is a program"),
        (&["login", "--config", &file, "program", "http://mcp.example.com/mcp"], 2, "plain HTTP"),
        (&["login", "http://127.0.0.1:9/mcp"], 1, "cannot be reached"),
    ] {
        run(&server, arguments).says(code, &[expected]);
    }
    let out = run(&server, &["check", "--config", &file]);
    assert!(out.stdout.contains("needs sign-in: run 'mcp-disclosure login --config"), "{}", out.stdout);
    run(&server, &["logout", "--config", &file, "notes"]).prints(0, &["was not signed in"]);
    let nowhere = || Some(StatusCode::NOT_FOUND.into_response());
    let silent = Server::start(move |path, _| if path == "/mcp" { None } else { nowhere() }).await;
    run(&server, &["login", silent.url().as_str()]).says(1, &["says nowhere how"]);
    let open =
        Server::start(move |path, _| if path == "/mcp" { Some(reply(&json!({}))) } else { nowhere() }).await;
    run(&server, &["login", open.url().as_str()]).says(1, &["does not ask for sign-in"]);
    let all = ["login", "--all", "--config", &configured(&open, "")];
    run(&open, &all).prints(0, &["upstream 'notes' is left out: it asks for no sign-in"]);
}
