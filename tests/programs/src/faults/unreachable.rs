//! HTTP upstreams that cannot be reached any more.

use std::{process::Command, thread, time::Duration};

use super::{Fault, Lab, Outcome, judged, scene::Setting};
use kit::process::Process;

pub(super) const FAULTS: &[Fault] = &[Fault::new(
    "U4",
    "an HTTP server is restarted, and answers 404 to the session",
    "the next call has a result, in a new session",
    restarted,
)];

fn restarted(lab: &Lab) -> Outcome {
    let start = |listen: &str| {
        let mut command = Command::new(&lab.gateway);
        command.args(["serve", "--transport", "http", "--listen", listen, "--"]);
        Process::start(command.arg(&lab.upstream).arg("ordinary"))
    };
    let server = start("127.0.0.1:0");
    let address = server.address();
    let mut scene = Setting::empty(lab).url("far", &format!("http://{address}/mcp/full"), "").start(&[]);
    if !scene.answers("echo") {
        return Err("it does not start".to_owned());
    }
    drop(server);
    let server = start(&address.to_string());
    server.address();
    // A moment for connections that the old server left open.
    thread::sleep(Duration::from_millis(100));
    let (error, took) = scene.error("echo");
    judged(error.is_empty(), format!("the call is answered after {} ms {error}", took.as_millis()))
}
