//! Watching a directory of description files, and a configuration.

use std::time::Duration;

use notify::{Config, PollWatcher, RecursiveMode, Watcher};
use tokio::{sync::mpsc, time::Instant};

use super::Origin;

/// How often is looked. Looking finds what notifications of the operating system miss: directories that
/// are links, network file systems, a directory that is replaced as a whole.
const INTERVAL: Duration = Duration::from_secs(1);

/// Editors write in several steps; what comes within this time is one change.
const SETTLE: Duration = Duration::from_millis(150);

/// A directory that is never quiet is read again after so long all the same.
const LONGEST: Duration = Duration::from_millis(500);

/// Sends a signal for each change of the files, for as long as the watcher is kept. Files that cannot
/// change send none.
pub fn watch(origin: &Origin) -> (Option<PollWatcher>, mpsc::Receiver<()>) {
    let (changed, raw) = mpsc::channel(1);
    let watched = origin.watched();
    if watched.is_empty() {
        return (None, raw);
    }
    // Times of change are compared in whole seconds, which is too coarse; so contents are, too.
    let config = Config::default().with_poll_interval(INTERVAL).with_compare_contents(true);
    let watcher = PollWatcher::new(
        move |_event| {
            // One waiting signal stands for all.
            let _one_is_waiting = changed.try_send(());
        },
        config,
    );
    let watcher = watcher.and_then(|mut watcher| {
        watched.iter().try_for_each(|path| watcher.watch(path, RecursiveMode::NonRecursive))?;
        Ok(watcher)
    });
    match watcher {
        Ok(watcher) => (Some(watcher), settle(raw)),
        Err(error) => {
            tracing::warn!(%error, "the files cannot be watched; changes need a restart");
            (None, raw)
        }
    }
}

/// One signal for what comes at once.
fn settle(mut raw: mpsc::Receiver<()>) -> mpsc::Receiver<()> {
    let (settled, signals) = mpsc::channel(1);
    tokio::spawn(async move {
        while raw.recv().await.is_some() {
            let last = Instant::now() + LONGEST;
            loop {
                let quiet = last.min(Instant::now() + SETTLE);
                match tokio::time::timeout_at(quiet, raw.recv()).await {
                    Ok(Some(())) => {}
                    _ => break,
                }
            }
            if settled.send(()).await.is_err() {
                return;
            }
        }
    });
    signals
}
