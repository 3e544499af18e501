//! `permissions.allow` in the settings of Claude Code: tools that run without a question, as `mcp__SERVER__TOOL`.
//!
//! The list is in other files than the servers. Where it names tools of a server that is put behind this program, it gets
//! those tools of the strategy that only read.

use std::path::Path;

use mcp_disclosure_gateway::Problem;

use super::{
    edit::{Edits, append, remove_added},
    places::Place,
    plan::Plan,
    rules::CLAUDE_CODE,
    wrap::Front,
    write::read,
};
use crate::{config::hosts::document::Document, files::Change};

/// The names that lead to the list.
pub(crate) const LIST: [&str; 2] = ["permissions", "allow"];

/// Whether a file is one of its settings, and not one that names servers.
pub(crate) fn is_settings(place: &Place) -> bool {
    place.host == Some(CLAUDE_CODE) && place.path.parent().is_some_and(|parent| parent.ends_with(".claude"))
}

/// What is added to the list of this file for the servers of these plans; `None` if nothing is.
///
/// # Errors
/// Why the file cannot be edited, if it could matter.
pub(crate) fn plan(
    place: Place,
    current: &Path,
    plans: &[Plan],
    front: &Front,
) -> Result<Option<Plan>, Problem> {
    let plans = plans.iter().filter(|plan| plan.place.host == Some(CLAUDE_CODE));
    // A moved server's tools are now those of our entry.
    let servers = plans.flat_map(|plan| {
        let entry = |name: &String| {
            plan.moved.iter().find(|moved| moved.names.contains(name)).map(|moved| moved.entry.clone())
        };
        plan.served.iter().map(move |name| (name.clone(), entry(name).unwrap_or_else(|| name.clone())))
    });
    let servers: Vec<(String, String)> = servers.collect();
    if servers.is_empty() || !front.bridges.iter().any(|bridge| bridge.reads_only) {
        return Ok(None);
    }
    let (path, before) = read(&place.path)?;
    let document = Document::parse(&place.path, &before, current)?;
    let Some(list) = document.root.path(&LIST).filter(|list| list.is_list()) else { return Ok(None) };
    let mut permitted: Vec<String> = Vec::new();
    for (name, entry) in &servers {
        let of_server = format!("mcp__{name}__");
        if !list.items().iter().any(|item| item.text().is_some_and(|text| text.starts_with(&of_server))) {
            continue;
        }
        let reading = front.bridges.iter().filter(|bridge| bridge.reads_only);
        let tools = reading.map(|bridge| format!("mcp__{entry}__{}", bridge.name));
        let new: Vec<String> = tools.filter(|tool| !list.lists(tool) && !permitted.contains(tool)).collect();
        permitted.extend(new);
    }
    if permitted.is_empty() {
        return Ok(None);
    }
    let mut edits = Edits::default();
    append(&mut edits, &document, list, &permitted);
    let Some(changed) = edited(&document, edits) else { return Ok(None) };
    let after = changed.bytes();
    let change = Change { path, before: Some(before), after };
    Ok(Some(Plan { place, change, permitted, ..Plan::default() }))
}

/// The file without what was added to the list between two older texts; `None` if nothing of it is there.
pub(super) fn withdrawn(now: &Document, before: &Document, after: &Document) -> Option<Document> {
    let list = now.root.path(&LIST)?;
    let mut edits = Edits::default();
    let is_there = remove_added(&mut edits, list, before.root.path(&LIST), after.root.path(&LIST));
    is_there.then(|| edited(now, edits)).flatten()
}

/// The edited file, if nothing but the list changed.
fn edited(document: &Document, edits: Edits) -> Option<Document> {
    let table = document.root.get(LIST[0])?;
    let is_same = |changed: &Document| document.root.is_same_but(&changed.root, Some(table), &LIST[1..]);
    edits.checked(document, is_same).ok()
}
