//! What `init` makes of hosts' files, and `undo` of that.

mod applied;
mod bad_input;
mod each_host;
mod each_syntax;
mod properties;
mod protected;
mod turned_back;

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    places::{Folders, Place},
    plan::{Destination, Plan, plan},
    record::Step,
    undo::{Undone, undone},
    wrap::{Bridge, Front},
};

/// What is put in front in these tests.
fn front() -> Front {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect();
    let bridge = |name: &str, reads_only| Bridge { name: name.to_owned(), reads_only };
    Front {
        launcher: words("npx -y mcp-disclosure@0.1.0"),
        shared: None,
        strategy: words("--strategy info"),
        bridges: vec![bridge("info", true), bridge("invoke", false)],
    }
}

/// A project with one host's file.
struct Project {
    directory: TempDir,
    file: PathBuf,
}

impl Project {
    fn of(path: &str, text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        Self { directory, file }
    }

    fn place(&self) -> Place {
        Place { host: None, path: self.file.clone() }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }

    fn gathered(&self) -> PathBuf {
        self.directory.path().join("gathered")
    }

    /// Of a user whose home is the project's folder.
    fn destination(&self) -> Destination {
        let home = self.directory.path();
        Destination::of(&self.file, &Folders::of_home(Some(home), home), &self.gathered())
    }

    #[track_caller]
    fn plan(&self) -> Plan {
        plan(self.place(), Path::new("/now"), &front(), None, vec![]).unwrap()
    }

    #[track_caller]
    fn gather(&self) -> Plan {
        let destination = self.destination();
        let plan = plan(self.place(), Path::new("/now"), &front(), Some(&destination), vec![]).unwrap();
        for moved in &plan.moved {
            super::write::keep(&moved.file, &moved.text).unwrap();
        }
        plan
    }

    /// Writes what is planned, and what undo needs for it.
    fn apply(&self, plan: &Plan) -> Step {
        fs::write(&self.file, &plan.change.after).unwrap();
        Step::of(&plan.change, Path::new("/now"), &plan.moved)
    }

    #[track_caller]
    fn undo(&self, steps: &[Step]) -> Undone {
        let launcher = front().launcher;
        undone(&self.file, Path::new("/later"), &self.text(), steps, &launcher, &self.destination()).unwrap()
    }
}
