//! `init`: this program in front of the servers of hosts' files.

use std::{
    fmt::Write,
    io::{BufRead, IsTerminal},
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{Era, Material, OwnTool, Permits, Principal, Snapshot, View};
use mcp_disclosure_gateway::{Offer, Problem, negotiation::StrategyOptions};

use serde_json::Value;

use super::{
    InitArguments, PlaceArguments, Program, check::is_coloured, print, print_styled, strategies::build,
};
use crate::{
    config::EXPECTED,
    failure::Failure,
    init::{
        apply::apply,
        diff::unified,
        permissions,
        places::{Folders, Place, candidates, existing, hosts},
        plan::{Plan, beginning, plan},
        record::{Records, gathered_folder},
        rules::rules,
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
    let _lock = (!places.dry_run).then(|| records.lock()).transpose()?;
    let folder = gathered_folder()?;
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
    print(&format!(
        "\nWritten. Restart {restart} to use it; `mcp-disclosure undo` takes it out again.\nBackups are in {}.\n",
        records.folder().display()
    ))
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
    let strategy = match strategy {
        Some(name) => ["--strategy", name],
        None if default.is_some() => DEFAULT,
        None => ["--strategy", "auto"],
    };
    Ok(Front { launcher, strategy: strategy.map(str::to_owned).to_vec(), bridges })
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
    let nothing = Material { upstreams: &[], complete: true, files: &[], rules: &Arc::default() };
    let view = View::of(Arc::new(Snapshot::assemble(nothing)), &Principal::anonymous());
    let own = choice.strategy.own_tools(&view, &choice.traits);
    let bridge = |tool: &OwnTool| {
        let definition: Value = serde_json::from_str(tool.definition().text()).unwrap_or_default();
        let reads_only = definition["annotations"]["readOnlyHint"] == true;
        Bridge { name: tool.name().to_owned(), reads_only }
    };
    Ok(own.iter().map(bridge).collect())
}

fn user_folders(current: &Path) -> Folders {
    Folders::of_user(&|name| std::env::var(name).ok(), current.to_owned())
}

impl PlaceArguments {
    /// The current folder, and the files that are meant and exist.
    ///
    /// # Errors
    /// Unknown hosts, and a host without files.
    pub(super) fn found(&self) -> Result<(PathBuf, Vec<Place>), Failure> {
        let failed = |source| Failure::Io { what: "cannot find the current folder", source };
        let current = std::env::current_dir().map_err(failed)?;
        let named = self.file.iter().map(|path| Place { host: None, path: current.join(path) });
        let mut found: Vec<Place> = named.collect();
        if self.file.is_empty() || !self.host.is_empty() {
            let folders = user_folders(&current);
            let hosts = hosts(&self.host).map_err(Failure::Usage)?;
            let files = existing(&hosts, &folders);
            if files.is_empty() {
                let looked = hosts.iter().flat_map(|host| candidates(host, &folders));
                let looked: Vec<String> = looked.map(|path| path.display().to_string()).collect();
                let problem = Problem::new("no file of a host is found");
                let hint = format!("name one with --file, or make one of: {}", looked.join(", "));
                return Err(Failure::Configuration(vec![problem.hint(hint)]));
            }
            found.extend(files);
        }
        let real = |place: &Place| place.path.canonicalize().unwrap_or_else(|_| place.path.clone());
        let mut seen = Vec::new();
        found.retain(|place| {
            let is_new = !seen.contains(&real(place));
            seen.push(real(place));
            is_new
        });
        Ok((current, found))
    }

    /// Whether the person agrees to what was shown.
    ///
    /// # Errors
    /// [`Failure::Usage`] if there is no terminal to ask on.
    pub(super) fn agreed(&self, question: &str) -> Result<bool, Failure> {
        if self.dry_run {
            print("\nNothing was changed (--dry-run).\n")?;
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            let problem = Problem::new("nothing was changed: there is no terminal to ask on");
            return Err(Failure::Usage(vec![problem.hint("--yes writes it, --dry-run only shows it")]));
        }
        print(&format!("\n{question} [y/N] "))?;
        let is_agreed = is_yes(&mut std::io::stdin().lock())?;
        if !is_agreed {
            print("Nothing was changed.\n")?;
        }
        Ok(is_agreed)
    }
}

fn is_yes(input: &mut impl BufRead) -> Result<bool, Failure> {
    let mut answer = String::new();
    let read = input.read_line(&mut answer);
    read.map_err(|source| Failure::Io { what: "cannot read the answer", source })?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
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
        let mut notes = String::new();
        for (name, why) in &plan.left {
            let _written = writeln!(notes, "  '{name}' is left as it is: {why}");
        }
        if !plan.already.is_empty() {
            let _written = writeln!(notes, "  served by mcp-disclosure already: {}", plan.already.join(", "));
        }
        for (name, tools) in &plan.unlisted {
            let _written = writeln!(
                notes,
                "  '{name}': the host's settings enable only some of its tools; enable {tools} there"
            );
        }
        for tool in &plan.permitted {
            let _written = writeln!(notes, "  runs without a question: {tool}");
        }
        for name in &plan.apart {
            let _written = writeln!(notes, "  '{name}' keeps its entry: the host's rules for tools name it");
        }
        for moved in &plan.moved {
            let _written = writeln!(notes, "  moved to {}: {}", moved.file.display(), moved.names.join(", "));
        }
        print(&format!("{}\n{notes}", heading(&plan.place)))?;
        if plan.changes() {
            let change = &plan.change;
            print_styled(&unified(&change.path, &change.before, &change.after, is_coloured()))?;
        }
    }
    show_problems(problems)
}

pub(super) fn show_problems(problems: &[(Place, Problem)]) -> Result<(), Failure> {
    problems.iter().try_for_each(|(place, problem)| {
        print(&format!("{}\n  is left as it is: {problem}\n", heading(place)))
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
    print("\nNothing to do.\n")
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

    #[test]
    fn w1_only_a_clear_yes_is_one() {
        for (answer, expected) in
            [("y\n", true), ("YES\r\n", true), ("\n", false), ("", false), ("yep\n", false), ("n\n", false)]
        {
            assert_eq!(is_yes(&mut answer.as_bytes()).unwrap(), expected, "{answer:?}");
        }
    }
}
