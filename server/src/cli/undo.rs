//! `undo`: hosts' files without this program.

use std::path::{Path, PathBuf};

use mcp_disclosure_gateway::Problem;

use super::{
    PlaceArguments, current_folder,
    init::{heading, hosts_of, refuse_named, show_problems},
    is_coloured, print, print_styled, user_folders,
};
use crate::{
    failure::Failure,
    files::{Change, write_together},
    init::{
        Destination, ENTRY, Place, Record, Records, Undone, gathered_folder, read, remove, undone, unified,
    },
    launcher,
};

/// What is done to one file.
struct Plan {
    place: Place,
    change: Change,
    record: Option<Record>,
    undone: Undone,
}

impl Plan {
    fn changes(&self) -> bool {
        self.change.changes()
    }

    /// The record, if all that it is needed for is in the file again.
    fn done(&self) -> Option<&Record> {
        self.record.as_ref().filter(|_| self.undone.left.is_empty() && self.undone.missing.is_empty())
    }
}

/// What is planned for all files.
#[derive(Default)]
struct Plans {
    files: Vec<Plan>,
    /// Records of files that are gone, which nothing can be turned back in: they stay.
    gone: Vec<Record>,
    problems: Vec<(Place, Problem)>,
}

/// Takes this program out of hosts' files.
///
/// # Errors
/// As [`init`](super::init()).
pub fn undo(places: PlaceArguments) -> Result<(), Failure> {
    let launcher = launcher::command()?;
    let records = Records::of_user()?;
    let _lock = (!places.dry_run).then(|| records.lock()).transpose()?;
    let gathered = gathered_folder()?;
    let current = current_folder()?;
    let mut recorded = records.all();
    let is_recorded = places.host.is_empty() && places.file.is_empty();
    let mut found = places.existing(&current);
    if is_recorded {
        // What is found here, and what is recorded, wherever it is.
        let real: Vec<PathBuf> = found.iter().map(|place| real(&place.path)).collect();
        let mut others: Vec<PathBuf> =
            recorded.values().flatten().map(|record| record.path.clone()).collect();
        others.retain(|path| !real.contains(path));
        others.sort();
        found.extend(others.into_iter().map(|path| Place { host: None, path }));
    }
    let mut plans = Plans::default();
    for place in found {
        let path = real(&place.path);
        let planned = recorded.remove(&records.file(&path)).transpose().and_then(|record| {
            if let Some(record) = record.clone().filter(|_| matches!(path.try_exists(), Ok(false))) {
                plans.gone.push(record);
                return Ok(None);
            }
            let (path, before) = read(&place.path)?;
            // Another host's file need not be one that can be read.
            if place.host.is_some() && record.is_none() && !names_program(&before, &launcher) {
                return Ok(None);
            }
            let steps = record.as_ref().map_or(&[][..], |record| &record.steps);
            let destination = Destination::of(&place.path, &user_folders(&current), &gathered);
            let undone = undone(&place.path, &current, &before, steps, &launcher, &destination)?;
            let change = Change { path, before: Some(before), after: undone.text.clone() };
            Ok(Some(Plan { place: place.clone(), change, record, undone }))
        });
        match planned {
            Ok(plan) => plans.files.extend(plan),
            Err(problem) => plans.problems.push((place, problem)),
        }
    }
    if is_recorded {
        let damaged = recorded.into_iter().filter_map(|(path, record)| Some((path, record.err()?)));
        plans.problems.extend(damaged.map(|(path, problem)| (Place { host: None, path }, problem)));
    } else {
        refuse_named(&plans.problems)?;
    }
    plans.files.retain(|plan| plan.changes() || plan.record.is_some() || !plan.undone.left.is_empty());
    show(&plans, &records)?;
    let is_written = plans.files.iter().any(Plan::changes);
    let is_forgotten = plans.files.iter().any(|plan| plan.done().is_some());
    if !is_written && !is_forgotten {
        let is_left = !(plans.files.is_empty() && plans.gone.is_empty());
        return nothing_to_do(plans.problems, is_left);
    }
    show_problems(&plans.problems)?;
    let question = if is_written { "Turn this back?" } else { "Delete this backup?" };
    if places.chosen(question, &[])?.is_none() {
        return Ok(());
    }
    apply(&plans, &records)?;
    // Folders of ours, unless something is left in them.
    gathered.ancestors().take(2).for_each(|folder| drop(std::fs::remove_dir(folder)));
    print("")?;
    if !is_written {
        return print("Backup deleted.");
    }
    let changed = plans.files.iter().filter(|plan| plan.changes());
    print(format_args!("Written. Restart {}.", hosts_of(changed.map(|plan| &plan.place))))
}

