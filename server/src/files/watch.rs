//! The state of a directory of description files, a configuration, and what is beside it; and when they may be read: once none of
//! them has changed for a while, since a file that is being written may be empty, or end anywhere.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::description_paths;

/// Nothing may have changed for this long.
const QUIET: Duration = Duration::from_millis(200);

/// The number of waits after which a warning explains why nothing is read.
const MANY: usize = 50;

/// The state of files, and of the description files in directories: where it is the same at two times, none was
/// written in between. What else is in a directory is not read, and may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(Vec<(PathBuf, Option<State>)>);

/// Size, time of change, and on Unix which file it is: what a link leads to may have changed with nothing else.
type State = (u64, Option<SystemTime>, u64);

impl Seen {
    /// The state now.
    pub fn now(paths: &[PathBuf]) -> Self {
        let mut all: Vec<(PathBuf, Option<State>)> = Vec::new();
        for path in paths {
            match description_paths(path) {
                Ok(files) => all.extend(files.into_iter().map(|file| (file.clone(), state(&file)))),
                Err(_) => all.push((path.clone(), state(path))),
            }
        }
        all.sort();
        Self(all)
    }

    /// The state of these and other files.
    pub(super) fn and(self, others: Self) -> Self {
        let mut all: Vec<_> = self.0.into_iter().chain(others.0).collect();
        all.sort();
        Self(all)
    }

    /// Whether nothing has changed since.
    pub fn is_current(&self, paths: &[PathBuf]) -> bool {
        *self == Self::now(paths)
    }
}

fn state(path: &Path) -> Option<State> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.len(), found.modified().ok(), number(&found)))
}

#[cfg(unix)]
fn number(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

/// Waits until nothing has changed for 200 ms. `looking` is called before each look that may be the last.
pub(super) async fn quiet(paths: &[PathBuf], mut looking: impl FnMut()) -> Seen {
    let mut waits = 0;
    let mut before = look(paths).await;
    loop {
        tokio::time::sleep(QUIET).await;
        looking();
        let now = look(paths).await;
        if now == before {
            return now;
        }
        before = now;
        waits += 1;
        if waits == MANY {
            tracing::warn!(
                ?paths,
                "the files keep changing; they are read once they have not changed for 200 ms"
            );
        }
    }
}

/// The state now. A directory may be large, and on a network.
pub(super) async fn look(paths: &[PathBuf]) -> Seen {
    let owned = paths.to_vec();
    match tokio::task::spawn_blocking(move || Seen::now(&owned)).await {
        Ok(seen) => seen,
        // The runtime is ending.
        Err(_) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_written_all_the_time_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("f.toml");
        std::fs::write(&file, "").unwrap();
        let paths = [file.clone()];
        let mut looks = 0;
        // Each look finds something new, until the fourth.
        let seen = quiet(&paths, || {
            looks += 1;
            if looks < 4 {
                std::fs::write(&file, "x".repeat(looks)).unwrap();
            }
        });
        let seen = seen.await;
        assert_eq!((looks, seen), (4, Seen::now(&[directory.path().join("f.toml")])));
    }
}
