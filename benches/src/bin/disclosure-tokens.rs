//! Counts the tokens of the lists that a gateway in this process sends under each strategy.
//!
//! Sources are six tools of the size of Delta-MCP's demonstration (delta-mcp "Numbers"), and files given as arguments,
//! each a `tools/list` result; several are served together, as one gateway would serve them.

use std::{io, path::PathBuf, process::ExitCode};

use clap::Parser;
use mcp_disclosure_benches::listed::Listed;
use mcp_disclosure_client::{Host, Link, Preferences, RawObject};
use mcp_disclosure_core::ReceiptKey;
use mcp_disclosure_gateway::{
    dispatch::{Assembly, Gateway},
    front::stdio::Stdio,
    negotiation::{Strategies, StrategyOptions},
    upstream::{Target, UpstreamConfig},
};
use serde_json::{Value, json};
use tokio::task::LocalSet;

const SIX_TOOLS: &str = include_str!("../../../tests/data/six-tools.json");

/// Counts the tokens of lists under each strategy, by o200k_base and by Delta-MCP's rule.
#[derive(Debug, Parser)]
#[command(name = "disclosure-tokens")]
struct Arguments {
    /// Files with a `tools/list` result each, served together after the six tools
    files: Vec<PathBuf>,
}

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "this program prints tables")]
fn main() -> ExitCode {
    match count(&Arguments::parse().files) {
        Ok(tables) => {
            println!("{tables}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("disclosure-tokens: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count(files: &[PathBuf]) -> io::Result<String> {
    let tokenizer = tiktoken_rs::o200k_base().map_err(io::Error::other)?;
    let count = |text: &str| Count::of(text, &|text| tokenizer.encode_ordinary(text).len());
    let mut sources = vec![("six tools".to_owned(), vec![Listed::parse("six", SIX_TOOLS)?])];
    if !files.is_empty() {
        let listed = files.iter().map(|file| Listed::read(file)).collect::<io::Result<Vec<_>>>()?;
        let tools: usize = listed.iter().map(|listed| listed.tools.len()).sum();
        sources.push((format!("{tools} tools of {} servers", listed.len()), listed));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tables = sources.into_iter().map(|(title, listed)| {
        let rows = LocalSet::new().block_on(&runtime, rows(&listed, &count))?;
        Ok(table(&title, &rows))
    });
    Ok(tables.collect::<io::Result<Vec<_>>>()?.join("\n"))
}

/// Tokens by both methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Count {
    o200k: usize,
    quarters: usize,
}

impl Count {
    fn of(text: &str, tokens: &dyn Fn(&str) -> usize) -> Self {
        // Delta-MCP counts as JavaScript does: UTF-16 units.
        Self { o200k: tokens(text), quarters: text.encode_utf16().count().div_ceil(4) }
    }

    fn plus(self, other: Self) -> Self {
        Self { o200k: self.o200k + other.o200k, quarters: self.quarters + other.quarters }
    }
}

/// The rows of the table; the first is the baseline.
async fn rows(listed: &[Listed], count: &dyn Fn(&str) -> Count) -> io::Result<Vec<(&'static str, Count)>> {
    let sizes = async |strategy, omits, tools| {
        let host = connect(listed, strategy, omits, tools).await?;
        Ok::<_, io::Error>(count(&list(&host).await?))
    };
    let full = connect(listed, "full", false, "stubs").await?;
    let served = full.list().await.map_err(io::Error::other)?;
    let entry = connect(listed, "info", false, "entry-only").await?;
    let start = count(&list(&entry).await?).plus(count(&entry.system_prompt()));
    let mut usable = Vec::new();
    for name in served.iter().filter_map(|tool| tool.string("name")) {
        usable.push(start.plus(learned(&entry, &name, count).await?));
    }
    usable.sort();
    let (median, largest) = (usable.get(usable.len() / 2), usable.last());
    Ok(vec![
        ("`full`", count(&list(&full).await?)),
        ("`describe` without `inputSchema`", sizes("describe", true, "stubs").await?),
        ("`describe` with the permissive one", sizes("describe", false, "stubs").await?),
        ("`info`, stubs", sizes("info", false, "stubs").await?),
        ("`info`, entry-only", sizes("info", false, "entry-only").await?),
        ("`info`, entry-only, until a tool can be called: median", median.copied().unwrap_or_default()),
        ("`info`, entry-only, until a tool can be called: largest", largest.copied().unwrap_or_default()),
    ])
}

/// The tokens that a model writes and reads to learn how a tool is used.
async fn learned(host: &Host, name: &str, count: &dyn Fn(&str) -> Count) -> io::Result<Count> {
    let question = json!({"name": "info", "arguments": {"topic": format!("tool:{name}")}});
    let answer = host.request("tools/call", &question).await.map_err(io::Error::other)?;
    let answer: Value = serde_json::from_str(answer.text())?;
    match answer["content"][0]["text"].as_str().filter(|_| answer["structuredContent"]["tool"].is_string()) {
        Some(text) => Ok(count(&question.to_string()).plus(count(text))),
        None => Err(io::Error::other(format!("info did not describe '{name}': {answer}"))),
    }
}

/// The result of `tools/list`, as Delta-MCP counts it: the tools only.
async fn list(host: &Host) -> io::Result<String> {
    let tools = host.list().await.map_err(io::Error::other)?;
    let tools: Vec<&str> = tools.iter().map(RawObject::text).collect();
    Ok(format!(r#"{{"tools":[{}]}}"#, tools.join(",")))
}

/// A client of a gateway in this process, under this strategy.
async fn connect(listed: &[Listed], strategy: &str, omits: bool, other_tools: &str) -> io::Result<Host> {
    let settings = [
        ("describe".to_owned(), json!({"long_briefs": "shorten"})),
        ("info".to_owned(), json!({"tools": other_tools})),
    ];
    let options = StrategyOptions { settings: settings.into(), ..StrategyOptions::default() };
    let strategies = Strategies::build(&mcp_disclosure_gateway::builtin(), &options);
    let strategies = strategies.map_err(|problems| io::Error::other(format!("{problems:?}")))?;
    let key = ReceiptKey::new(&[1; ReceiptKey::LEAST_BYTES]).ok_or_else(|| io::Error::other("no key"))?;
    let upstreams =
        listed.iter().map(|listed| UpstreamConfig::new(listed.name.clone(), Target::handler(listed.clone())));
    let assembly = Assembly { upstreams: upstreams.collect(), ..Assembly::new(strategies, key) };
    let started = Gateway::start(assembly).await.map_err(io::Error::other)?;
    let (near, far) = tokio::io::duplex(1 << 16);
    let ((input, output), (far_input, far_output)) = (tokio::io::split(near), tokio::io::split(far));
    let client = Stdio::new(far_input, far_output, started.gateway.limits());
    tokio::task::spawn_local(async move { client.serve(&started.gateway).await });
    let preferences = Preferences { omit_input_schema: omits, ..Preferences::of([strategy]) };
    let host = Host::connect(Link::streams(input, output), preferences).await.map_err(io::Error::other)?;
    match host.server().selected.as_deref() {
        Some(selected) if selected == strategy => Ok(host),
        other => {
            Err(io::Error::other(format!("requested strategy {strategy}, but the server selected {other:?}")))
        }
    }
}

fn table(title: &str, rows: &[(&'static str, Count)]) -> String {
    let full = rows[0].1;
    let of = |part: usize, whole: usize| format!("{:.1} %", 100.0 * part as f64 / whole as f64);
    let mut table = format!(
        "| {title} | o200k_base | of `full` | characters / 4 | of `full` |\n|---|---:|---:|---:|---:|\n"
    );
    for (what, Count { o200k, quarters }) in rows {
        let (part, quarter) = (of(*o200k, full.o200k), of(*quarters, full.quarters));
        table += &format!("| {what} | {o200k} | {part} | {quarters} | {quarter} |\n");
    }
    table
}
