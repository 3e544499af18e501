//! Watching a directory of description files, and a configuration.

use std::{path::PathBuf, time::Duration};

use notify::{Config, PollWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::{Files, Seen, quiet::quiet};

/// How often files are looked at. Polling finds what notifications of the operating system miss: directories that
/// are links, network file systems, a directory that is replaced as a whole.
const INTERVAL: Duration = Duration::from_secs(1);

/// Files that are watched for as long as this is kept.
#[derive(Debug)]
pub struct Watch {
    /// The state of the files after each change, once they are quiet. Files that cannot change send none.
    pub changed: mpsc::Receiver<Seen>,
    /// Kept so that the files stay watched.
    _watcher: Option<PollWatcher>,
}

/// Begins to watch files that were read, within a runtime. A change since then is one, too.
pub fn watch(files: &Files) -> Watch {
    let (changed, raw) = mpsc::channel(1);
    let (settled, quiet) = mpsc::channel(1);
    let watched = files.watched();
    for path in files.read_once() {
        tracing::info!("{}: read once, since it is no regular file; changes need a restart", path.display());
    }
    if watched.is_empty() {
        return Watch { changed: quiet, _watcher: None };
    }
    // Times of change are compared in whole seconds, which is too coarse; so contents are, too.
    let config = Config::default().with_poll_interval(INTERVAL).with_compare_contents(true);
    let first = changed.clone();
    let watcher = PollWatcher::new(
        // That a file is missing is an error each time it is looked for, and a change once.
        move |event: notify::Result<_>| {
            if event.is_ok() {
                // One waiting signal stands for all.
                let _one_is_waiting = changed.try_send(());
            }
        },
        config,
    );
    let watcher = watcher.and_then(|mut watcher| {
        watched.iter().try_for_each(|path| watcher.watch(path, RecursiveMode::NonRecursive))?;
        Ok(watcher)
    });
    match watcher {
        Ok(watcher) => {
            if !files.seen().is_current(&watched) {
                let _one_is_waiting = first.try_send(());
            }
            tokio::spawn(settle(watched, raw, settled));
            Watch { changed: quiet, _watcher: Some(watcher) }
        }
        Err(error) => {
            tracing::warn!(%error, "the files cannot be watched; changes need a restart");
            Watch { changed: quiet, _watcher: None }
        }
    }
}

/// One signal for what comes at once: editors write in several steps.
async fn settle(watched: Vec<PathBuf>, mut raw: mpsc::Receiver<()>, settled: mpsc::Sender<Seen>) {
    while raw.recv().await.is_some() {
        // What was signalled before the last look is in what that saw.
        let seen = quiet(&watched, || while raw.try_recv().is_ok() {}).await;
        if settled.send(seen).await.is_err() {
            return;
        }
    }
}
