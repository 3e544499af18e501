//! Writing what is planned, with the records by which `undo` gives it back.

use std::path::Path;

use super::{
    destination::Moved,
    plan::Plan,
    record::{Record, Records, Step},
    write::{Change, Unwritten, keep, write},
};
use crate::failure::Failure;

/// Writes records first, so that `undo` knows every file of ours even if this is killed, and hosts' files last, so that no
/// entry leads to a file that is not there.
///
/// # Errors
/// Why files cannot be written. Then all is as it was, but for files that the error names: their records and the servers that
/// were moved out of them are kept.
pub(crate) fn apply(plans: &[Plan], current: &Path, records: &Records) -> Result<(), Failure> {
    applied(plans, current, records, write)
}

/// The same with `write` as an argument: a file that cannot be put back takes a disk that fails in between.
pub(super) fn applied(
    plans: &[Plan],
    current: &Path,
    records: &Records,
    write: impl FnOnce(&[Change]) -> Result<(), Unwritten>,
) -> Result<(), Failure> {
    let mut earlier: Vec<(&Plan, Option<Record>)> = Vec::new();
    let recorded = plans.iter().try_for_each(|plan| {
        let path: &Path = &plan.change.path;
        let before = records.of(path).map_err(|problem| Failure::Configuration(vec![problem]))?;
        let mut record = before.clone().unwrap_or_else(|| Record::new(path));
        earlier.push((plan, before));
        record.steps.push(Step::of(&plan.change, current, &plan.moved));
        records.keep(&record)?;
        plan.moved.iter().try_for_each(|moved| keep(&moved.file, &moved.text))
    });
    let changes: Vec<_> = plans.iter().map(|plan| plan.change.clone()).collect();
    let written = recorded.map_err(Unwritten::from).and_then(|()| write(&changes));
    written.map_err(|unwritten| {
        earlier.retain(|(plan, _)| !unwritten.changed.contains(&plan.change.path));
        withdraw(earlier, records);
        unwritten.failure
    })
}

/// Takes back what was kept for files that are as they were.
fn withdraw(earlier: Vec<(&Plan, Option<Record>)>, records: &Records) {
    for (plan, before) in earlier {
        let _restored = match before {
            Some(record) => records.keep(&record),
            None => records.forget(&plan.change.path),
        };
        for Moved { file, .. } in &plan.moved {
            let _removed = std::fs::remove_file(file);
        }
    }
}
