//! What people see in a terminal: colours, unless they say otherwise.

use std::{
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    process::{Command, Stdio},
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::program;

/// A terminal: our end, and the program's.
pub(super) fn terminal() -> (File, OwnedFd) {
    // Else programs that other tests start at this moment have it too, and it does not hang up when this one lets go.
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (ours.into(), theirs.into())
}

/// Runs a command that ends well, and reads what it says to the terminal of which this is our end.
pub(super) fn said_to(mut ours: File, mut command: Command) -> String {
    let status = command.stdin(Stdio::null()).status().unwrap();
    assert!(status.success());
    // It holds the other end.
    drop(command);
    let mut text = Vec::new();
    // Linux ends a terminal's stream with an error.
    let _end = ours.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// What a command before the odd upstream says to a terminal, on stdout or on stderr.
fn said(arguments: &[&str], on_stdout: bool, no_color: Option<&str>) -> String {
    let (ours, theirs) = terminal();
    let mut command = program(&[arguments, &["--", super::ODD, "ordinary"]].concat());
    command.env_remove("NO_COLOR").env_remove("MCP_DISCLOSURE_LOG").env("TERM", "xterm");
    if let Some(value) = no_color {
        command.env("NO_COLOR", value);
    }
    let (null, theirs) = (Stdio::null(), Stdio::from(theirs));
    let (stdout, stderr) = if on_stdout { (theirs, null) } else { (null, theirs) };
    command.stdout(stdout).stderr(stderr);
    said_to(ours, command)
}

#[test]
fn no_color_is_honoured() {
    let prompt = ["prompt", "--strategy", "full"];
    for (arguments, on_stdout, expected) in
        [(&prompt[..], false, "has no guidance"), (&["check", "--notes"], true, "2 tools: ")]
    {
        let said = |no_color| said(arguments, on_stdout, no_color);
        assert!(said(None).contains('\u{1b}'), "a terminal gets colours");
        assert!(said(Some("")).contains('\u{1b}'), "an empty NO_COLOR says nothing");
        let plain = said(Some("1"));
        assert!(plain.contains(expected) && !plain.contains('\u{1b}'), "{plain:?}");
    }
}
