//! Putting this program into hosts' files, and taking it out again.
//!
//! A file is edited by replacing pieces of its text (`edit`), so that every other byte stays. What was edited is read again,
//! and refused if anything but the entry changed (`wrap`, `gather`): an unusual form of file is left alone, not
//! damaged. `places` says where hosts keep their files, `rules` what else hosts say of the servers, and adds tools to lists of
//! such files; `plan` what is done to one file. `record` keeps what `undo` needs, and puts files into place.

mod diff;
mod edit;
mod gather;
mod ours;
mod places;
mod plan;
mod record;
mod rules;
mod run;
mod undo;
mod wrap;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use diff::unified;
pub(crate) use edit::{
    Edits, append, insert_after, list, prefix, quoted, remove_added, remove_items, remove_members,
};
pub(crate) use gather::{ABOUT, CONFIG, json, moved_members};
pub(crate) use ours::Ours;
pub(crate) use places::{Folders, Place, candidates, existing, host_names, hosts, is_read_whole};
pub(crate) use plan::{Destination, Former, Moved, Plan, key, plan};
pub(crate) use record::{Record, Records, Step, apply, gathered_folder};
pub(crate) use rules::{LIST, is_settings, permitted, rules, tool_search_is_off, withdrawn};
pub(crate) use undo::{Undone, undone};
pub(crate) use wrap::{
    Bridge, Front, WHOLE_LINE, is_whole_line, of_program, unwrapped, wrapped, wrapped_url,
};
pub(crate) use write::{keep, opened, read, remove};

/// The name of this program's own entry, where servers are gathered behind it.
pub(crate) const ENTRY: &str = "mcp-disclosure";

/// Why a server is left as it is.
pub(crate) type Why = String;

/// What is refused if a file does not read as it should after an edit.
const UNUSUAL: &str = "it is written in a form that cannot be edited safely";
