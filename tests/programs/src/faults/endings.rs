//! Upstreams that die.

use std::time::Duration;

use super::{Fault, Lab, Outcome, judged, scene::Setting, shown};

pub(super) const FAULTS: &[Fault] = &[Fault::new(
    "U3",
    "one is killed and fails to start five times, then can start again",
    "its tools leave the list after the fifth failure, and return with it",
    five_failures,
)];

/// The entry of one that fails: its tools can be distinguished, and calls wait 3 s.
const BAD: &str = "prefix = \"bad_\"\nconnect_timeout = 3";

fn five_failures(lab: &Lab) -> Outcome {
    let script = "[ -e FOLDER/broken ] && exit 7; exec ODD ordinary FOLDER/bad.id";
    let mut scene = Setting::new(lab).script("bad", script, BAD).start(&[]);
    if scene.gateway.tools().len() != 4 {
        return Err("it does not start".to_owned());
    }
    scene.write("broken", "");
    scene.kill("bad");
    let left = scene.lists(Duration::from_secs(25), &["echo", "wait"]);
    scene.gateway.notified("notifications/tools/list_changed", 1);
    std::fs::remove_file(scene.path("broken")).unwrap();
    let back = scene.lists(Duration::from_secs(25), &["echo", "wait", "bad_echo", "bad_wait"]);
    judged(
        left.is_some() && back.is_some(),
        format!("left after {}, back after {}", shown(left), shown(back)),
    )
}
