//! Watching a directory of description files.

use std::{path::Path, time::Duration};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

/// Editors write in several steps; what comes within this time is one change.
const SETTLE: Duration = Duration::from_millis(150);

/// Sends a signal for each change in the directory, for as long as the watcher is kept.
///
/// # Errors
/// What the operating system says if the directory cannot be watched.
pub fn watch(directory: &Path) -> notify::Result<(RecommendedWatcher, mpsc::Receiver<()>)> {
    let (changed, mut raw) = mpsc::channel(1);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let relevant = event.map_or(true, |event| !event.kind.is_access());
        if relevant {
            // One waiting signal stands for all.
            let _one_is_waiting = changed.try_send(());
        }
    })?;
    watcher.watch(directory, RecursiveMode::NonRecursive)?;
    let (settled, signals) = mpsc::channel(1);
    tokio::spawn(async move {
        while raw.recv().await.is_some() {
            while let Ok(Some(())) = tokio::time::timeout(SETTLE, raw.recv()).await {}
            if settled.send(()).await.is_err() {
                return;
            }
        }
    });
    Ok((watcher, signals))
}
