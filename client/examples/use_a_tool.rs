//! Connects to any MCP server, shows what a model would see, and calls one tool.
//!
//! ```sh
//! cargo run -p mcp-disclosure-client --example use_a_tool -- symbolic_solve '{"equations": "x**2 - 4"}' \
//!     target/debug/mcp-disclosure serve --strategy resource
//! cargo run -p mcp-disclosure-client --example use_a_tool -- echo '{"message": "hi"}' http://127.0.0.1:8848/mcp
//! ```

#![allow(clippy::print_stdout, reason = "printing is its purpose")]

use mcp_disclosure_client::{Host, Link, Preferences, RawObject};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tool, input, server, rest @ ..] = &arguments[..] else {
        return Err("usage: use_a_tool TOOL ARGUMENTS (URL | COMMAND [ARG..])".into());
    };
    let link = match server.starts_with("http") {
        true => Link::url(server)?,
        false => Link::command(server, rest),
    };
    let host = Host::connect(link, Preferences::default()).await?;
    println!("strategy: {}", host.server().selected.as_deref().unwrap_or("none"));
    println!("system prompt: {}", host.system_prompt());
    for tool in host.list().await? {
        let brief = tool.string("description").unwrap_or_default();
        println!("tool: {}: {brief}", tool.string("name").unwrap_or_default());
    }
    let learned = host.describe(&[tool]).await?.remove(0);
    println!("definition: {}", learned.object().text());
    let result = host.call(tool, &RawObject::parse(input.as_str())?).await?;
    println!("result: {}", result.text());
    let traffic = host.traffic();
    println!("{} round trips, {} bytes", traffic.round_trips, traffic.bytes());
    host.close().await;
    Ok(())
}
