//! Files that change, or that someone wants read again, are put in force while the gateway serves.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_access::Access;
use mcp_disclosure_core::Kind;
use mcp_disclosure_gateway::{Gateway, Problem};
use tokio::{
    sync::{mpsc, oneshot},
    task::spawn_blocking,
};

use super::{
    Contents, Files, Origin, Seen,
    contents::changes,
    watch::{look, quiet},
};
use crate::config::{unknown_strategies, unreadable};

/// How often files are looked at. Polling finds what notifications of the operating system miss: directories that
/// are links, network file systems, a directory that is replaced as a whole, a file that is not there yet.
const INTERVAL: Duration = Duration::from_secs(1);

/// Why nothing was put in force, or the kinds whose lists changed.
type Outcome = Result<Vec<Kind>, Vec<Problem>>;

/// What people call the files, with a verb.
const FILES: &str = "configuration and description files were";

/// What is in force at the start, and where it comes from.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// What is named besides files.
    pub origin: Origin,
    /// What files said.
    pub files: Files,
    /// What they come down to.
    pub contents: Contents,
}

/// Reads files again: when they change, and when that is asked for here.
#[derive(Clone, Debug)]
pub struct Reloads(mpsc::Sender<Asked>);

/// A request to read the files again.
#[derive(Debug)]
struct Asked {
    accept: bool,
    reply: oneshot::Sender<Outcome>,
}

impl Reloads {
    /// Follows files until the gateway ends: a change since they were read is one, too. `access` is replaced with the rest.
    pub fn follow(gateway: Arc<Gateway>, access: Arc<Access>, baseline: Baseline) -> Self {
        for path in baseline.files.read_once() {
            let path = path.display();
            tracing::info!("{path}: read once, since it is no regular file; changes need a restart");
        }
        let (sender, asked) = mpsc::channel(1);
        tokio::spawn(Follower { gateway, access, baseline }.follow(asked));
        Self(sender)
    }

    /// Reads the files again once they are quiet and puts them in force as a whole; the kinds whose lists changed. With
    /// `accept`, also a set is taken that loses what protected something: what SIGHUP asks for.
    ///
    /// # Errors
    /// Why the old set stays. It is logged, too.
    pub async fn reload(&self, accept: bool) -> Outcome {
        let (reply, answer) = oneshot::channel();
        let asked = self.0.send(Asked { accept, reply }).await;
        match (asked, answer.await) {
            (Ok(()), Ok(outcome)) => outcome,
            _ => Err(vec![Problem::new("the program is ending")]),
        }
    }
}

struct Follower {
    gateway: Arc<Gateway>,
    access: Arc<Access>,
    /// With the contents that are in force, and the files as they were at the start.
    baseline: Baseline,
}

impl Follower {
    async fn follow(mut self, mut asked: mpsc::Receiver<Asked>) {
        let shutdown = self.gateway.shutdown().clone();
        let (watched, mut seen) = (self.baseline.files.watched(), self.baseline.files.seen.clone());
        let mut turn = tokio::time::interval(INTERVAL);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = turn.tick(), if !watched.is_empty() => {
                    if look(&watched).await != seen {
                        // One signal for what comes at once: editors write in several steps.
                        seen = quiet(&watched, || ()).await;
                        drop(self.take(seen.clone(), false).await);
                    }
                }
                Some(Asked { accept, reply }) = asked.recv() => {
                    // The requester may have stopped waiting.
                    let _dropped = reply.send(self.reload(accept).await);
                }
            }
        }
    }

    async fn reload(&mut self, accept: bool) -> Outcome {
        let paths = self.baseline.files.watched();
        loop {
            let seen = quiet(&paths, || ()).await;
            if let Some(outcome) = self.take(seen, accept).await {
                return outcome;
            }
        }
    }

    /// Puts files in force that were quiet in this state; `None` where they changed meanwhile. A bad set is reported,
    /// and the old one stays; so does a set that loses what protected something, unless that is accepted.
    async fn take(&mut self, seen: Seen, accept: bool) -> Option<Outcome> {
        let outcome = match self.read(seen).await? {
            Ok(contents) => self.declare(contents, accept).await,
            Err(problems) => Err(problems),
        };
        match &outcome {
            Ok(changes) => {
                let files = self.baseline.contents.declared.files.len();
                tracing::info!(files, ?changes, "{FILES} read again");
            }
            Err(problems) => {
                self.gateway.observer().kept_old();
                for problem in problems {
                    tracing::warn!("{FILES} not taken over, the old ones stay: {problem}");
                }
            }
        }
        Some(outcome)
    }

    /// A directory may be large, and on a network.
    async fn read(&self, seen: Seen) -> Option<Result<Contents, Vec<Problem>>> {
        let (origin, files) = (self.baseline.origin.clone(), self.baseline.files.clone());
        let read = spawn_blocking(move || {
            let now = files.again();
            let contents = origin.contents(&now);
            seen.is_current(&now.watched()).then(|| {
                if contents.is_ok() {
                    warn_of_restart(&files, &now);
                }
                contents
            })
        });
        read.await.unwrap_or_else(|error| Some(Err(vec![Problem::new(format!("internal error: {error}"))])))
    }

    async fn declare(&mut self, contents: Contents, accept: bool) -> Outcome {
        let lost = if accept { Vec::new() } else { contents.lost_since(&self.baseline.contents) };
        if !lost.is_empty() {
            return Err(lost.into_iter().map(|lost| Problem::new(lost).hint(how_to_accept())).collect());
        }
        self.put_access_in_force(&contents).await?;
        let lists = self.gateway.declare(contents.declared.clone()).await.map_err(|problem| vec![problem])?;
        if contents.found.left_out != self.baseline.contents.found.left_out {
            contents.found.log();
        }
        for changed in changes(self.baseline.contents.access.permits(), contents.access.permits()) {
            tracing::info!("grant changed: {changed}");
        }
        self.baseline.contents = contents;
        Ok(lists)
    }

    /// Who may come in changes before what exists, so that nothing new is seen by whom it is not meant for.
    async fn put_access_in_force(&self, contents: &Contents) -> Result<(), Vec<Problem>> {
        let unknown = unknown_strategies(&contents.file, self.gateway.strategies());
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let (access, settings) = (Arc::clone(&self.access), contents.access.clone());
        // Files of tokens are read.
        let replaced = spawn_blocking(move || access.replace(settings)).await;
        let replaced = replaced.map_err(|error| vec![Problem::new(format!("internal error: {error}"))])?;
        let differs = replaced.map_err(|errors| unreadable(&contents.file, &errors))?;
        if differs {
            self.gateway.permissions_changed();
        }
        Ok(())
    }
}

/// Says which changes of the configuration since the start take effect only after another one.
fn warn_of_restart(first: &Files, now: &Files) {
    let Some(config) = first.config() else { return };
    for what in now.declarations().needs_restart_after(&first.declarations()) {
        tracing::warn!("{}: {what} changed, which needs a restart", config.path.display());
    }
}

/// The command by which an operator accepts files that lost protection.
fn how_to_accept() -> String {
    if cfg!(unix) {
        format!("if that is meant, accept it with kill -HUP {}", std::process::id())
    } else {
        "if that is meant, start the program again".to_owned()
    }
}
