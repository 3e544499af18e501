//! `init`: this program in front of the servers of hosts' files.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{Era, Material, OwnTool, Permits, Principal, Snapshot, UpstreamLists, View};
use mcp_disclosure_gateway::{Offer, Problem, negotiation::StrategyOptions};

use serde_json::Value;

use super::{
    InitArguments, Program, check::is_coloured, places::user_folders, print, print_styled, strategies::build,
};
use crate::{
    config::EXPECTED,
    failure::Failure,
    init::{
        apply::apply,
        diff::unified,
        permissions,
        places::Place,
        plan::{Plan, beginning, plan},
        record::{Records, gathered_folder},
        rules::rules,
        stale,
        wrap::{Bridge, Front},
    },
    launcher,
};

/// The strategy of entries where none was asked for: complete lists as long as they are small.
const DEFAULT: [&str; 2] = ["--fallback", "adaptive"];

/// The strategy that lists give way to that are not small.
const FOR_LARGE: &str = "search";

/// Puts this program in front of the servers of hosts' files.
///
/// # Errors
/// [`Failure::Usage`] for unknown hosts and strategies, and where it cannot ask; [`Failure::Configuration`] for files that
/// cannot be edited; [`Failure::Write`] where files cannot be written.
pub fn init(program: &Program, arguments: InitArguments) -> Result<(), Failure> {
    let InitArguments { places, strategy, gather } = arguments;
    let front = front(program, strategy.as_deref())?;
    let (current, found) = places.found()?;
    let of_user = user_folders(&current);
    let records = Records::of_user()?;
    let lock = (!places.dry_run).then(|| records.lock()).transpose()?;
    let folder = gathered_folder()?;
    if let Some(lock) = &lock {
        clear_copies(&found, &[records.folder(), &folder], lock);
    }
    let (settings, found): (Vec<Place>, Vec<Place>) = found.into_iter().partition(permissions::is_settings);
    let (mut plans, mut problems) = (Vec::new(), Vec::new());
    for place in found {
        let gathered = gather.then(|| beginning(&folder, &place.path));
        let planned = rules(&place, &of_user)
            .and_then(|rules| plan(place.clone(), &current, &front, gathered.as_deref(), rules));
        match planned {
            Ok(plan) => plans.push(plan),
            Err(problem) => problems.push((place, problem)),
        }
    }
    refuse_named(&problems)?;
    plans.retain(|plan| plan.has_servers() || plan.place.host.is_none());
    for settings in settings {
        match permissions::plan(settings.clone(), &current, &plans, &front) {
            Ok(plan) => plans.extend(plan),
            Err(problem) => problems.push((settings, problem)),
        }
    }
    show(&plans, &problems)?;
    if !plans.iter().any(Plan::changes) {
        return nothing_to_do(&plans, &problems);
    }
    plans.retain(Plan::changes);
    if !places.agreed("Write this?")? {
        return Ok(());
    }
    apply(&plans, &current, &records)?;
    let mut hosts: Vec<&str> = plans.iter().filter_map(|plan| plan.place.host).collect();
    hosts.dedup();
    let restart = if hosts.is_empty() { "the host".to_owned() } else { hosts.join(", ") };
    print("")?;
    print(format_args!("Written. Restart {restart} to use it; `mcp-disclosure undo` takes it out again."))?;
    print(format_args!("Backups are in {}.", records.folder().display()))
}

/// Removes what runs that were killed left beside these files, and in folders of ours.
pub(super) fn clear_copies(places: &[Place], folders: &[&Path], lock: &File) {
    let real = places.iter().filter_map(|place| place.path.canonicalize().ok());
    let own = folders.iter().map(|folder| folder.join("lock"));
    let files: Vec<PathBuf> = real.chain(own).collect();
    stale::remove(files.iter().map(PathBuf::as_path), lock);
}

/// What is put in front: the command of this program, and the strategy.
fn front(program: &Program, strategy: Option<&str>) -> Result<Front, Failure> {
    let launcher =
        launcher::command().map_err(|source| Failure::Io { what: "cannot name this program", source })?;
    let pinned = strategy.filter(|name| *name != "auto");
    let options =
        |name: &str| StrategyOptions { pinned: Some(name.to_owned()), ..StrategyOptions::default() };
    if let Some(name) = pinned {
        build(&program.registry, &options(name)).map_err(Failure::Usage)?;
    }
    let default = strategy.is_none().then_some(FOR_LARGE).filter(|_| has_default(program));
    let bridges = match pinned.or(default) {
        Some(name) => bridges(program, &options(name))?,
        None => Vec::new(),
    };
    let is_asked = strategy.is_some();
    let strategy = match strategy {
        Some(name) => ["--strategy", name],
        None if default.is_some() => DEFAULT,
        None => ["--strategy", "auto"],
    };
    Ok(Front { launcher, strategy: strategy.map(str::to_owned).to_vec(), is_asked, bridges })
}

