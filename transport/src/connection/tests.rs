//! Connections to byte streams controlled by the tests.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::RawObject;
use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
    time::Instant,
};

use crate::{Bound, Bounds, Call, CallError, Connection, Handler, RequestId, Settled, streams};

const BOUND: Bound = Bound { most: 2_000, setting: "test.bytes" };

/// Never elapses in practice while the clock runs.
const LONG: Duration = Duration::from_secs(600);

#[derive(Debug, Default)]
pub(crate) struct Owner(Mutex<Vec<(RequestId, Settled)>>);

impl Handler for Owner {
    fn name(&self) -> String {
        "test".to_owned()
    }

    fn settled(&self, request: RequestId, how: Settled) {
        self.0.lock().push((request, how));
    }
}

pub(crate) fn bounds() -> Bounds {
    Bounds {
        message_bytes: BOUND,
        message_depth: Bound { most: 8, setting: "test.depth" },
        batch_messages: Bound { most: 3, setting: "test.batch" },
        queue_bytes: BOUND,
        queue_share_bytes: BOUND,
        stderr_lines: BOUND.most,
        stderr_characters: 100,
        resume_wait: LONG,
    }
}

/// A connection, its owner, and the server's end.
fn connected() -> (Arc<Connection>, Arc<Owner>, DuplexStream) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(near);
    let owner = Arc::new(Owner::default());
    (streams::connect(input, output, owner.clone(), bounds()), owner, far)
}

async fn request(connection: &Arc<Connection>, method: &str, timeout: Duration) -> Result<String, CallError> {
    let call = connection.call(method, RawObject::empty());
    let result = Arc::clone(connection).request(call, timeout).await;
    result.map(|result| result.as_str().to_owned())
}

async fn line(server: &mut DuplexStream) -> String {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        line.push(server.read_u8().await.unwrap());
    }
    String::from_utf8(line).unwrap()
}

async fn say(server: &mut DuplexStream, line: &str) {
    server.write_all(format!("{line}\n").as_bytes()).await.unwrap();
}

#[tokio::test]
async fn p7_requests_for_nobody_have_one_share_together() {
    let (near, _far) = tokio::io::duplex(1);
    let (input, output) = tokio::io::split(near);
    let share = Bound { most: 1_000, setting: "test.share" };
    let bounds = Bounds { queue_share_bytes: share, ..bounds() };
    let connection = streams::connect(input, output, Arc::new(Owner::default()), bounds);
    let asked = |owner: Option<&str>| {
        let call = Call { owner: owner.map(Arc::from), ..connection.call("m", RawObject::empty()) };
        Box::pin(Arc::clone(&connection).request(call, LONG))
    };
    let mut waiting = Vec::new();
    let refused = loop {
        let mut request = asked(None);
        match futures::poll!(&mut request) {
            std::task::Poll::Pending => waiting.push(request),
            std::task::Poll::Ready(result) => break result.map(drop).unwrap_err().to_string(),
        }
    };
    assert!(!waiting.is_empty() && refused.contains("(test.share)"), "{refused}");
    assert!(futures::poll!(asked(Some("a client"))).is_pending(), "a client has its own");
}

#[tokio::test]
async fn requests_that_are_dropped_are_cancelled_but_for_initialize() {
    let (connection, owner, mut server) = connected();
    for (method, id) in [("initialize", "1"), ("tools/call", "2")] {
        let mut request = Box::pin(request(&connection, method, LONG));
        assert!(futures::poll!(&mut request).is_pending());
        assert!(line(&mut server).await.contains(&format!(r#""id":{id},"method":"{method}""#)));
    }
    let cancelled = line(&mut server).await;
    assert!(cancelled.contains(r#""notifications/cancelled","params":{"requestId":2}"#), "{cancelled}");
    say(&mut server, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    say(&mut server, r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#).await;
    assert!(line(&mut server).await.contains(r#""id":"q","result":{}"#));
    let late =
        [(RequestId(1), Settled::GivenUp), (RequestId(2), Settled::GivenUp), (RequestId(2), Settled::Late)];
    assert_eq!(*owner.0.lock(), late);
}

#[tokio::test(start_paused = true)]
async fn a_time_out_starts_anew_with_each_progress_notification() {
    let (connection, _owner, mut server) = connected();
    let started = Instant::now();
    let progress = async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(7)).await;
            let token = r#"{"progressToken":1,"progress":1}"#;
            let notification =
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{token}}}"#);
            say(&mut server, &notification).await;
        }
    };
    let (result, ()) = tokio::join!(request(&connection, "m", Duration::from_secs(10)), progress);
    assert!(matches!(result, Err(CallError::TimedOut { waited }) if waited == Duration::from_secs(10)));
    assert_eq!(started.elapsed().as_secs(), 31);
}

#[tokio::test]
async fn u7_a_batch_is_as_many_messages_in_the_revision_that_has_batches_alone() {
    let answer = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    for (revision, has_batches) in [("2025-03-26", true), ("2025-06-18", false)] {
        let (connection, _owner, mut server) = connected();
        connection.negotiated(revision);
        let batch = format!("[{},{}]", answer(2), answer(1));
        let answering = async { say(&mut server, &batch).await };
        let (first, second, ()) =
            tokio::join!(request(&connection, "m", LONG), request(&connection, "m", LONG), answering);
        for result in [first, second] {
            assert_eq!(result.is_ok(), has_batches, "{revision}: {result:?}");
        }
    }
}

#[tokio::test]
async fn p8_what_was_written_before_a_server_ended_is_read_and_half_a_message_is_none() {
    for (written, ended) in [
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", None),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", None),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"resu", Some("has ended: it closed its input or output")),
    ] {
        let ((input, mut said), (heard, output)) = (tokio::io::duplex(64), tokio::io::duplex(64));
        let connection = streams::connect(input, output, Arc::new(Owner::default()), bounds());
        drop(heard);
        let mut waiting = Box::pin(request(&connection, "m", LONG));
        assert!(futures::poll!(&mut waiting).is_pending());
        // The request cannot be written, which the connection finds out first.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        said.write_all(written.as_bytes()).await.unwrap();
        drop(said);
        assert_eq!(waiting.await.err().map(|error| error.to_string()).as_deref(), ended, "{written}");
    }
}
