//! Taking this program away from in front of one server, by what its entry says.

use super::{
    UNUSUAL, Why,
    edit::{Edits, quoted},
    ours::Ours,
};
use crate::config::hosts::{document::Document, node::Node};

/// The file with the server of this number as it was before this program was put in front of it.
///
/// # Errors
/// Why that is not known.
pub(super) fn unwrapped(document: &Document, number: usize, launcher: &[String]) -> Result<Document, Why> {
    let servers = document.servers();
    let launch = servers[number].launch.ok_or(NOT_OURS)?;
    let words = launch.words().ok_or(NOT_OURS)?;
    let ours = Ours::of(&words, launcher).ok_or(NOT_OURS)?;
    let [program, ..] = ours.behind else {
        return Err("its command does not say what it was before; write it by hand".to_owned());
    };
    // The first word is the program, or the first item of a list.
    let taken = words.len() - ours.behind.len();
    let mut edits = Edits::default();
    if launch.is_list() {
        cut(&mut edits, &launch.command.node, taken);
    } else {
        let command = &launch.command.node;
        edits.replace(command.at..command.end, quoted(program));
        cut(&mut edits, launch.arguments.ok_or(UNUSUAL)?, taken);
    }
    edits.checked(document, |changed| {
        let after = changed.servers();
        let members = [launch.command.name.as_str(), launch.arguments_key];
        let words = after.get(number).and_then(|server| server.launch?.words());
        after.len() == servers.len()
            && words.as_deref() == Some(ours.behind)
            && document.root.is_same_but(&changed.root, Some(launch.holder), &members)
    })
}

pub(super) const NOT_OURS: &str = "it is not served by mcp-disclosure";

/// Removes the first items of a list.
fn cut(edits: &mut Edits, list: &Node, count: usize) {
    let items = list.items();
    match (items.first(), items.get(count)) {
        (Some(first), Some(kept)) => edits.replace(first.at..kept.at, ""),
        _ => edits.replace(list.at..list.end, "[]"),
    }
}
