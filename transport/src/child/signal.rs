//! Signals to process groups, addressed by the id of their leader.

pub(super) use rustix::process::Signal;
use rustix::process::{Pid, kill_process_group, test_kill_process_group};

fn pid(group: u32) -> Option<Pid> {
    i32::try_from(group).ok().and_then(Pid::from_raw)
}

/// Sends a signal to a group.
pub(super) fn send(group: u32, signal: Signal) {
    if let Some(group) = pid(group) {
        // It may have exited meanwhile.
        let _gone = kill_process_group(group, signal);
    }
}

/// Whether any process of a group exists.
pub(super) fn is_there(group: u32) -> bool {
    pid(group).is_some_and(|group| test_kill_process_group(group).is_ok())
}
