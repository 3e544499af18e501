//! Files that change while the program runs, and one that leads back to it.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    Fault, Lab, Outcome, judged,
    scene::{Scene, Setting},
    shown, within,
};
use crate::attack::procfs;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "U13",
        "an entry is added, changed and removed in the watched file",
        "each is in force within 2 s (judged by 5 s); the other's process stays",
        edited,
    ),
    Fault::new(
        "U13, P4",
        "the file is rewritten ten times a second for 3 s, half of the time with half of its text",
        "calls are answered meanwhile, the last text is in force afterwards, the other's process stays",
        rewritten,
    ),
    Fault::new(
        "U12",
        "an entry starts this program with the same file",
        "it is refused with a clear error, not started again and again; the other is served",
        itself,
    ),
];

const SOON: Duration = Duration::from_secs(5);

fn id(scene: &Scene) -> String {
    fs::read_to_string(scene.path("good.id")).unwrap()
}

fn edited(lab: &Lab) -> Outcome {
    let setting = Setting::new(lab);
    let good = setting.text().to_owned();
    let more = |mode: &str| {
        let program = lab.upstream.display();
        format!("{good}[upstreams.more]\ncommand = \"{program}\"\nargs = [\"{mode}\"]\nprefix = \"more_\"\n")
    };
    let mut scene = setting.start(&[]);
    scene.gateway.tools();
    let first = id(&scene);
    let mut took = |text: &str, tools: &[&str]| {
        fs::write(&scene.config, text).unwrap();
        scene.lists(SOON, tools)
    };
    let added = took(&more("ordinary"), &["echo", "wait", "more_echo", "more_wait"]);
    let changed = took(&more("no-schema"), &["echo", "wait", "more_bare", "more_echo"]);
    let removed = took(&good, &["echo", "wait"]);
    let seen = [("added", added), ("changed", changed), ("removed", removed)];
    let seen: Vec<String> =
        seen.iter().map(|(what, took)| format!("{what} after {}", shown(*took))).collect();
    let all = added.is_some() && changed.is_some() && removed.is_some();
    judged(all && id(&scene) == first, seen.join(", "))
}

fn rewritten(lab: &Lab) -> Outcome {
    let setting = Setting::new(lab);
    let good = setting.text().to_owned();
    let more =
        format!("{good}[upstreams.more]\ncommand = \"{}\"\nprefix = \"more_\"\n", lab.upstream.display());
    let mut scene = setting.start(&[]);
    scene.gateway.tools();
    let first = id(&scene);
    let over = AtomicBool::new(false);
    let config: PathBuf = scene.config.clone();
    let (calls, writes) = thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let (begun, mut writes) = (Instant::now(), 0);
            while begun.elapsed() < Duration::from_secs(3) {
                let text = if writes % 2 == 0 { &more[..more.len() / 2] } else { &more };
                fs::write(&config, text).unwrap();
                writes += 1;
                thread::sleep(Duration::from_millis(100));
            }
            fs::write(&config, &more).unwrap();
            over.store(true, Ordering::Relaxed);
            writes
        });
        let mut calls = 0;
        while !over.load(Ordering::Relaxed) {
            assert!(scene.answers("echo"), "a call has no result");
            calls += 1;
            thread::sleep(Duration::from_millis(10));
        }
        (calls, writing.join().unwrap())
    });
    let took = scene.lists(SOON, &["echo", "wait", "more_echo", "more_wait"]);
    let seen =
        format!("{writes} writes, {calls} calls with results; the last text in force after {}", shown(took));
    judged(took.is_some() && id(&scene) == first, seen)
}

fn itself(lab: &Lab) -> Outcome {
    let setting = Setting::new(lab);
    let config = setting.path("disclosure.toml").display().to_string();
    let gateway = lab.gateway.display().to_string();
    let mut scene = setting.command("me", &gateway, &["serve", "--config", &config], "").start(&[]);
    let (tools, took) = scene.list();
    let line = scene.gateway.logged("upstream failed");
    let program = scene.gateway.id();
    let mut most = 0;
    within(Duration::from_secs(4), || {
        most = most.max(procfs::descendants(program).len());
        false
    });
    let answered = scene.answers("echo");
    let seen = format!(
        "a list of {} tools after {} ms; at most {most} descendants in 4 s; logged: {}",
        tools.len(),
        took.as_millis(),
        line.split_once("error=").map_or("", |(_, reason)| reason)
    );
    // The good upstream, the guard of children, and one attempt.
    judged(answered && tools == ["echo", "wait"] && most <= 4 && line.contains("upstream 'me"), seen)
}
