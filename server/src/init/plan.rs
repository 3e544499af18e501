//! What is done to one file.

use std::path::Path;

use mcp_disclosure_gateway::Problem;

use super::{
    Why, address,
    destination::{Destination, Moved},
    gather,
    ours::Ours,
    places::Place,
    wrap::{self, Front, unwrapped},
    write::{Change, read},
};
use crate::config::hosts::{document::Document, permissions::Rules};

/// What is done to one file.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) place: Place,
    pub(crate) change: Change,
    /// The names of the servers that this program is put in front of.
    pub(crate) served: Vec<String>,
    /// Those that are served by this program already.
    pub(crate) already: Vec<String>,
    /// Those that are left as they are, and why.
    pub(crate) left: Vec<(String, Why)>,
    /// Servers for which the host's settings name the only tools outside the entry, and the tools that are missing there.
    pub(crate) unlisted: Vec<(String, String)>,
    /// The tools that are added to a list of tools that run without a question.
    pub(crate) permitted: Vec<String>,
    /// Servers that are moved to files of ours.
    pub(crate) moved: Vec<Moved>,
    /// Servers that keep their entries though others are moved, and why.
    pub(crate) apart: Vec<(String, Why)>,
    /// Those of `already` that are served with other options than the person asked for.
    pub(crate) otherwise: Vec<String>,
}

impl Plan {
    pub(crate) fn changes(&self) -> bool {
        self.change.before != self.change.after
    }

    /// The servers that are started to count: those that our entries serve now are counted again with those that join them.
    pub(crate) fn started(&self) -> Vec<&String> {
        self.served.iter().chain(self.moved.iter().flat_map(|moved| &moved.former.names)).collect()
    }

    /// Whether the file names any server.
    pub(crate) fn has_servers(&self) -> bool {
        !(self.served.is_empty() && self.already.is_empty() && self.left.is_empty())
    }
}

/// What is done to the file at this place, whose servers have these rules in other files. With a destination, servers are moved
/// there where that is possible.
///
/// # Errors
/// Why the file as a whole cannot be edited.
pub(crate) fn plan(
    place: Place,
    current: &Path,
    front: &Front,
    destination: Option<&Destination>,
    rules: Rules,
) -> Result<Plan, Problem> {
    let (path, before) = read(&place.path)?;
    let mut document = Document::parse(&place.path, &before, current)?;
    document.rules = rules;
    let mut plan = Plan::default();
    let bridges: Vec<&str> = front.bridges.iter().map(|bridge| &*bridge.name).collect();
    if let Some(destination) = destination {
        (document, plan.moved, plan.apart) = gather::gathered(document, front, destination);
        plan.served.extend(plan.moved.iter().flat_map(|moved| moved.names.clone()));
    }
    let ours: Vec<&String> = plan.moved.iter().map(|moved| &moved.entry).collect();
    let has_aliases = document.root.has_alias();
    // Editing an entry changes no other, so numbers stay.
    for number in 0..document.servers().len() {
        let (name, ours_as_asked, is_program, is_listed) = {
            let server = &document.servers()[number];
            let words = server.words();
            let may_move = |destination| {
                let former = unwrapped(&document, number, &front.launcher).ok();
                let moved = former.map(|former| gather::gathered(former, front, destination).1);
                moved.iter().flatten().any(|moved| moved.names.contains(&server.name))
            };
            let as_asked = |ours: Ours<'_>| {
                (!front.is_asked || ours.has(&front.strategy)) && !destination.is_some_and(may_move)
            };
            let ours = Ours::of(&words, &front.launcher).map(as_asked);
            let is_listed = server.ruling.allow.is_some() && server.filters.is_empty() && !bridges.is_empty();
            (server.name.clone(), ours, server.launch.is_some(), is_listed)
        };
        if let Some(is_as_asked) = ours_as_asked {
            plan.otherwise.extend((!is_as_asked).then(|| name.clone()));
            plan.already.extend(Some(name).filter(|name| !ours.contains(&name)));
            continue;
        }
        let why = {
            let server = document.servers()[number].node;
            let is_shared = has_aliases && document.root.shares(server);
            let shared =
                "other parts of the file stand for parts of it (YAML aliases), and would change with it";
            let merges = "it merges another part of the file, with keys of that";
            is_shared.then_some(shared).or(server.member("<<").map(|_| merges))
        };
        if let Some(why) = why {
            plan.left.push((name, why.to_owned()));
            continue;
        }
        let put = if is_program { wrap::wrapped } else { address::wrapped };
        match put(&document, number, front) {
            Ok(changed) => {
                document = changed;
                plan.unlisted.extend(is_listed.then(|| (name.clone(), bridges.join(", "))));
                plan.served.push(name);
            }
            Err(why) => plan.left.push((name, why)),
        }
    }
    plan.apart.retain(|(name, _)| plan.served.contains(name));
    let change = Change { path, before, after: document.bytes() };
    Ok(Plan { place, change, ..plan })
}
