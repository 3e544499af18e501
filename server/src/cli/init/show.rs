//! What `init` tells a person: a summary first, then what changes.

use std::{collections::BTreeMap, path::PathBuf};

use mcp_disclosure_core::printable::counted;
use mcp_disclosure_gateway::Problem;

use super::count::{Cost, Lists};
use crate::{
    cli::{is_coloured, print, print_styled},
    failure::Failure,
    init::{Place, Plan, Records, unified},
};

/// What is printed beside the plans.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Files of hosts that defer definitions by themselves.
    pub(super) deferring: Vec<Place>,
    /// What was planned for files whose hosts' models would read nothing less.
    pub(super) idle: Vec<Plan>,
    /// What was counted, by file, or why that failed.
    pub(super) costs: BTreeMap<PathBuf, Result<Cost, String>>,
}

impl Shown {
    /// The summary, what is done to each file, and the differences.
    pub(super) fn all(&self, plans: &[Plan], problems: &[(Place, Problem)]) -> Result<(), Failure> {
        self.summary(plans)?;
        for plan in plans {
            print("")?;
            print(heading(&plan.place))?;
            self.cost(plan)?;
            told(plan)?;
        }
        for plan in &self.idle {
            print("")?;
            print(heading(&plan.place))?;
            if let Some(Ok(cost)) = self.costs.get(&plan.change.path) {
                print(format_args!(
                    "  is left as it is: its model reads {}, and nothing would be saved",
                    lists(cost.before)
                ))?;
                silent(cost)?;
            }
            if plan.apart.len() > 1 {
                apart(plan)?;
                let by_hand = "move their entries into a file of your own, and start `mcp-disclosure serve --mcp-config FILE` instead of them";
                print(format_args!("  each is small by itself; to save tokens, {by_hand}"))?;
            }
        }
        let mut hosts: Vec<&Place> = self.deferring.iter().collect();
        hosts.dedup_by_key(|place| place.host);
        for place in hosts {
            if let Some((host, (name, how))) = place.host.zip(place.defers()) {
                print("")?;
                print(format_args!("{host} is left as it is: {how}"))?;
                print(format_args!("  --host {name} includes it nevertheless"))?;
            }
        }
        show_problems(problems)?;
        for (at, plan) in plans.iter().filter(|plan| plan.changes()).enumerate() {
            if at == 0 {
                print("")?;
            }
            let change = &plan.change;
            let before = change.before.as_deref().unwrap_or_default();
            print_styled(&unified(&change.path, before, &change.after, is_coloured()))?;
        }
        Ok(())
    }

    fn summary(&self, plans: &[Plan]) -> Result<(), Failure> {
        let changed = || plans.iter().filter(|plan| plan.changes());
        if changed().next().is_none() {
            return Ok(());
        }
        let gathered: usize = changed().flat_map(|plan| &plan.moved).map(|moved| moved.names.len()).sum();
        let served: usize = changed().map(|plan| plan.served.len()).sum();
        let left: usize = plans.iter().map(|plan| plan.left.len()).sum();
        let mut parts = vec![format!("{} to write", counted(changed().count(), "file"))];
        let entries = match changed().flat_map(|plan| &plan.moved).count() {
            1 => "one entry".to_owned(),
            several => format!("{several} entries"),
        };
        for (count, what) in [
            (gathered, format!("gathered behind {entries}")),
            (served - gathered, "wrapped in place".to_owned()),
            (left, "not changed".to_owned()),
        ] {
            if count > 0 {
                parts.push(format!("{} {what}", counted(count, "server")));
            }
        }
        if self.costs.is_empty() {
            parts.push("tokens not counted (--count does, and starts the servers once for it)".to_owned());
        }
        print(parts.join("; "))
    }

    fn cost(&self, plan: &Plan) -> Result<(), Failure> {
        match self.costs.get(&plan.change.path) {
            None => Ok(()),
            Some(Err(why)) => print(format_args!("  could not be counted: {why}")),
            Some(Ok(cost)) => {
                let (before, after) = (lists(cost.before), lists(cost.after));
                print(format_args!("  its model reads {before} now; {after} then"))?;
                silent(cost)
            }
        }
    }
}

