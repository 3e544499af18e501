//! `init`: this program in front of the servers of hosts' files.

mod count;
mod show;

use std::{io::IsTerminal, path::Path, sync::Arc};

use mcp_disclosure_core::{Era, Material, OwnTool, Permits, Principal, Snapshot, UpstreamLists, View};
use mcp_disclosure_gateway::{Offer, Problem, negotiation::StrategyOptions};
use serde_json::{Value, json};

use self::{
    count::{Listed, count},
    show::Shown,
};
use super::{Answer, InitArguments, Program, answered, build, print, user_folders};
use crate::{
    config::{EXPECTED, hosts::Document},
    failure::Failure,
    files::write_together,
    flags::set,
    init::{
        Bridge, Destination, Front, Place, Plan, Records, apply, gathered_folder, is_settings, opened,
        permitted, plan, rules, tool_search_is_off,
    },
    launcher,
    strategies::FOR_LARGE,
};

pub(super) use self::show::{heading, hosts_of, show_problems};

/// The setting by which a strategy's tools for reading and for changing are two, so that "always allow" in a host does not
/// approve calls that the user has not seen.
const EXECUTORS: &str = "executors";
const BY_EFFECT: &str = "by-effect";

/// What is put in front of servers, and how it would serve them.
struct Serving {
    front: Front,
    options: StrategyOptions,
}

/// Puts this program in front of the servers of hosts' files.
///
/// # Errors
/// [`Failure::Usage`] for unknown hosts and strategies, and where it cannot ask; [`Failure::Configuration`] for files that
/// cannot be edited; [`Failure::Write`] where files cannot be written.
pub fn init(program: &Program, arguments: InitArguments) -> Result<(), Failure> {
    let InitArguments { places, strategy, each, count: counts, no_count } = arguments;
    let serving = serving(program, strategy.as_deref())?;
    let (current, found) = places.found()?;
    let of_user = user_folders(&current);
    let records = Records::of_user()?;
    let _lock = (!places.dry_run).then(|| records.lock()).transpose()?;
    let folder = gathered_folder()?;
    let is_named = !places.host.is_empty();
    let defers =
        |place: &Place| place.defers().is_some() && !is_named && !tool_search_is_off(place, &of_user);
    let (deferring, found): (Vec<Place>, Vec<Place>) = found.into_iter().partition(defers);
    let (settings, found): (Vec<Place>, Vec<Place>) = found.into_iter().partition(is_settings);
    let (mut plans, mut problems) = (Vec::new(), Vec::new());
    let mut names: Vec<Vec<String>> = found.iter().map(|place| names(place, &current)).collect();
    for (at, place) in found.iter().enumerate() {
        let is_other =
            |other: &usize| *other != at && place.host.is_some() && found[*other].host == place.host;
        let mut destination = Destination::of(&place.path, &of_user, &folder);
        destination.elsewhere =
            (0..found.len()).filter(is_other).flat_map(|other| names[other].clone()).collect();
        let front = serving.front.clone();
        let front = if destination.is_in_project() { front.in_project() } else { front };
        let planned = rules(place, &of_user).and_then(|rules| {
            plan(place.clone(), &current, &front, Some(&destination).filter(|_| !each), rules)
        });
        match planned {
            Ok(plan) => {
                names[at].extend(plan.moved.iter().map(|moved| moved.entry.clone()));
                plans.push(plan);
            }
            Err(problem) => problems.push((place.clone(), problem)),
        }
    }
    refuse_named(&problems)?;
    plans.retain(|plan| plan.has_servers() || plan.place.host.is_none());
    let mut shown = Shown { deferring, ..Shown::default() };
    let has_new = plans.iter().any(|plan| plan.changes() && !plan.served.is_empty());
    let may_ask = !(no_count || places.yes || places.dry_run) && std::io::stdin().is_terminal();
    if has_new && (counts || (may_ask && may_start(&plans)?)) {
        plans = counted(program, &serving, plans, &mut shown);
    }
    for settings in settings {
        match permitted(settings.clone(), &current, &plans, &serving.front) {
            Ok(plan) => plans.extend(plan),
            Err(problem) => problems.push((settings, problem)),
        }
    }
    if !plans.iter().any(Plan::has_servers) && shown.deferring.is_empty() && shown.idle.is_empty() {
        return Err(no_servers(&plans, problems));
    }
    shown.all(&plans, &problems)?;
    if !plans.iter().any(Plan::changes) {
        print("")?;
        return print("Nothing to do.");
    }
    plans.retain(Plan::changes);
    let questions: Vec<String> =
        plans.iter().map(|plan| format!("Write {}?", plan.change.path.display())).collect();
    let Some(chosen) = places.chosen("Write this?", &questions)? else { return Ok(()) };
    let mut chosen = chosen.into_iter();
    plans.retain(|_| chosen.next().unwrap_or_default());
    apply(&plans, &current, &records, write_together)?;
    show::written(&plans, &records)
}

