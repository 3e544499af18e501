//! A program whose streams a test reads and writes by itself, or leaves.

use std::{
    io::BufReader,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::process::until;

/// A program whose input and output a test has by itself. It is ended with the test, whatever comes of it.
#[derive(Debug)]
pub struct Apart(Child);

impl Apart {
    /// Starts it with this for stderr.
    pub fn start(command: &mut Command, stderr: Stdio) -> (Self, ChildStdin, BufReader<ChildStdout>) {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = piped.spawn().expect("the program under test");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        (Self(child), input, BufReader::new(output))
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Waits for its end: its exit code.
    #[track_caller]
    pub fn ended(&mut self) -> Option<i32> {
        let mut status = None;
        let ended = until(|| {
            status = self.0.try_wait().expect("a child of ours");
            status.is_some()
        });
        assert!(ended, "it runs on");
        status.and_then(|status| status.code())
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let _gone = self.0.kill().and_then(|()| self.0.wait());
    }
}
