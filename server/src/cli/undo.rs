//! `undo`: hosts' files without this program.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
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
        record::{Record, Records, folders},
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

/// Takes this program out of hosts' files.
///
/// # Errors
/// As [`init`](super::init()).
pub fn undo(arguments: UndoArguments) -> Result<(), Failure> {
    let places = arguments.places;
    let launcher =
        launcher::command().map_err(|source| Failure::Io { what: "cannot name this program", source })?;
    let records = Records::of_user()?;
    let gathered = folders()?.config_dir().join("mcp-disclosure").join("gathered");
    let current = std::env::current_dir()
        .map_err(|source| Failure::Io { what: "cannot find the current folder", source })?;
    let all = records.all().map_err(|problem| Failure::Configuration(vec![problem]))?;
    // Without names: what is recorded, wherever it is; and else what is found.
    let found = if places.host.is_empty() && places.file.is_empty() && !all.is_empty() {
        all.iter().map(|record| Place { host: None, path: record.path.clone() }).collect()
    } else {
        places.found()?.1
    };
    let is_recorded = places.host.is_empty() && places.file.is_empty();
    let (mut plans, mut problems) = (Vec::new(), Vec::new());
    for place in found {
        let planned = read(&place.path).and_then(|(path, before)| {
            let record = all.iter().find(|record| record.path == path).cloned();
            let steps = record.as_ref().map_or(&[][..], |record| &record.steps);
            let Undone { text: after, turned_back, left } =
                undone(&place.path, &current, &before, steps, &launcher, &gathered)?;
            Ok(Plan {
                place: place.clone(),
                change: Change { path, before, after },
                record,
                turned_back,
                left,
            })
        });
        match planned {
            Ok(plan) => plans.push(plan),
            Err(problem) => problems.push((place, problem)),
        }
    }
    if !is_recorded {
        refuse_named(&problems)?;
    }
    plans.retain(|plan| {
        plan.change.before != plan.change.after || plan.record.is_some() || !plan.left.is_empty()
    });
    show(&plans, &problems)?;
    if plans.iter().all(|plan| plan.change.before == plan.change.after && plan.record.is_none()) {
        return nothing_to_do(problems);
    }
    if !places.agreed("Turn this back?")? {
        return Ok(());
    }
    apply(&plans, &records)?;
    print("\nWritten. Restart the host to use it.\n")
}

fn show(plans: &[Plan], problems: &[(Place, Problem)]) -> Result<(), Failure> {
    for plan in plans {
        let notes = plan.left.iter().map(|(name, why)| format!("  '{name}' is left as it is: {why}\n"));
        let turned = format!("  turned back: {}\n", plan.turned_back.join(", "));
        let turned = if plan.turned_back.is_empty() { String::new() } else { turned };
        print(&format!("{}\n{turned}{}", heading(&plan.place), notes.collect::<String>()))?;
        let Change { path, before, after } = &plan.change;
        print_styled(&unified(path, before, after, is_coloured()))?;
    }
    show_problems(problems)
}

fn nothing_to_do(problems: Vec<(Place, Problem)>) -> Result<(), Failure> {
    if problems.is_empty() {
        return print("Nothing to do: no entry of a host starts mcp-disclosure.\n");
    }
    Err(Failure::Configuration(problems.into_iter().map(|(_, problem)| problem).collect()))
}

/// Writes the files, and then forgets what is not needed any more.
fn apply(plans: &[Plan], records: &Records) -> Result<(), Failure> {
    let changes = plans.iter().map(|plan| &plan.change).filter(|change| change.before != change.after);
    write(&changes.cloned().collect::<Vec<_>>())?;
    for plan in plans.iter().filter(|plan| plan.left.is_empty()) {
        let steps = plan.record.iter().flat_map(|record| &record.steps);
        let files: Vec<&PathBuf> = steps.flat_map(|step| &step.gathered).collect();
        files.into_iter().try_for_each(|file| remove(file))?;
        records.forget(&plan.change.path)?;
    }
    Ok(())
}

fn remove(file: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(file) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::Write { path: file.to_owned(), source })
        }
        _ => Ok(()),
    }
}
