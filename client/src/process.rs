//! Groups of processes: launchers such as npx take what they launched with them.

use std::{process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

/// How long a child may take to end after its input has, and again after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// The process group of a child. Dropping it before the child was waited for, as when the program ends during
/// the handshake, ends the group.
#[derive(Debug)]
pub struct Group(Option<u32>);

#[derive(Clone, Copy)]
enum Insist {
    Ask,
    Kill,
}

impl Group {
    /// Makes a program that is yet to be started the head of a group of its own.
    pub fn lead(command: &mut Command) {
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(not(unix))]
        let _ = command;
    }

    /// The group of a child that was started as its head.
    pub fn of(child: &Child) -> Self {
        Self(child.id())
    }

    /// Waits for the child to end, then asks it, then makes it. Its group goes with it.
    pub async fn reap(mut self, child: &mut Child) -> Option<ExitStatus> {
        for insist in [None, Some(Insist::Ask), Some(Insist::Kill)] {
            if let Some(insist) = insist {
                self.send(insist);
            }
            if let Ok(Ok(status)) = tokio::time::timeout(GRACE, child.wait()).await {
                self.send(Insist::Ask);
                self.0 = None;
                return Some(status);
            }
        }
        self.0 = None;
        None
    }

    #[cfg(unix)]
    fn send(&self, insist: Insist) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = match insist {
            Insist::Ask => Signal::TERM,
            Insist::Kill => Signal::KILL,
        };
        let group = self.0.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            // It may have gone by itself in the meantime.
            let _gone = kill_process_group(group, signal);
        }
    }

    #[cfg(not(unix))]
    fn send(&self, _insist: Insist) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Insist::Kill);
    }
}
