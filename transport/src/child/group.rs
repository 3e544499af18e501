//! Process groups: launchers such as npx are ended together with what they launched.

use std::{process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

use super::guard;
#[cfg(unix)]
use super::signal;

/// How long a child may take to exit after its input is closed, and again after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// Polling interval while waiting for a group to exit.
const LOOK: Duration = Duration::from_millis(10);

/// The process group of a child. Dropping it before the child was reaped, for example when the program ends
/// during the handshake, ends the group. Where a [`guard`] is enabled, so does the end of this process, in
/// whatever way.
#[derive(Debug)]
pub(super) struct Group(Option<u32>);

#[derive(Clone, Copy)]
enum Insist {
    Ask,
    Kill,
}

impl Group {
    /// Makes a program the leader of its own process group when started.
    pub(super) fn lead(command: &mut Command) {
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(not(unix))]
        let _ = command;
    }

    /// The group of a child that was started as its leader.
    pub(super) fn of(child: &Child) -> Self {
        if let Some(id) = child.id() {
            guard::watch(id);
        }
        Self(child.id())
    }

    /// Waits for the child to exit, then sends SIGTERM, then kills it. Its group ends with it.
    pub(super) async fn reap(mut self, child: &mut Child) -> Option<ExitStatus> {
        for insist in [None, Some(Insist::Ask), Some(Insist::Kill)] {
            if let Some(insist) = insist {
                self.send(insist);
            }
            if let Ok(Ok(status)) = tokio::time::timeout(GRACE, child.wait()).await {
                self.disperse().await;
                self.forget();
                return Some(status);
            }
        }
        self.forget();
        None
    }

    /// Ends the processes that an exited child left behind.
    async fn disperse(&self) {
        self.send(Insist::Ask);
        let gone = async {
            while self.is_there() {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(GRACE, gone).await.is_err() {
            self.send(Insist::Kill);
        }
    }

    fn forget(&mut self) {
        if let Some(id) = self.0.take() {
            guard::release(id);
        }
    }

    #[cfg(unix)]
    fn send(&self, insist: Insist) {
        use rustix::process::Signal;
        let signal = match insist {
            Insist::Ask => Signal::TERM,
            Insist::Kill => Signal::KILL,
        };
        self.0.into_iter().for_each(|group| signal::send(group, signal));
    }

    #[cfg(unix)]
    fn is_there(&self) -> bool {
        self.0.is_some_and(signal::is_there)
    }

    #[cfg(not(unix))]
    fn send(&self, _insist: Insist) {}

    #[cfg(not(unix))]
    fn is_there(&self) -> bool {
        false
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if guard::has_all() {
            return;
        }
        self.send(Insist::Kill);
        self.forget();
    }
}
