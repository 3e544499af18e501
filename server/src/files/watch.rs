//! Watching a directory of description files, a configuration, and what is beside it.

use std::{path::PathBuf, time::Duration};

use tokio::sync::mpsc;

use super::{
    Files, Seen,
    quiet::{look, quiet},
};

/// How often files are looked at. Polling finds what notifications of the operating system miss: directories that
/// are links, network file systems, a directory that is replaced as a whole, a file that is not there yet.
const INTERVAL: Duration = Duration::from_secs(1);

/// Begins to watch files that were read, within a runtime and for as long as the receiver is kept. It gets the state of the
/// files after each change, once they are quiet; a change since they were read is one, too. Files that cannot change send none.
pub fn watch(files: &Files) -> mpsc::Receiver<Seen> {
    let (settled, changed) = mpsc::channel(1);
    for path in files.read_once() {
        tracing::info!("{}: read once, since it is no regular file; changes need a restart", path.display());
    }
    let watched = files.watched();
    if !watched.is_empty() {
        tokio::spawn(follow(watched, files.seen.clone(), settled));
    }
    changed
}

/// One signal for what comes at once: editors write in several steps.
async fn follow(watched: Vec<PathBuf>, mut seen: Seen, settled: mpsc::Sender<Seen>) {
    let mut turn = tokio::time::interval(INTERVAL);
    loop {
        tokio::select! {
            _ = turn.tick() => {}
            () = settled.closed() => return,
        }
        if look(&watched).await != seen {
            seen = quiet(&watched, || ()).await;
            if settled.send(seen.clone()).await.is_err() {
                return;
            }
        }
    }
}
