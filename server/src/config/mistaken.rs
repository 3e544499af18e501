//! Files given for others: what one is, where another was expected.

use std::{io, path::Path};

use mcp_disclosure_gateway::Problem;
use toml::{Spanned, de::DeTable};

use super::{CONFIGURATION, UPSTREAMS, hosts::names_servers};

/// Why a file cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::new(format!("{}: {error}", path.display()));
    let declarations = path.join(CONFIGURATION);
    if declarations.is_file() {
        return problem.hint(format!("this is a folder: --config {}", declarations.display()));
    }
    problem.hint(match path.is_dir() {
        true => "this is a folder: give a file in it",
        false => "the file must be readable, in UTF-8",
    })
}

/// What a file is that was given for `disclosure.toml` and has problems as such; none if it may be one.
pub(super) fn for_declarations(path: &Path, text: &str) -> Option<Problem> {
    let shown = path.display();
    let top = DeTable::parse(text).ok().map(Spanned::into_inner);
    let is_of_host = match &top {
        // Codex's file may have a table `tools`, too.
        Some(top) => top.contains_key("mcp_servers") && !top.contains_key(UPSTREAMS),
        None => names_servers(path, text),
    };
    if is_of_host {
        let problem = Problem::new(format!("{shown}: this is the file of an MCP host, not {CONFIGURATION}"));
        return Some(problem.hint(format!("--mcp-config {shown}")));
    }
    let is_json = top.is_none() && text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    is_json.then(|| {
        Problem::new(format!("{shown}: this is JSON, and --config takes TOML"))
            .hint("docs/configuration.md has an example; mcp-disclosure export writes one for your servers")
    })
}
