//! HTTP upstreams that cannot be reached, or not any more.

use std::{net::TcpListener, process::Command, thread, time::Duration};

use super::{Fault, Lab, Outcome, judged, scene::Setting};
use kit::process::Process;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "U1",
        "a port that accepts and never answers",
        "the other is listed and called; the log names the time-out",
        |lab| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let url = format!("http://{}/mcp", listener.local_addr().unwrap());
            thread::spawn(move || listener.incoming().flatten().collect::<Vec<_>>());
            unreachable(lab, &url, "did not answer within 2 seconds")
        },
    ),
    Fault::new("U1", "a host name that DNS does not know", "the same", |lab| {
        unreachable(lab, "http://no-such-host.invalid/mcp", "cannot be reached")
    }),
    Fault::new(
        "U4",
        "an HTTP server is restarted, and answers 404 to the session",
        "the next call has a result, in a new session",
        restarted,
    ),
];

fn unreachable(lab: &Lab, url: &str, reason: &str) -> Outcome {
    let mut scene = Setting::new(lab).url("far", url, "connect_timeout = 2").start(&[]);
    let (tools, took) = scene.list();
    let answered = scene.answers("echo");
    let line = scene.gateway.logged("upstream failed, will be restarted");
    let seen = format!("a list of {} tools after {} ms", tools.len(), took.as_millis());
    judged(
        answered && tools.len() == 2 && line.contains(reason),
        format!("{seen}; logged: {}", reason_in(&line)),
    )
}

/// What a line of the log says of the error.
fn reason_in(line: &str) -> &str {
    line.split_once("error=").map_or(line, |(_, reason)| reason)
}

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
