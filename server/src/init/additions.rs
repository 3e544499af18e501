//! What `init` added to an entry that was edited since.

use std::ops::Range;

use super::{
    Why,
    edit::{Edits, remove_added},
};
use crate::config::hosts::{
    document::{Document, Server},
    launch::Launch,
    node::Member,
};

/// An entry without the names that `init` added to its lists of tools.
pub(super) fn without_additions(
    document: &Document,
    number: usize,
    was: &Server<'_>,
    after: &Server<'_>,
) -> Result<Document, Why> {
    let servers = document.servers();
    let now = &servers[number];
    let mut edits = Edits::default();
    for Member { name, node, .. } in now.node.members() {
        let (Some(was), Some(after)) = (was.node.get(name), after.node.get(name)) else { continue };
        let is_command = |launch: &Launch<'_>| launch.command.name == *name || launch.arguments_key == name;
        if !(was.is_list() && after.is_list() && node.is_list())
            || now.launch.as_ref().is_some_and(is_command)
        {
            continue;
        }
        remove_added(&mut edits, node, Some(was), Some(after));
    }
    if let Some(added) = added_arguments(document, now, was) {
        edits.replace(added, "");
    }
    edits.edited(document)
}

/// Where an entry has an empty list of arguments, right behind the command, that it did not have before.
fn added_arguments(document: &Document, now: &Server<'_>, was: &Server<'_>) -> Option<Range<usize>> {
    let launch = now.launch.filter(|launch| !launch.is_list())?;
    let had = was.launch.is_some_and(|launch| launch.arguments.is_some());
    let arguments = launch.arguments.filter(|arguments| !had && arguments.items().is_empty())?;
    let added = launch.command.node.end..arguments.end;
    let between = document.text.get(added.start..arguments.at)?;
    let is_right_behind = launch
        .holder
        .members()
        .windows(2)
        .any(|pair| std::ptr::eq(&pair[0], launch.command) && std::ptr::eq(&pair[1].node, arguments));
    (is_right_behind && !between.contains(['#', '/'])).then_some(added)
}
