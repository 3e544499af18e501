//! Starts, and starts again, measured in milliseconds.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use super::{Fault, Lab, Outcome, judged, scene::Setting};
use kit::process::Process;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "U1",
        "one of eight upstreams hangs at the start",
        "`initialize` within 100 ms of the start (judged by 500 ms), a list with the other seven",
        one_hangs,
    )
    .alone(),
    Fault::new(
        "U3",
        "a child is killed",
        "a call is answered within the child's own start and 1.2 s (judged with 0.5 s more)",
        killed,
    )
    .alone(),
];

/// Judged with time for a busy machine.
const INTRODUCED: Duration = Duration::from_millis(500);

fn one_hangs(lab: &Lab) -> Outcome {
    let mut setting = Setting::empty(lab).odd("hangs", "silent", "");
    for number in 1..8 {
        setting = setting.odd(&format!("good{number}"), "ordinary", &format!("prefix = \"good{number}_\""));
    }
    let begun = Instant::now();
    let mut scene = setting.start_without_client(&["--wait-for-upstreams", "2"]);
    scene.gateway.initialize();
    let introduced = begun.elapsed();
    let (tools, listed) = scene.list();
    let answered = scene.answers("good7_echo");
    let seen = format!(
        "`initialize` after {} ms; a list of {} tools {} ms later (`--wait-for-upstreams 2`)",
        introduced.as_millis(),
        tools.len(),
        listed.as_millis()
    );
    judged(introduced < INTRODUCED && tools.len() == 14 && answered, seen)
}

fn killed(lab: &Lab) -> Outcome {
    let begun = Instant::now();
    let mut alone = Process::start(Command::new(&lab.upstream).arg("ordinary"));
    alone.initialize();
    alone.tools();
    let own = begun.elapsed();
    let mut scene = Setting::new(lab).start(&[]);
    scene.gateway.tools();
    let begun = Instant::now();
    scene.kill("good");
    scene.gateway.logged("will be restarted");
    let tools = scene.gateway.tool_names();
    let answered = scene.answers("echo");
    let took = begun.elapsed();
    let seen = format!(
        "a call is answered {} ms after the kill; the child's own start takes {} ms; {} tools stay listed",
        took.as_millis(),
        own.as_millis(),
        tools.len()
    );
    judged(answered && tools.len() == 2 && took < own + Duration::from_millis(1_700), seen)
}
