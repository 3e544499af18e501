//! Process groups: launchers such as npx are ended together with what they launched.

use std::{process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

use super::{
    guard,
    signal::{self, Signal},
};

/// How long a child may take to exit after its input is closed, and again after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// Polling interval while waiting for a group to exit.
const LOOK: Duration = Duration::from_millis(10);

/// The process group of a child. Dropping it before the child was reaped, for example when the program ends
/// during the handshake, ends the group. Where a [`guard`] is enabled, so does the end of this process, in
/// whatever way.
#[derive(Debug)]
pub(super) struct Group(Option<u32>);

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

    /// Waits for the child to exit, then sends SIGTERM, then kills it. Its group ends with it. The status is that of a child
    /// that exited by itself.
    pub(super) async fn reap(mut self, child: &mut Child) -> Option<ExitStatus> {
        for signal in [None, Some(Signal::TERM), Some(Signal::KILL)] {
            signal.into_iter().for_each(|signal| self.send(signal));
            if let Ok(Ok(status)) = tokio::time::timeout(GRACE, child.wait()).await {
                self.disperse().await;
                self.forget();
                return signal.is_none().then_some(status);
            }
        }
        self.forget();
        None
    }

    /// Ends the processes that an exited child left behind.
    async fn disperse(&self) {
        self.send(Signal::TERM);
        let gone = async {
            while self.is_there() {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(GRACE, gone).await.is_err() {
            self.send(Signal::KILL);
        }
    }

    fn forget(&mut self) {
        if let Some(id) = self.0.take() {
            guard::release(id);
        }
    }

    fn send(&self, signal: Signal) {
        self.0.into_iter().for_each(|group| signal::send(group, signal));
    }

    fn is_there(&self) -> bool {
        self.0.is_some_and(signal::is_there)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if guard::has_all() {
            return;
        }
        self.send(Signal::KILL);
        self.forget();
    }
}
