//! U12: gateways that lead back to themselves are refused before they start anything; other stacks work.

use std::{net::SocketAddr, path::Path};

use kit::{exchange::post, messages::hello, process::Process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ODD, error, opened, over_http, program, run, shown};

/// The extension whose member `chain` has the gateways of a chain.
const EXTENSION: &str = "io.github.mcp-disclosure/progressive-disclosure";

/// A folder with hosts' files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, file: &str) -> String {
        shown(&self.0.path().join(file)).to_owned()
    }

    /// A host's file with these servers, and one that notes each of its starts in `starts`.
    fn file(&self, name: &str, servers: &[(&str, Value)]) -> String {
        let noting = format!("echo started >> '{}'; exec '{ODD}' ordinary", self.path("starts"));
        let mut all = serde_json::Map::from_iter(
            servers.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())),
        );
        all.insert(format!("odd-of-{name}"), json!({"command": "sh", "args": ["-c", noting]}));
        let path = self.path(name);
        std::fs::write(&path, json!({"mcpServers": all}).to_string()).unwrap();
        path
    }

    fn starts(&self) -> usize {
        std::fs::read_to_string(Path::new(&self.path("starts"))).unwrap_or_default().lines().count()
    }
}

/// This program, serving a host's file.
fn ours(file: &str) -> Value {
    json!({"command": gateway(), "args": ["serve", "--mcp-config", file]})
}

fn gateway() -> String {
    program(&[]).get_program().to_str().unwrap().to_owned()
}

/// Serves a file until its tools are listed.
fn serve(file: &str) -> (Process, Vec<String>) {
    let mut gateway = opened(&["serve", "--strategy", "full", "--mcp-config", file]);
    let names = gateway.tool_names();
    (gateway, names)
}

#[test]
fn u12_a_file_that_lists_us_is_served_once() {
    let folder = Folder::new();
    let path = folder.path("host.json");
    folder.file("host.json", &[("me", ours(&path))]);
    let (gateway, names) = serve(&path);
    assert_eq!(names, ["echo", "wait"]);
    let ended = gateway.finish();
    ended.says(0, &["upstream 'me: ", "exit status: 64", "the upstreams lead in a circle"]);
    ended.says(0, &["host.json (upstream 'me') -> ", "hint: remove upstream 'me' from "]);
    // What the child printed, and the error.
    assert_eq!(ended.stderr.matches("lead in a circle").count(), 2, "{}", ended.stderr);
    assert_eq!(folder.starts(), 1, "{}", ended.stderr);
}

#[test]
fn u12_a_wrapper_and_another_spelling_of_the_path_hide_nothing() {
    let folder = Folder::new();
    let path = folder.path("host.json");
    std::os::unix::fs::symlink(&path, folder.path("link.json")).unwrap();
    let wrapped = format!("cd / && exec '{}' serve --mcp-config '{}'", gateway(), folder.path("./link.json"));
    folder.file("host.json", &[("wrapped", json!({"command": "sh", "args": ["-c", wrapped]}))]);
    let (gateway, names) = serve(&path);
    assert_eq!(names, ["echo", "wait"]);
    gateway.finish().says(0, &["the upstreams lead in a circle"]);
    assert_eq!(folder.starts(), 1);
}

#[test]
fn u12_different_files_may_be_stacked_and_one_file_served_twice() {
    let folder = Folder::new();
    let inner = folder.file("inner.json", &[]);
    let outer = folder.file("outer.json", &[("a", ours(&inner)), ("b", ours(&inner))]);
    let (mut first, names) = serve(&outer);
    assert_eq!(names.len(), 6, "{names:?}");
    let (second, same) = serve(&outer);
    assert_eq!(names, same);
    let answer = first.call(&names[0], json!({"text": "through two"}));
    assert_eq!(super::text(&answer), "through two");
    second.finish().says(0, &[]);
    first.finish().says(0, &[]);
}

#[test]
fn u12_the_environment_is_read_by_every_command() {
    let folder = Folder::new();
    let file = folder.file("host.json", &[]);
    let chain = json!([{"instance": "i", "label": "elsewhere"}]).to_string();
    let inside = |arguments: &[&str], chain: &str| {
        Process::start(program(arguments).env("MCP_DISCLOSURE_CHAIN", chain)).finish()
    };
    inside(&["check", "--mcp-config", &file], &chain).says(0, &[]);
    inside(&["check", "--mcp-config", &file], "nonsense").says(64, &[]);
    inside(&["serve", "--mcp-config", &file], "nonsense")
        .says(64, &["environment variable MCP_DISCLOSURE_CHAIN cannot be read", "unset it"]);
}

#[test]
fn u12_the_height_of_a_stack_is_a_setting() {
    let limited = ["serve", "--limit", "gateway_depth=1"];
    run(&[&limited[..], &["--", &gateway()], &limited[..], &["--", ODD, "ordinary"]].concat())
        .says(1, &["1 gateways in a row lead to this one", "limits.gateway_depth", "the command "]);
}

/// Opens a session through these gateways, and returns the answer.
fn initialize(address: SocketAddr, chain: &[&str]) -> Value {
    post(address, None, &hello(json!({"extensions": {EXTENSION: {"chain": chain}}}))).1
}

#[test]
fn u12_a_gateway_that_is_reached_by_url_refuses_whom_it_leads_to() {
    let below = over_http(&["--", ODD, "ordinary"]);
    let below_url = format!("http://{}/mcp", below.address());
    let above = over_http(&["--upstream-url", &below_url]);
    let answer = initialize(above.address(), &["someone"]);
    let own = &answer["result"]["capabilities"]["extensions"][EXTENSION];
    let led_to = own["chain"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
    assert_eq!(led_to.len(), 2, "itself, and the one below: {answer}");
    for known in &led_to {
        let refused = initialize(above.address(), &["someone", known.as_str().unwrap()]);
        assert_eq!(refused["error"]["data"]["circle"], true, "{refused}");
    }
    let deep: Vec<String> = (0..8).map(|number| number.to_string()).collect();
    let refused = initialize(above.address(), &deep.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(error(&refused).contains("limits.gateway_depth"), "{refused}");
    // Those refused hurt themselves only.
    assert!(initialize(above.address(), &[])["result"].is_object());

    // A gateway that the one above started, perhaps through a server of someone else, and that leads back to it.
    let chain = json!([{"instance": led_to[0]}]).to_string();
    let above_url = format!("http://{}/mcp", above.address());
    let back = ["serve", "--upstream-url", &above_url];
    Process::start(program(&back).env("MCP_DISCLOSURE_CHAIN", &chain))
        .finish()
        .says(1, &["the upstreams lead in a circle", "hint: remove the upstream that leads back"]);
    // The same where it would find out first: the one below leads nowhere, but was reached by the one above.
    let chain = json!([{"instance": led_to[1]}]).to_string();
    Process::start(program(&back).env("MCP_DISCLOSURE_CHAIN", &chain))
        .finish()
        .says(1, &["lead in a circle"]);
}

#[test]
fn u12_other_clients_and_servers_see_nothing_of_it() {
    let gateway = over_http(&["--", ODD, "ordinary"]);
    let (_, answer) = post(gateway.address(), None, &hello(json!({})));
    let own = &answer["result"]["capabilities"]["extensions"][EXTENSION];
    assert!(own.is_object() && own["chain"].is_null() && answer["result"]["_meta"].is_null(), "{answer}");
}
