//! Starts, and starts again, measured in milliseconds.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use kit::process::{Process, id_in, kill, until};
use serde_json::json;

use super::{Outcome, judged};
use crate::Programs;

/// Judged with time for a busy machine.
const INTRODUCED: Duration = Duration::from_millis(500);

/// An upstream that writes its process id, and cannot start while FOLDER/broken is there.
const GOOD: &str = "[upstreams.good]\ncommand = \"sh\"\n\
                    args = [\"-c\", \"[ -e FOLDER/broken ] && exit 7; exec ODD ordinary FOLDER/id\"]\n";

fn answers(gateway: &mut Process, tool: &str) -> bool {
    gateway.call(tool, json!({"text": "here"}))["result"].is_object()
}

/// U1: `initialize` within 100 ms of the start (judged by 500 ms), and a list of the other seven.
pub fn one_of_eight_hangs(programs: &Programs) -> Outcome {
    let entry = |name: &str, mode: &str| {
        format!("[upstreams.{name}]\ncommand = \"ODD\"\nargs = [\"{mode}\"]\nprefix = \"{name}_\"\n")
    };
    let good: String = (1..8).map(|number| entry(&format!("good{number}"), "ordinary")).collect();
    let (_folder, mut command) = programs.serving(&(entry("hangs", "silent") + &good));
    let begun = Instant::now();
    let mut gateway = Process::start(command.args(["--wait-for-upstreams", "2"]));
    gateway.initialize();
    let introduced = begun.elapsed();
    let begun = Instant::now();
    let tools = gateway.tool_names().len();
    let seen = format!(
        "U1: one of eight upstreams hangs at the start: `initialize` after {} ms; a list of {tools} tools {} ms later \
         (`--wait-for-upstreams 2`)",
        introduced.as_millis(),
        begun.elapsed().as_millis()
    );
    judged(introduced < INTRODUCED && tools == 14 && answers(&mut gateway, "good7_echo"), seen)
}

/// U3: a call is answered within the child's own start and 1.2 s (judged with 0.5 s more).
pub fn one_is_killed(programs: &Programs) -> Outcome {
    let begun = Instant::now();
    let mut alone = Process::start(Command::new(&programs.odd).arg("ordinary"));
    alone.initialize();
    alone.tools();
    let own = begun.elapsed();
    let (folder, mut command) = programs.serving(GOOD);
    let mut gateway = Process::start(&mut command);
    gateway.initialize();
    gateway.tools();
    let begun = Instant::now();
    kill(&id_in(folder.path().join("id"), ""));
    gateway.logged("will be restarted");
    let tools = gateway.tools().len();
    let answered = answers(&mut gateway, "echo");
    let took = begun.elapsed();
    let seen = format!(
        "U3: a child is killed: a call is answered after {} ms; the child's own start takes {} ms; {tools} tools stay listed",
        took.as_millis(),
        own.as_millis()
    );
    judged(answered && tools == 2 && took < own + Duration::from_millis(1_700), seen)
}

/// U3: its tools leave the list after the fifth failure, and return with it; both are announced.
pub fn one_fails_five_times(programs: &Programs) -> Outcome {
    let (folder, mut command) = programs.serving(GOOD);
    let mut gateway = Process::start(&mut command);
    gateway.initialize();
    if gateway.tools().len() != 2 {
        return Err("it does not start".to_owned());
    }
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "").unwrap();
    kill(&id_in(folder.path().join("id"), ""));
    let mut lists = |count| {
        let begun = Instant::now();
        let took = until(|| gateway.tools().len() == count).then(|| begun.elapsed());
        took.filter(|took| *took < Duration::from_secs(25))
    };
    let left = lists(0);
    std::fs::remove_file(broken).unwrap();
    let back = lists(2);
    gateway.notified("notifications/tools/list_changed", 2);
    let seen = format!(
        "U3: one is killed and fails to start five times: left after {left:.1?}, back after {back:.1?}"
    );
    judged(left.is_some() && back.is_some(), seen)
}
