//! What a person edited in a file that servers were moved to, brought back into the host's file.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;

use super::{ABOUT, Edits, Step, Why, digest, json};
use crate::config::hosts::{
    Document, Server,
    node::{Member, Node},
};

/// A step with what was edited since in the files that servers were moved to.
pub(crate) struct Edited {
    /// What the host's file was before, with the edits that could be brought back.
    pub(crate) before: String,
    /// The files with edits that could not, and why; they are to stay.
    pub(crate) kept: Vec<(PathBuf, Why)>,
}

/// Looks at the files that servers were moved to in this step of the file at `path`.
pub(crate) fn edited(path: &Path, step: &Step) -> Edited {
    let mut edited = Edited { before: step.before.clone(), kept: Vec::new() };
    for (file, text) in step.changed() {
        let brought = text.map_err(|error| error.to_string()).and_then(|text| {
            let parse = |path: &Path, text: &str| Document::parse(path, text, &step.current).ok();
            let moved = parse(file, &text).ok_or("it cannot be read any more")?;
            let before = parse(path, &edited.before).ok_or("the host's file cannot be read any more")?;
            let after = parse(path, &step.after).ok_or("the host's file cannot be read any more")?;
            with_edits(&before, &after, &moved)
        });
        match brought {
            Ok((before, None)) => edited.before = before,
            Ok((before, Some(why))) => {
                edited.before = before;
                edited.kept.push((file.to_owned(), why));
            }
            Err(why) => edited.kept.push((file.to_owned(), why)),
        }
    }
    edited
}

/// The host's file as it was, with the servers of the other file as they are now; and what cannot be brought back.
fn with_edits(before: &Document, after: &Document, moved: &Document) -> Result<(String, Option<Why>), Why> {
    let mut edits = Edits::default();
    let mut lost: Option<Why> = None;
    let originals = before.servers().into_iter().filter(|server| after.same(server).is_none());
    let originals: Vec<Server<'_>> = originals.collect();
    let names: Vec<String> = moved.servers().into_iter().map(|server| server.name).collect();
    if let Some(gone) = originals.iter().find(|original| !names.contains(&original.name)) {
        lost = Some(format!("'{}' was removed from it, and is back", gone.name));
    }
    for server in moved.servers() {
        match originals.iter().find(|original| original.is_same(&server)) {
            Some(original) => edit_entry(&mut edits, original.node, server.node),
            None => lost = Some(format!("'{}' was added to it", server.name)),
        }
    }
    if ABOUT.iter().any(|key| before.root.get(key).map(json) != moved.root.get(key).map(json)) {
        lost = Some(format!("one of its {} was edited", ABOUT.join(", ")));
    }
    if serde_json::from_str::<Json>(&moved.text).is_err() {
        lost = Some("it has comments".to_owned());
    }
    let text = edits.apply(&before.text).ok_or("its servers cannot be written back")?;
    let document = before.with_text(&text).map_err(|problem| problem.to_string())?;
    Ok((document.bytes(), lost))
}

/// Writes an entry's values over those that it had; the whole entry if keys were added or removed.
fn edit_entry(edits: &mut Edits, was: &Node, now: &Node) {
    let names = |node: &Node| node.members().iter().map(|member| member.name.clone()).collect::<Vec<_>>();
    if names(was) != names(now) {
        return edits.replace(was.at..was.end, json(now).to_string());
    }
    let pairs = was.members().iter().zip(now.members());
    for (Member { node: was, .. }, Member { node: now, .. }) in
        pairs.filter(|(was, now)| json(&was.node) != json(&now.node))
    {
        edits.replace(was.at..was.end, json(now).to_string());
    }
}

impl Step {
    /// The files that servers were moved to, with their texts, that are not as `init` wrote them.
    pub(crate) fn changed(&self) -> Vec<(&Path, std::io::Result<String>)> {
        let changed = self.gathered.iter().filter_map(|(file, written)| match fs::read_to_string(file) {
            Ok(text) if digest(&text) == *written => None,
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            read => Some((file.as_path(), read)),
        });
        changed.collect()
    }
}