/// The servers that count for nothing.
fn silent(cost: &Cost) -> Result<(), Failure> {
    if cost.silent.is_empty() {
        return Ok(());
    }
    print(format_args!("  not counted, since they listed no tools: {}", cost.silent.join(", ")))
}

fn lists(lists: Lists) -> String {
    format!("{}, {}", counted(lists.tools, "tool"), counted(lists.tokens, "token"))
}

pub(crate) fn heading(place: &Place) -> String {
    let path = place.path.display();
    place.host.map_or_else(|| path.to_string(), |host| format!("{host}: {path}"))
}

/// What is done to a file, and what is left as it is.
fn told(plan: &Plan) -> Result<(), Failure> {
    for (name, why) in &plan.left {
        print(format_args!("  '{name}' is left as it is: {why}"))?;
    }
    if !plan.already.is_empty() {
        let (names, path) = (plan.already.join(", "), plan.place.path.display());
        print(format_args!(
            "  behind mcp-disclosure already: {names}; for other options run `mcp-disclosure undo --file '{path}'` first"
        ))?;
    }
    for (name, tools) in &plan.unlisted {
        print(format_args!(
            "  '{name}': the host's settings enable only some of its tools; enable {tools} there"
        ))?;
    }
    for tool in &plan.permitted {
        print(format_args!("  runs without a question: {tool}"))?;
    }
    apart(plan)?;
    for moved in &plan.moved {
        print(format_args!("  moved to {}: {}", moved.file.display(), moved.names.join(", ")))?;
        if moved.is_shared {
            print(
                "  if an entry has a key or a password, keep that file out of version control, since it is there now",
            )?;
        }
    }
    Ok(())
}

/// The servers that keep their entries, by reason.
fn apart(plan: &Plan) -> Result<(), Failure> {
    for (at, (_, why)) in plan.apart.iter().enumerate() {
        if plan.apart[..at].iter().any(|(_, said)| said == why) {
            continue;
        }
        let of_reason = plan.apart.iter().filter(|(_, other)| other == why);
        let names: Vec<String> = of_reason.map(|(name, _)| format!("'{name}'")).collect();
        let keep = if names.len() == 1 { "keeps its entry" } else { "keep their entries" };
        print(format_args!("  {} {keep}: {why}", names.join(", ")))?;
    }
    Ok(())
}

pub(crate) fn show_problems(problems: &[(Place, Problem)]) -> Result<(), Failure> {
    problems.iter().try_for_each(|(place, problem)| {
        print("")?;
        // The problem names the file.
        print(format_args!("{} is left as it is: {problem}", place.host.unwrap_or("a file")))
    })
}

/// The hosts of these files, each once.
pub(crate) fn hosts_of<'p>(places: impl Iterator<Item = &'p Place>) -> String {
    let mut hosts: Vec<&str> = Vec::new();
    for host in places.filter_map(|place| place.host) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    if hosts.is_empty() { "the host".to_owned() } else { hosts.join(", ") }
}

/// What to do next.
pub(super) fn written(plans: &[Plan], records: &Records) -> Result<(), Failure> {
    let restart = hosts_of(plans.iter().map(|plan| &plan.place));
    print("")?;
    print(format_args!("Written. Restart {restart} to use it; `mcp-disclosure undo` takes it out again."))?;
    let moved: Vec<_> =
        plans.iter().flat_map(|plan| plan.moved.iter().map(move |moved| (&plan.place, moved))).collect();
    if !moved.is_empty() {
        print(
            "To switch one server off, write this into its entry; to switch it on again, remove it. A running host notices:",
        )?;
    }
    for (place, moved) in moved {
        let host = place.host.map(|host| format!("{host}: ")).unwrap_or_default();
        let file = moved.file.display();
        match &moved.switch {
            Some(switch) => print(format_args!("  {host}{switch} in {file}")),
            None => print(format_args!("  {host}take its entry out of {file}")),
        }?;
    }
    print(format_args!("Backups are in {}.", records.folder().display()))
}
