//! Upstreams that die.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Fault, Lab, Outcome, judged, scene::Setting, shown};

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "U1, U3",
        "one dies in its handshake, each time",
        "the other is listed and called; the log names it and the next attempt",
        in_handshake,
    ),
    Fault::new(
        "U2, U3",
        "one dies after its handshake, each time",
        "its tools stay listed; a call of them is answered with its name; the other is called",
        after_handshake,
    ),
    Fault::new(
        "F6, U2",
        "one dies in each call",
        "each call is answered with its name, also those after restarts; the other is called",
        in_calls,
    ),
    Fault::new(
        "U3",
        "one dies a second after each start, for 8 s",
        "every call has an answer; calls of the other have results",
        each_second,
    ),
    Fault::new(
        "U3",
        "one is killed and fails to start five times, then can start again",
        "its tools leave the list after the fifth failure, and return with it",
        five_failures,
    ),
];

/// The entry of one that fails: its tools can be distinguished, and calls wait 3 s.
const BAD: &str = "prefix = \"bad_\"\nconnect_timeout = 3";

fn in_handshake(lab: &Lab) -> Outcome {
    let mut scene = Setting::new(lab).odd("bad", "dies-on-initialize", BAD).start(&[]);
    let (tools, took) = scene.list();
    let answered = scene.answers("echo");
    let line = scene.gateway.logged("upstream failed, will be restarted");
    let names_it = line.contains("upstream 'bad") && line.contains("retry_in=");
    let seen = format!(
        "a list of {} tools after {} ms; logged with the next attempt",
        tools.len(),
        took.as_millis()
    );
    judged(tools == ["echo", "wait"] && answered && names_it, seen)
}

fn after_handshake(lab: &Lab) -> Outcome {
    let mut scene = Setting::new(lab).odd("bad", "gone-after-list", BAD).start(&[]);
    scene.gateway.logged("will be restarted");
    let (tools, _) = scene.list();
    let (error, took) = scene.error("bad_echo");
    let answered = scene.answers("echo");
    let seen = format!("{} tools listed; after {} ms: {error}", tools.len(), took.as_millis());
    judged(tools.len() == 4 && error.contains("upstream 'bad'") && answered, seen)
}

fn in_calls(lab: &Lab) -> Outcome {
    let mut scene = Setting::new(lab).odd("bad", "dies-on-call", BAD).start(&[]);
    let mut errors = Vec::new();
    for _ in 0..2 {
        errors.push(scene.error("bad_echo").0);
        if !scene.answers("echo") {
            return Err("the other does not answer".to_owned());
        }
    }
    judged(errors.iter().all(|error| error.starts_with("upstream 'bad'")), format!("2 × {}", errors[0]))
}

fn each_second(lab: &Lab) -> Outcome {
    let mut scene = Setting::new(lab).odd("bad", "dies-each-second", BAD).start(&[]);
    let (begun, mut asked, mut slowest) = (Instant::now(), Vec::new(), Duration::ZERO);
    let mut others = 0;
    while begun.elapsed() < Duration::from_secs(8) {
        asked.push(
            scene.gateway.ask("tools/call", json!({"name": "bad_echo", "arguments": {"text": "here"}})),
        );
        let call = Instant::now();
        if !scene.answers("echo") {
            return Err("the other does not answer".to_owned());
        }
        slowest = slowest.max(call.elapsed());
        others += 1;
        std::thread::sleep(Duration::from_millis(100));
    }
    let answers = asked.iter().map(|id| scene.gateway.answer(*id));
    let results = answers.filter(|answer| answer["result"].is_object()).count();
    let seen = format!(
        "{} calls of it answered, {results} with a result; {others} calls of the other, the slowest {} ms",
        asked.len(),
        slowest.as_millis()
    );
    judged(results > 0, seen)
}

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
