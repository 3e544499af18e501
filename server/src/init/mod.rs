//! Putting this program into hosts' files, and taking it out again.
//!
//! A file is edited by replacing pieces of its text (`edit`), so that every other byte stays. What was edited is read again,
//! and refused if anything but the entry changed (`wrap`, `gather`): an unusual form of file is left alone, not
//! damaged. `places` says where hosts keep their files, `rules` what else hosts say of the servers, and adds tools to lists of such files; `plan` what is
//! done to one file. `record` keeps what `undo` needs, `write` puts several files
//! into place, all of them or none, and `apply` does both.

pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod gather;
mod moved_back;
pub(crate) mod ours;
pub(crate) mod places;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod undo;
pub(crate) mod wrap;
pub(crate) mod write;

#[cfg(test)]
mod tests;

/// The name of this program's own entry, where servers are gathered behind it.
pub(crate) const ENTRY: &str = "mcp-disclosure";

/// Why a server is left as it is.
pub(crate) type Why = String;

/// What is refused if a file does not read as it should after an edit.
const UNUSUAL: &str = "it is written in a form that cannot be edited safely";
