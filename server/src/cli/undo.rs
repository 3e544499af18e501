//! `undo`: hosts' files without this program.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::{
    UndoArguments,
    check::is_coloured,
    init::{heading, refuse_named, show_problems},
    print, print_styled,
};
use crate::{
    failure::Failure,
    init::{
        diff::unified,
        places::Place,
        record::{Record, Records, gathered_folder},
        undo::{Undone, undone},
        write::{Change, read, write},
    },
    launcher,
};

/// What is done to one file.
struct Plan {
    place: Place,
    change: Change,
    record: Option<Record>,
    turned_back: Vec<String>,
    left: Vec<(String, String)>,
}

/// What is planned for all files.
#[derive(Default)]
struct Plans {
    files: Vec<Plan>,
    /// Records of files that are gone, which nothing can be turned back in.
    gone: Vec<Record>,
    problems: Vec<(Place, Problem)>,
}

/// Takes this program out of hosts' files.
///
/// # Errors
/// As [`init`](super::init()).
pub fn undo(arguments: UndoArguments) -> Result<(), Failure> {
    let places = arguments.places;
    let launcher =
        launcher::command().map_err(|source| Failure::Io { what: "cannot name this program", source })?;
    let records = Records::of_user()?;
    let _lock = (!places.dry_run).then(|| records.lock()).transpose()?;
    let gathered = gathered_folder()?;
    let current = std::env::current_dir()
        .map_err(|source| Failure::Io { what: "cannot find the current folder", source })?;
    let (all, damaged) = records.all();
    let is_recorded = places.host.is_empty() && places.file.is_empty();
    // Without names: what is recorded, wherever it is; and else what is found.
    let found = if is_recorded && !all.is_empty() {
        all.iter().map(|record| Place { host: None, path: record.path.clone() }).collect()
    } else {
        places.found().map(|(_, found)| found).or_else(|failure| {
            if is_recorded && !damaged.is_empty() { Ok(Vec::new()) } else { Err(failure) }
        })?
    };
    let mut plans = Plans::default();
    for place in found {
        if let Some(record) = all.iter().find(|record| is_gone(record, &place.path)) {
            plans.gone.push(record.clone());
            continue;
        }
        let planned = read(&place.path).and_then(|(path, before)| {
            let record = records.of(&path)?;
            let steps = record.as_ref().map_or(&[][..], |record| &record.steps);
            let Undone { text: after, turned_back, left } =
                undone(&place.path, &current, &before, steps, &launcher, &gathered)?;
            let (place, change) = (place.clone(), Change { path, before, after });
            Ok(Plan { place, change, record, turned_back, left })
        });
        match planned {
            Ok(plan) => plans.files.push(plan),
            Err(problem) => plans.problems.push((place, problem)),
        }
    }
    let is_said =
        |problem: &Problem| plans.problems.iter().any(|(_, said)| said.to_string() == problem.to_string());
    let damaged: Vec<_> =
        damaged.into_iter().filter(|(_, problem)| is_recorded && !is_said(problem)).collect();
    plans.problems.extend(damaged.into_iter().map(|(path, problem)| (Place { host: None, path }, problem)));
    if !is_recorded {
        refuse_named(&plans.problems)?;
    }
    plans.files.retain(|plan| {
        plan.change.before != plan.change.after || plan.record.is_some() || !plan.left.is_empty()
    });
    show(&plans)?;
    let is_file_left =
        plans.files.iter().all(|plan| plan.change.before == plan.change.after && plan.record.is_none());
    if is_file_left && plans.gone.is_empty() {
        return nothing_to_do(plans.problems);
    }
    if !places.agreed(if is_file_left { "Forget this?" } else { "Turn this back?" })? {
        return Ok(());
    }
    apply(&plans, &records)?;
    print(if is_file_left { "\nForgotten.\n" } else { "\nWritten. Restart the host to use it.\n" })
}

/// Whether this is the record of the file at this path, and there is no such file any more.
fn is_gone(record: &Record, path: &Path) -> bool {
    // A record names the file without links, which cannot be followed to one that is gone.
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    let is_of_path = record.path == path || Some(&record.path) == real.as_ref();
    is_of_path && path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn show(plans: &Plans) -> Result<(), Failure> {
    for plan in &plans.files {
        let notes = plan.left.iter().map(|(name, why)| format!("  '{name}' is left as it is: {why}\n"));
        let turned = format!("  turned back: {}\n", plan.turned_back.join(", "));
        let turned = if plan.turned_back.is_empty() { String::new() } else { turned };
        print(&format!("{}\n{turned}{}", heading(&plan.place), notes.collect::<String>()))?;
        let Change { path, before, after } = &plan.change;
        print_styled(&unified(path, before, after, is_coloured()))?;
    }
    for record in &plans.gone {
        let moved = files_of(record)
            .map(|file| format!("  and the servers that were moved out of it: {}\n", file.display()));
        let moved: String = moved.collect();
        print(&format!("{}\n  is gone; forgotten is its backup\n{moved}", record.path.display()))?;
    }
    show_problems(&plans.problems)
}

fn nothing_to_do(problems: Vec<(Place, Problem)>) -> Result<(), Failure> {
    if problems.is_empty() {
        return print("Nothing to do: no entry of a host starts mcp-disclosure.\n");
    }
    Err(Failure::Configuration(problems.into_iter().map(|(_, problem)| problem).collect()))
}

/// Writes the files, and then forgets what is not needed any more.
fn apply(plans: &Plans, records: &Records) -> Result<(), Failure> {
    let changes = plans.files.iter().map(|plan| &plan.change).filter(|change| change.before != change.after);
    write(&changes.cloned().collect::<Vec<_>>())?;
    let turned_back = plans.files.iter().filter(|plan| plan.left.is_empty());
    let records_done = turned_back.filter_map(|plan| plan.record.as_ref());
    records_done.chain(&plans.gone).try_for_each(|record| {
        files_of(record).try_for_each(|file| remove(file))?;
        records.forget(&record.path)
    })
}

/// The files that servers were moved to.
fn files_of(record: &Record) -> impl Iterator<Item = &PathBuf> {
    record.steps.iter().flat_map(|step| &step.gathered)
}

fn remove(file: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(file) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(Failure::Write { path: file.to_owned(), source })
        }
        _ => Ok(()),
    }
}
