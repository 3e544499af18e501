//! Signals.
//!
//! SIGTERM and SIGINT end the program. SIGHUP reloads the configuration and opens the audit log again, if there is either;
//! otherwise it ends the program, as when a terminal is closed.

/// The effect of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Shut down.
    End,
    /// Reload the configuration, and open files again.
    Reload,
}

/// Signals received since this was created.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
    /// Always handled: the default action would end the process at once and leave children behind.
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
    /// The effect of SIGHUP; `None` if there is nothing to reload and the program was started with the signal ignored, as by
    /// `nohup`.
    #[cfg(unix)]
    hang_up_asks: Option<Asked>,
}

impl Signals {
    /// Begins to listen. Must be called within a runtime. `reads_again`: there is a file to read or to open again.
    #[cfg(unix)]
    pub(super) fn listen(reads_again: bool) -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            signal(kind).inspect_err(|error| tracing::warn!(%error, "cannot listen for a signal")).ok()
        };
        // By default it ends the process. A file that may not grow is an error of the write instead.
        let _installed = listen(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
        // Before the handler is installed, which replaces an ignored disposition.
        let hang_up_asks =
            if reads_again { Some(Asked::Reload) } else { (!is_hang_up_ignored()).then_some(Asked::End) };
        Self {
            terminate: listen(SignalKind::terminate()),
            interrupt: listen(SignalKind::interrupt()),
            hang_up: listen(SignalKind::hangup()),
            hang_up_asks,
        }
    }

    /// Begins to listen. Must be called within a runtime.
    #[cfg(not(unix))]
    pub(super) fn listen(_: bool) -> Self {
        Self {}
    }

    /// The effect of the next signal; pending until one arrives.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> Asked {
        loop {
            tokio::select! {
                () = received(&mut self.terminate) => return Asked::End,
                () = received(&mut self.hang_up) => if let Some(asked) = self.hang_up_asks { return asked },
                () = received(&mut self.interrupt) => return Asked::End,
            }
        }
    }

    /// The effect of the next signal; pending until one arrives.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> Asked {
        interrupted().await;
        Asked::End
    }
}

/// Whether the program was started with SIGHUP ignored.
#[cfg(target_os = "linux")]
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Signal 1 is the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Whether the program was started with SIGHUP ignored, which is unknown on this platform.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_hang_up_ignored() -> bool {
    false
}

#[cfg(unix)]
async fn received(signal: &mut Option<tokio::signal::unix::Signal>) {
    let come = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if come.is_none() {
        std::future::pending().await
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals, only the end of input ends the program.
        std::future::pending().await
    }
}