/// Whether a file may start this program.
fn names_program(text: &str, launcher: &[String]) -> bool {
    let name = launcher.first().and_then(|program| Path::new(program).file_stem()?.to_str());
    text.contains(ENTRY) || name.is_some_and(|name| text.contains(name))
}

/// The path of a file without links, by which it is recorded. A file may be gone.
fn real(path: &Path) -> PathBuf {
    let of_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(of_folder).unwrap_or_else(|| path.to_owned())
}

fn show(plans: &Plans, records: &Records) -> Result<(), Failure> {
    for plan in &plans.files {
        print(heading(&plan.place))?;
        let Undone { turned_back, left, missing, kept, .. } = &plan.undone;
        if !turned_back.is_empty() {
            print(format_args!("  turned back: {}", turned_back.join(", ")))?;
        }
        if !plan.changes() && plan.done().is_some() {
            print("  does not start this program any more; its backup is not needed")?;
        }
        for (name, why) in left {
            print(format_args!("  '{name}' is left as it is: {why}"))?;
        }
        for (file, why) in kept {
            print(format_args!("  {} is kept: {why}", file.display()))?;
        }
        if let Some(record) = plan.record.as_ref().filter(|_| !missing.is_empty()) {
            print(format_args!("  not in it as before: {}", missing.join(", ")))?;
            show_kept(record, records)?;
        }
        let Change { path, before, after } = &plan.change;
        print_styled(&unified(path, before.as_deref().unwrap_or_default(), after, is_coloured()))?;
    }
    for record in &plans.gone {
        print(record.path.display())?;
        print("  is gone")?;
        show_kept(record, records)?;
    }
    Ok(())
}

/// Names what is kept of a file that cannot be given back, and what it is.
fn show_kept(record: &Record, records: &Records) -> Result<(), Failure> {
    let backup = records.file(&record.path);
    print(format_args!(
        "  its backup is kept (\"before\" is the text that was there): {}",
        backup.display()
    ))?;
    for file in files_of(record).filter(|file| file.exists()) {
        print(format_args!("  so are the servers that were moved out of it: {}", file.display()))?;
    }
    print("  remove them if you do not need them")
}

fn nothing_to_do(problems: Vec<(Place, Problem)>, is_left: bool) -> Result<(), Failure> {
    if problems.is_empty() && is_left {
        print("")?;
        return print("Nothing was changed.");
    }
    if problems.is_empty() {
        return print("Nothing to do: no entry of a host starts mcp-disclosure.");
    }
    Err(Failure::Configuration(problems.into_iter().map(|(_, problem)| problem).collect()))
}

/// Writes the files, and then forgets what is not needed any more.
fn apply(plans: &Plans, records: &Records) -> Result<(), Failure> {
    let changes = plans.files.iter().filter(|plan| plan.changes()).map(|plan| &plan.change);
    write_together(&changes.cloned().collect::<Vec<_>>()).map_err(|unwritten| unwritten.failure)?;
    let kept = plans.files.iter().flat_map(|plan| &plan.undone.kept);
    let kept: Vec<&PathBuf> = kept.map(|(file, _)| file).collect();
    plans.files.iter().filter_map(Plan::done).try_for_each(|record| {
        files_of(record).filter(|file| !kept.contains(file)).try_for_each(|file| remove(file))?;
        records.forget(&record.path)
    })
}

/// The files that servers were moved to.
fn files_of(record: &Record) -> impl Iterator<Item = &PathBuf> {
    record.steps.iter().flat_map(|step| &step.gathered).map(|(file, _)| file)
}
