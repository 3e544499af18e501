//! How well the tools of real servers are found (docs/CONTRACT.md S8), where `RECORDINGS` names the folder of their lists, as
//! in `.ci/full recordings`. The labelled queries are those of `tests/data/tasks.jsonl`.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use mcp_disclosure_core::{RawObject, UpstreamLists, View, fixtures};
use mcp_disclosure_ranking::{BuiltIn, LexicalSettings, Match, Query};
use serde::Deserialize;

/// A labelled query; the tools are written `UPSTREAM:NAME`. Without tools nothing should be found.
#[derive(Deserialize)]
struct Task {
    query: String,
    tools: Vec<String>,
}

/// What the servers list; `None` without recordings.
fn recorded() -> Option<View> {
    let folder = std::env::var_os("RECORDINGS")?;
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let lists = files.iter().map(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let recorded = RawObject::parse(std::fs::read_to_string(path).unwrap()).unwrap();
        UpstreamLists {
            tools: serde_json::from_str(recorded.member("tools").unwrap()).unwrap(),
            server_info: recorded.object("server").unwrap(),
            ..fixtures::upstream(name, [])
        }
    });
    Some(fixtures::view(&lists.collect::<Vec<_>>()))
}

fn tasks() -> Vec<Task> {
    let tasks = include_str!("../../tests/data/tasks.jsonl");
    tasks.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[derive(Debug, Default)]
struct Counted {
    possible: usize,
    first: usize,
    among_five: usize,
    weak: usize,
    nothing: usize,
    impossible: usize,
    caught: usize,
}

#[test]
fn s8_recorded_tools_are_found_and_misses_are_honest() {
    let Some(view) = recorded() else { return };
    let ranker = BuiltIn::new(&LexicalSettings::default());
    let mut counted = Counted::default();
    for task in tasks() {
        let ranking = ranker.rank_now(&view, &Query::new(&task.query, 5));
        let is_weak = ranking.hits.iter().all(|hit| hit.matched == Match::Weak);
        if task.tools.is_empty() {
            counted.impossible += 1;
            counted.caught += usize::from(is_weak);
            continue;
        }
        let is_right = |name: &str| {
            let tool = view.tool(name).unwrap().tool();
            task.tools.contains(&format!("{}:{}", tool.upstream(), tool.upstream_name()))
        };
        let rank = ranking.hits.iter().position(|hit| is_right(&hit.name));
        counted.possible += 1;
        counted.first += usize::from(rank == Some(0));
        counted.among_five += usize::from(rank.is_some());
        counted.weak += usize::from(is_weak);
        counted.nothing += usize::from(ranking.hits.is_empty());
    }
    // In per cent, so that the figures are those of the rule.
    let Counted { possible, first, among_five, weak, nothing, impossible, caught } = counted;
    assert!(first * 100 >= possible * 75, "first: {counted:?}");
    assert!(among_five * 100 >= possible * 90, "among five: {counted:?}");
    assert!(caught * 100 >= impossible * 50, "impossible ones that miss: {counted:?}");
    assert!(weak * 100 <= possible * 15, "possible ones that are weak: {counted:?}");
    assert!(nothing * 100 <= possible, "possible ones that miss: {counted:?}");
}
