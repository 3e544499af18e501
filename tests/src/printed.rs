//! What a program printed.

use crate::process::Ended;

impl Ended {
    /// Asserts the exit code, and that stdout contains all of these.
    #[track_caller]
    pub fn prints(&self, code: i32, expected: &[&str]) -> &Self {
        self.says(code, &[]);
        for expected in expected {
            assert!(self.stdout.contains(expected), "{expected:?} is not in:\n{}", self.stdout);
        }
        self
    }
}
