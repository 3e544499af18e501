//! Blocks of code and configuration: Rust is part of what is compiled, TOML and JSON are what they are said to be.

use std::{fs, path::Path};

use mcp_disclosure_server::{
    config::{DisclosureFile, read_hosts},
    files::read_directory,
};
use serde_json::Value;

use super::{Block, ROOT, checked, files};

/// Kinds that a test checks.
const CHECKED: [&str; 4] = ["rust", "toml", "json", "sh"];

/// Kinds that say nothing that could be checked: output and the like.
const SHOWN: [&str; 2] = ["", "text"];

/// Where the code of pages is compiled: crates, examples, and the examples in documentation comments.
const COMPILED: [&str; 9] = [
    "client/src",
    "compare/src",
    "core/src",
    "examples/custom-strategy/src",
    "examples/own-server/src",
    "gateway/src",
    "server/src",
    "strategy-concerns/src",
    "strategy-resource/src",
];

pub(super) fn of_kind(kind: &str) -> Vec<Block> {
    let blocks = checked().into_iter().flat_map(|page| page.blocks());
    let found: Vec<Block> = blocks.filter(|block| block.kind == kind).collect();
    assert!(found.len() > 3, "only {} blocks are of kind {kind}", found.len());
    found
}

#[test]
fn w4_every_block_is_checked_or_says_what_it_needs() {
    let blocks: Vec<Block> = checked().into_iter().flat_map(|page| page.blocks()).collect();
    let mut needing = 0;
    for block in &blocks {
        let is_known = CHECKED.contains(&&*block.kind) || SHOWN.contains(&&*block.kind);
        let is_marked = block.needs().is_some() || block.of().is_some();
        assert!(is_known || block.needs().is_some(), "{}: no test checks '{}'", block.place, block.kind);
        assert!(is_marked || block.mark.is_none(), "{}: write needs-WHAT or of-WHAT", block.place);
        needing += usize::from(block.needs().is_some());
    }
    let checked = blocks.iter().filter(|block| CHECKED.contains(&&*block.kind)).count();
    assert!(needing * 4 < checked, "{needing} of {checked} blocks cannot be checked: show what can be");
}

/// Lines without indentation, comment signs and what rustdoc hides.
fn bare(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    let bare = lines.map(|line| line.strip_prefix("///").or(line.strip_prefix("//!")).unwrap_or(line).trim());
    bare.filter(|line| !line.is_empty() && !line.starts_with("# ")).collect()
}

#[test]
fn w4_rust_of_pages_is_compiled() {
    let sources = COMPILED.into_iter().flat_map(|folder| files(&Path::new(ROOT).join(folder)));
    let sources: Vec<String> = sources.map(|file| fs::read_to_string(file).unwrap()).collect();
    let sources: Vec<Vec<&str>> = sources.iter().map(|source| bare(source)).collect();
    for Block { place, text, .. } in of_kind("rust") {
        let block = bare(&text);
        let is_compiled =
            sources.iter().any(|source| source.windows(block.len()).any(|lines| lines == block));
        assert!(is_compiled, "{place} is no part of a program in {COMPILED:?}:\n{text}");
    }
}

#[test]
fn w4_toml_of_pages_is_read() {
    for Block { place, text, mark, .. } in of_kind("toml") {
        match mark.as_deref() {
            None => {
                let read = DisclosureFile::parse(&place, &text);
                assert!(read.is_ok(), "{:?}", read.err());
            }
            Some("of-host") => is_of_a_host(&place, "toml", &text),
            Some("of-manifest") => {
                let examples = ["own-server", "custom-strategy"].iter();
                let manifests =
                    examples.map(|name| Path::new(ROOT).join("examples").join(name).join("Cargo.toml"));
                let manifest: String = manifests.map(|file| fs::read_to_string(file).unwrap()).collect();
                // Outside of the repository our crates are found elsewhere.
                let lines = text.lines().filter(|line| !line.starts_with("mcp-disclosure"));
                lines.for_each(|line| assert!(manifest.contains(line), "{place}: {line}"));
            }
            other => panic!("{place}: {other:?} is not known"),
        }
    }
}

#[test]
fn w4_json_of_pages_is_read() {
    for Block { place, text, mark, .. } in of_kind("json") {
        let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let values: Vec<Value> =
            values.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{place}: {error}"));
        match mark.as_deref() {
            Some("of-description-file") => {
                let folder = tempfile::tempdir().unwrap();
                let name = values[0]["name"].as_str().unwrap();
                fs::write(folder.path().join(format!("{name}.json")), &text).unwrap();
                let read = read_directory(folder.path());
                assert!(read.as_ref().is_ok_and(|files| files.len() == 1), "{place}: {:?}", read.err());
            }
            Some(other) => panic!("{place}: {other:?} is not known"),
            None if values[0].get("mcpServers").or(values[0].get("servers")).is_some() => {
                is_of_a_host(&place, "json", &text);
            }
            None => {}
        }
    }
}

/// Asserts that all servers of a host's file can be served.
fn is_of_a_host(place: &str, extension: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("mcp.{extension}"));
    // A variable without a value would leave its server out.
    fs::write(&file, text.replace("${", "$${")).unwrap();
    let read = read_hosts(&file, &std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(read.left_out.is_empty() && !read.upstreams.is_empty(), "{place}: {:?}", read.left_out);
}
