//! What an export records of definitions: what is new, and nothing that changed since it was reviewed.

use mcp_disclosure_core::{Lock, OnChange, qualified};

use super::{Folder, Origins, Report, served};

/// What was reviewed, of the source and in the folder, with what is new. Tools that are held are not accepted by the way.
pub(super) fn lock(origins: &Origins<'_>, report: &mut Report) -> Lock {
    let mut lock = origins.lock.cloned().unwrap_or_default();
    if let Some(own) = origins.folder.map(Folder::lock) {
        lock = lock.with(own);
    }
    let served = served(origins.view);
    for lists in &origins.lists {
        let name = &lists.name;
        let entry = origins.upstreams.iter().find(|(other, _)| other == name);
        // What the program serves of its own is not named in files.
        let Some(entry) = entry.and_then(|(_, entry)| entry.as_ref()) else { continue };
        let is_held = entry.on_change == Some(OnChange::Hold) && lock.knows(name);
        if origins.wishes.replace && !is_held {
            lock.forget(name);
        }
        for change in lock.changes(name, &lists.definitions()) {
            let tool = qualified(name, &change.tool);
            match (&change.before, &change.now) {
                (None, _) if is_held => report.held.push(tool),
                // What is hidden is nothing new to anyone.
                (None, _) if !served.contains(&(name.as_str(), &change.tool)) => {}
                (None, _) => report.added.push(tool),
                (_, None) => report.vanished.push(tool),
                _ => report.drifted.push(format!("{tool} {change}")),
            }
        }
        if !is_held {
            lock.add(&lists.name, &lists.definitions());
        }
    }
    lock
}