/// Whether this program can serve by the default: one with strategies of its own may not.
fn has_default(program: &Program) -> bool {
    let [_, name] = DEFAULT;
    let options = StrategyOptions { fallback: name.to_owned(), ..StrategyOptions::default() };
    build(&program.registry, &options).is_ok()
}

/// The tools that a strategy adds to the lists of an ordinary host.
fn bridges(program: &Program, options: &StrategyOptions) -> Result<Vec<Bridge>, Failure> {
    let strategies = build(&program.registry, options).map_err(Failure::Configuration)?;
    let choice = strategies.choose(None, &Permits::all(), &Offer::default(), Era::Session);
    let nothing =
        Material::<UpstreamLists> { upstreams: &[], complete: true, files: &[], rules: &Arc::default() };
    let view = View::of(Arc::new(Snapshot::assemble(nothing)), &Principal::anonymous());
    let own = choice.strategy.own(&view, &choice.traits).tools;
    let bridge = |tool: &OwnTool| {
        let definition: Value = serde_json::from_str(tool.definition().text()).unwrap_or_default();
        let reads_only = definition["annotations"]["readOnlyHint"] == true;
        Bridge { name: tool.name().to_owned(), reads_only }
    };
    Ok(own.iter().map(bridge).collect())
}

/// Files that were named must be usable; others are left out.
pub(super) fn refuse_named(problems: &[(Place, Problem)]) -> Result<(), Failure> {
    let named = problems.iter().filter(|(place, _)| place.host.is_none());
    let named: Vec<Problem> = named.map(|(_, problem)| problem.clone()).collect();
    if named.is_empty() { Ok(()) } else { Err(Failure::Configuration(named)) }
}

pub(super) fn heading(place: &Place) -> String {
    let path = place.path.display();
    place.host.map_or_else(|| path.to_string(), |host| format!("{host}: {path}"))
}

/// Shows what changes, and what is left as it is.
fn show(plans: &[Plan], problems: &[(Place, Problem)]) -> Result<(), Failure> {
    for plan in plans {
        print(heading(&plan.place))?;
        for (name, why) in &plan.left {
            print(format_args!("  '{name}' is left as it is: {why}"))?;
        }
        if !plan.already.is_empty() {
            print(format_args!("  served by mcp-disclosure already: {}", plan.already.join(", ")))?;
        }
        for (name, tools) in &plan.unlisted {
            print(format_args!(
                "  '{name}': the host's settings enable only some of its tools; enable {tools} there"
            ))?;
        }
        for tool in &plan.permitted {
            print(format_args!("  runs without a question: {tool}"))?;
        }
        for (name, why) in &plan.apart {
            print(format_args!("  '{name}' keeps its entry: {why}"))?;
        }
        if !plan.otherwise.is_empty() {
            let (names, path) = (plan.otherwise.join(", "), plan.place.path.display());
            print(format_args!(
                "  already in front with other options: {names}; to change them, run `mcp-disclosure undo --file '{path}'` \
                 first"
            ))?;
        }
        for moved in &plan.moved {
            print(format_args!("  moved to {}: {}", moved.file.display(), moved.names.join(", ")))?;
        }
        if plan.changes() {
            let change = &plan.change;
            print_styled(&unified(&change.path, &change.before, &change.after, is_coloured()))?;
        }
    }
    show_problems(problems)
}

pub(super) fn show_problems(problems: &[(Place, Problem)]) -> Result<(), Failure> {
    problems.iter().try_for_each(|(place, problem)| {
        print(heading(place))?;
        print(format_args!("  is left as it is: {problem}"))
    })
}

fn nothing_to_do(plans: &[Plan], problems: &[(Place, Problem)]) -> Result<(), Failure> {
    if !plans.iter().any(Plan::has_servers) {
        let named = plans.iter().map(|plan| {
            Problem::new(format!("{}: no MCP servers found", plan.place.path.display())).hint(EXPECTED)
        });
        let mut all: Vec<Problem> =
            named.chain(problems.iter().map(|(_, problem)| problem.clone())).collect();
        if all.is_empty() {
            let hint = "add a server in the host first, or name its file with --file";
            all.push(Problem::new("no file of a host names a server").hint(hint));
        }
        return Err(Failure::Configuration(all));
    }
    print("")?;
    print("Nothing to do.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_a_strategys_own_tools_are_known_without_a_demonstration() {
        let program = Program { registry: mcp_disclosure_gateway::builtin(), own: None };
        for (strategy, expected) in [
            (None, &[("search_tools", true), ("call_tool", false)][..]),
            (Some("search"), &[("search_tools", true), ("call_tool", false)]),
            (Some("resource"), &[("describe_tools", true)]),
            (Some("full"), &[]),
            (Some("auto"), &[]),
        ] {
            let bridges = front(&program, strategy).unwrap().bridges;
            let bridges: Vec<_> = bridges.iter().map(|bridge| (&*bridge.name, bridge.reads_only)).collect();
            assert_eq!(bridges, expected, "{strategy:?}");
        }
        let program = Program { registry: mcp_disclosure_core::Registry::default(), own: None };
        assert!(front(&program, Some("search")).is_err());
    }
}