/// Whether the person agrees that the servers that are put behind this program are started once.
fn may_start(plans: &[Plan]) -> Result<bool, Failure> {
    for plan in plans.iter().filter(|plan| plan.changes() && !plan.served.is_empty()) {
        print(heading(&plan.place))?;
        let names: Vec<&str> = plan.started().into_iter().map(String::as_str).collect();
        print(format_args!("  {}", names.join(", ")))?;
    }
    let question = "\nStart these servers once, to count what their tools cost a model? [y/N] ";
    Ok(answered(question)? == Answer::Yes)
}

/// The names of the servers in a file; none if it cannot be read.
fn names(place: &Place, current: &Path) -> Vec<String> {
    let document = opened(&place.path, current).map(|(_, document)| document);
    let servers = document.iter().flat_map(Document::servers);
    servers.map(|server| server.name).collect()
}

/// The plans whose servers' lists get smaller by them; the others are left alone, and shown as such.
fn counted(program: &Program, serving: &Serving, plans: Vec<Plan>, shown: &mut Shown) -> Vec<Plan> {
    let mut listed = Listed::default();
    let pays = |plan: &Plan| {
        if !plan.changes() || plan.served.is_empty() {
            return true;
        }
        let cost = count(program, serving, plan, &mut listed);
        let cost = cost.map_err(|failure| failure.to_string().replace('\n', "; "));
        let pays = cost.as_ref().map_or(true, |cost| {
            let is_unknown = plan.served.iter().all(|name| cost.silent.contains(name));
            cost.after.tokens < cost.before.tokens || is_unknown
        });
        shown.costs.insert(plan.change.path.clone(), cost);
        pays
    };
    let (paying, idle): (Vec<Plan>, Vec<Plan>) = plans.into_iter().partition(pays);
    shown.idle = idle;
    paying
}

/// What is put in front: the command of this program, and the strategy.
fn serving(program: &Program, strategy: Option<&str>) -> Result<Serving, Failure> {
    let launcher = launcher::command()?;
    let pinned = strategy.filter(|name| *name != "auto");
    let pin = |name: &str| StrategyOptions { pinned: Some(name.to_owned()), ..StrategyOptions::default() };
    let has_default = || program.registry.profiles().any(|profile| profile.name == FOR_LARGE);
    let default = strategy.is_none().then_some(FOR_LARGE).filter(|_| has_default());
    let asked = strategy.iter().flat_map(|name| ["--strategy", *name]);
    let mut strategy: Vec<String> = asked.map(str::to_owned).collect();
    let mut options = pinned.map_or_else(StrategyOptions::default, pin);
    let mut bridges = Vec::new();
    if let Some(name) = pinned.or(default) {
        bridges = self::bridges(program, &pin(name))?;
        let presenter = name.rsplit('+').next().unwrap_or(name);
        let mut apart = pin(name);
        set(&mut apart.settings, presenter, EXECUTORS, json!(BY_EFFECT));
        // A strategy without executors refuses the setting.
        if let Ok(own) = self::bridges(program, &apart) {
            strategy.extend(["--set".to_owned(), format!("{presenter}.{EXECUTORS}={BY_EFFECT}")]);
            options.settings = apart.settings;
            // A tool that calls others is never approved, even if it calls those that only read.
            let others = std::mem::replace(&mut bridges, own);
            bridges.iter_mut().for_each(|bridge| bridge.reads_only &= others.contains(bridge));
        }
    }
    let shared = launcher::shared();
    Ok(Serving { front: Front { launcher, shared, strategy, bridges }, options })
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

/// What is said where no file names a server that could be used.
fn no_servers(plans: &[Plan], problems: Vec<(Place, Problem)>) -> Failure {
    let named = plans.iter().map(|plan| {
        Problem::new(format!("{}: no MCP servers found", plan.place.path.display())).hint(EXPECTED)
    });
    let mut all: Vec<Problem> = named.chain(problems.into_iter().map(|(_, problem)| problem)).collect();
    if all.is_empty() {
        let hint = "add a server in the host first, or name its file with --file";
        all.push(Problem::new("no file of a host names a server").hint(hint));
    }
    Failure::Configuration(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_a_strategys_own_tools_are_known_without_a_demonstration() {
        let program = Program { registry: mcp_disclosure_gateway::builtin(), own: None };
        for (strategy, expected) in [
            (None, &[("search_tools", true), ("call_read_only_tool", false), ("call_tool", false)][..]),
            (Some("search"), &[("search_tools", true), ("call_read_only_tool", false), ("call_tool", false)]),
            (Some("resource"), &[("describe_tools", true)]),
            (Some("full"), &[]),
            (Some("auto"), &[]),
        ] {
            let bridges = serving(&program, strategy).unwrap().front.bridges;
            let bridges: Vec<_> = bridges.iter().map(|bridge| (&*bridge.name, bridge.reads_only)).collect();
            assert_eq!(bridges, expected, "{strategy:?}");
        }
        let program = Program { registry: mcp_disclosure_core::Registry::default(), own: None };
        assert!(serving(&program, Some("search")).is_err());
    }
}
