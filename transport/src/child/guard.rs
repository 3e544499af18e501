//! A guard process: another run of the same program that ends the child processes when this process ends, in
//! whatever way. One guard watches all of them, by their process groups.
//!
//! The guard reads from a pipe whose other end only this process holds. The operating system closes that end
//! even after SIGKILL, so no clean-up has to run in time, and it does not matter which thread started a
//! child. (The parent-death signal of Linux is tied to the thread that forked, reaches only the first process
//! of a group, and cannot be set for a child without unsafe code.) Children start as fast as without a guard,
//! and fail in the same way.
//!
//! Where there are no process groups, there is no guard.

#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::{
    collections::BTreeSet,
    io::{BufRead, Write, stdin},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use super::signal::{self, Signal};

/// The argument that starts the program as a guard.
const ARGUMENT: &str = "__guard";

/// How long children may take to exit after SIGTERM before they are killed.
const GRACE: Duration = Duration::from_millis(500);

static GUARD: OnceLock<Mutex<Guard>> = OnceLock::new();

static HAS_ALL: AtomicBool = AtomicBool::new(false);

/// Whether this process was started as a guard.
pub fn is_asked_for() -> bool {
    cfg!(unix) && std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT)
}

/// Runs as a guard: waits until the guarded process has ended, then ends its groups.
pub fn stand() {
    let mut groups = BTreeSet::new();
    for line in stdin().lock().lines().map_while(Result::ok) {
        let Some((sign, Ok(group))) = line.split_at_checked(1).map(|(sign, id)| (sign, id.parse())) else {
            continue;
        };
        if sign == "+" {
            groups.insert(group)
        } else {
            groups.remove(&group)
        };
    }
    end_all(&groups);
}

fn end_all(groups: &BTreeSet<u32>) {
    groups.iter().for_each(|group| signal::send(*group, Signal::TERM));
    let deadline = Instant::now() + GRACE;
    while groups.iter().any(|group| signal::is_there(*group)) {
        if Instant::now() > deadline {
            return groups.iter().for_each(|group| signal::send(*group, Signal::KILL));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Guards children from now on. Only for programs whose `main` starts with [`is_asked_for`] and
/// [`stand`]: any other would run normally as its own guard.
pub fn enable() {
    if cfg!(unix) {
        GUARD.get_or_init(Mutex::default);
    }
}

/// This process is about to end: children that are still there are left to the guard, which asks before it kills.
pub fn hand_over() {
    HAS_ALL.store(GUARD.get().is_some(), Ordering::Relaxed);
}

/// Whether children are left to the guard.
pub(super) fn has_all() -> bool {
    HAS_ALL.load(Ordering::Relaxed)
}

#[derive(Debug, Default)]
struct Guard {
    process: Option<Child>,
    groups: BTreeSet<u32>,
}

impl Guard {
    /// Writes a line to the guard. If the guard is gone, starts another and sends it all groups.
    fn say(&mut self, line: &str) {
        if self.write(line).is_ok() {
            return;
        }
        if let Some(mut gone) = self.process.take() {
            let _gone = (gone.kill(), gone.wait());
        }
        let all: String = self.groups.iter().map(|group| format!("+{group}\n")).collect();
        let started = start().and_then(|process| {
            self.process = Some(process);
            self.write(&all)
        });
        if let Err(error) = started {
            tracing::warn!(%error, "child processes are not guarded");
        }
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        let pipe = self.process.as_mut().and_then(|process| process.stdin.as_mut());
        pipe.ok_or(std::io::ErrorKind::NotConnected)?.write_all(line.as_bytes())
    }
}

fn start() -> std::io::Result<Child> {
    // This path works even if the program's file was replaced while running.
    let running = PathBuf::from("/proc/self/exe");
    let program = if running.exists() { running } else { std::env::current_exe()? };
    let mut command = Command::new(program);
    // Signals from the terminal to this process must not reach it.
    #[cfg(unix)]
    command.arg0("mcp-disclosure-guard").process_group(0);
    command
        .arg(ARGUMENT)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn guard() -> Option<MutexGuard<'static, Guard>> {
    GUARD.get().map(Mutex::lock)
}

/// Watches a process group.
pub(super) fn watch(group: u32) {
    if let Some(mut guard) = guard() {
        guard.groups.insert(group);
        guard.say(&format!("+{group}\n"));
    }
}

/// Stops watching a group that has ended.
pub(super) fn release(group: u32) {
    if let Some(mut guard) = guard()
        && guard.groups.remove(&group)
    {
        guard.say(&format!("-{group}\n"));
    }
}
