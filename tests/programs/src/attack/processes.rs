//! P14: children that outlive the program.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    procfs,
    scene::{Scene, Verdict},
    upstream::ROLE,
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P14":
        "SIGKILL" => killed,
        "SIGKILL, with a child that does not read" => killed_with_a_deaf_child,
        "SIGKILL, with a child behind a shell" => killed_with_a_shell,
        "SIGHUP" => hung_up,
    ]
}

/// How long children may take to go.
const SOON: Duration = Duration::from_secs(3);

fn serve(lab: &Lab) -> Serve {
    Serve::new(lab).upstream("evil", &["--tools", "deaf,size"])
}

async fn killed(lab: &Lab) -> Verdict {
    let scene = Scene::without_honest_client(lab, serve(lab)).await;
    end_by(scene, Signal::KILL).await
}

async fn killed_with_a_deaf_child(lab: &Lab) -> Verdict {
    let scene = Scene::without_honest_client(lab, serve(lab)).await;
    scene.attacker().await.call("deaf", json!({})).await;
    end_by(scene, Signal::KILL).await
}

async fn killed_with_a_shell(lab: &Lab) -> Verdict {
    // As npx, uvx and shell scripts start servers: the shell waits for its own child.
    let command = format!("{} {ROLE} --tools size; true", lab.upstream.display());
    let serve = Serve::new(lab).command("evil", "/bin/sh", &["-c", &command]);
    end_by(Scene::without_honest_client(lab, serve).await, Signal::KILL).await
}

async fn end_by(mut scene: Scene, signal: Signal) -> Verdict {
    let children = procfs::descendants(scene.gateway.id());
    if children.is_empty() {
        return Err("it has no children".to_owned());
    }
    scene.gateway.signal(signal);
    if scene.gateway.ends_within(SOON).await.is_none() {
        return Err(format!("it runs {} s after the signal", SOON.as_secs()));
    }
    all_gone(&children).await
}

async fn all_gone(children: &[u32]) -> Verdict {
    let mut left = children.to_vec();
    for _ in 0..60 {
        left.retain(|child| procfs::runs(*child));
        if left.is_empty() {
            return Ok(());
        }
        tokio::time::sleep(SOON / 60).await;
    }
    for child in left.iter().filter_map(|child| rustix::process::Pid::from_raw(i32::try_from(*child).ok()?)) {
        let _gone = rustix::process::kill_process(child, Signal::KILL);
    }
    Err(format!("{} of {} children are left", left.len(), children.len()))
}

async fn hung_up(lab: &Lab) -> Verdict {
    let mut scene = Scene::without_honest_client(lab, serve(lab)).await;
    let children = procfs::descendants(scene.gateway.id());
    let attacker = scene.attacker().await;
    // A file without this rule would be waited for; by SIGHUP it is read.
    std::fs::write(&scene.gateway.config, format!("{}\n[tools.size]\nhidden = true\n", scene.gateway.text))
        .unwrap();
    scene.gateway.signal(Signal::HUP);
    tokio::time::sleep(Duration::from_secs(1)).await;
    if scene.gateway.has_ended() {
        return all_gone(&children).await.and(Err("it ends, and reads nothing again".to_owned()));
    }
    for _ in 0..40 {
        if attacker.tools().await?.iter().all(|tool| tool != "size") {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("it does not read its configuration again".to_owned())
}
