//! Signals.
//!
//! SIGTERM and SIGINT end the program. SIGHUP reloads the configuration and opens the audit log again, if there is either;
//! otherwise it ends the program, as when a terminal is closed.

use tokio::sync::mpsc;

/// The effect of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Shut down.
    End,
    /// Reload the configuration, and open files again.
    Reload,
}

/// Signals received since this was created.
#[derive(Debug)]
pub(crate) struct Signals(mpsc::Receiver<Asked>);

impl Signals {
    /// Begins to listen. Must be called within a runtime. `reads_again`: there is a file to read or to open again.
    pub(crate) fn listen(reads_again: bool) -> Self {
        let (asked, signals) = mpsc::channel(1);
        forward(&asked, reads_again);
        Self(signals)
    }

    /// The effect of the next signal; pending until one arrives.
    pub(crate) async fn next(&mut self) -> Asked {
        match self.0.recv().await {
            Some(asked) => asked,
            // Without signals, only the end of input ends the program.
            None => std::future::pending().await,
        }
    }
}

#[cfg(unix)]
fn forward(asked: &mpsc::Sender<Asked>, reads_again: bool) {
    use rustix::process::Signal;
    use tokio::signal::unix::{SignalKind, signal};
    // Read before the handler is installed, which replaces an ignored disposition.
    let hang_up =
        if reads_again { Some(Asked::Reload) } else { (!is_hang_up_ignored()).then_some(Asked::End) };
    // All are handled, since the default action would end the process at once and leave children behind. A file that may not
    // grow (SIGXFSZ) is an error of the write instead.
    let effects = [
        (Signal::TERM, Some(Asked::End)),
        (Signal::INT, Some(Asked::End)),
        (Signal::HUP, hang_up),
        (Signal::XFSZ, None),
    ];
    for (number, effect) in effects {
        match (signal(SignalKind::from_raw(number.as_raw())), effect) {
            (Ok(mut received), Some(effect)) => {
                let asked = asked.clone();
                tokio::spawn(async move {
                    while received.recv().await.is_some() && asked.send(effect).await.is_ok() {}
                });
            }
            (Ok(_), None) => {}
            (Err(error), _) => tracing::warn!(%error, "cannot listen for a signal"),
        }
    }
}

#[cfg(not(unix))]
fn forward(asked: &mpsc::Sender<Asked>, _: bool) {
    let asked = asked.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && asked.send(Asked::End).await.is_ok() {}
    });
}

/// Whether the program was started with SIGHUP ignored, as by `nohup`. Only Linux says so.
#[cfg(unix)]
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Signal 1 is the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
