//! Where an entry says which program is started, so that it can be edited there.

use super::{
    Keys, Means,
    node::{Member, Node, Value},
};

/// The program of an entry, and its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch<'n> {
    /// The table that has both keys.
    pub(crate) holder: &'n Node,
    /// The program, or a list of the program and its arguments.
    pub(crate) command: &'n Member,
    /// The arguments beside a program.
    pub(crate) arguments: Option<&'n Node>,
}

/// The key of the arguments, where they have one.
pub(crate) const ARGUMENTS: &str = "args";

/// The keys of a command that is a table, in Zed's older files.
pub(crate) const OF_TABLE: Keys =
    &[("path", Means::Command), ("args", Means::Arguments), ("env", Means::Environment)];

impl<'n> Launch<'n> {
    /// The program of this entry; `None` for an entry without one.
    pub(crate) fn of(entry: &'n Node, keys: Keys) -> Option<Self> {
        for (key, means) in keys {
            let Some(member) = entry.member(key) else { continue };
            match (means, &member.node.value) {
                (Means::Command, Value::Table(_)) => return Self::of(&member.node, OF_TABLE),
                (Means::Command, _) => {
                    return Some(Self { holder: entry, command: member, arguments: entry.get(ARGUMENTS) });
                }
                (Means::Parts(keys), _) => {
                    if let Some(launch) = Self::of(&member.node, keys) {
                        return Some(launch);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Whether program and arguments are one list.
    pub(crate) fn is_list(&self) -> bool {
        self.command.node.is_list()
    }

    /// Where the program and its arguments are written.
    pub(crate) fn nodes(&self) -> Option<impl Iterator<Item = &'n Node>> {
        let program = Some(&self.command.node).filter(|_| !self.is_list());
        let arguments = match self.arguments.filter(|_| !self.is_list()) {
            Some(arguments) if !arguments.is_list() => return None,
            arguments => arguments.map_or(&[][..], Node::items),
        };
        Some(program.into_iter().chain(self.command.node.items()).chain(arguments))
    }

    /// The program and its arguments as they are written; `None` if a part of them is of another kind.
    pub(crate) fn words(&self) -> Option<Vec<String>> {
        let words: Vec<String> = self.nodes()?.map(Node::scalar).collect::<Option<_>>()?;
        words.first().is_some_and(|program| !program.is_empty()).then_some(words)
    }
}
