//! A connection to the gateway of which a test decides every byte.

use std::time::Duration;

use kit::{Bench, Client, soon};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// So long, on a clock that is stopped, is longer than any time-out of the gateway.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// Without this line a request is not the last on its connection.
pub(crate) const CLOSE: &str = "Connection: close\r\n";

/// A connection to the gateway.
#[derive(Debug)]
pub(crate) struct Socket(TcpStream);

impl Socket {
    /// Connects.
    pub(crate) async fn open(bench: &Bench) -> Self {
        let stream = soon("a connection", TcpStream::connect(bench.address)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    /// Connects and says this.
    pub(crate) async fn sending(bench: &Bench, bytes: impl AsRef<[u8]>) -> Self {
        let mut socket = Self::open(bench).await;
        socket.write(bytes).await;
        socket
    }

    /// Says this; a gateway that has hung up misses it.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let _hung_up = soon("writing", self.0.write_all(bytes.as_ref())).await;
    }

    /// Says all of this, to a gateway that hears it.
    pub(crate) async fn write_all(&mut self, bytes: impl AsRef<[u8]>) {
        soon("writing", self.0.write_all(bytes.as_ref())).await.unwrap();
    }

    /// Hears until these words have come, and no further than the piece they come in.
    pub(crate) async fn read_until(&mut self, words: &str) -> String {
        let mut heard = Vec::new();
        let hearing = async {
            while !String::from_utf8_lossy(&heard).contains(words) {
                let read = self.0.read_buf(&mut heard).await.unwrap();
                assert!(read > 0, "it ended before {words:?}: {}", String::from_utf8_lossy(&heard));
            }
        };
        soon(words, hearing).await;
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// All that comes until the gateway closes. A connection that breaks is closed, too.
    pub(crate) async fn rest(&mut self) -> String {
        self.rest_within(kit::PATIENCE).await
    }

    /// The same, if it takes no longer.
    pub(crate) async fn rest_within(&mut self, time: Duration) -> String {
        let mut heard = Vec::new();
        let reading = async { while self.0.read_buf(&mut heard).await.is_ok_and(|read| read > 0) {} };
        tokio::time::timeout(time, reading).await.expect("the gateway closes the connection");
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// Goes away without a farewell.
    pub(crate) fn reset(self) {
        self.0.set_zero_linger().unwrap();
    }
}

/// A request of this client as bytes, the last on its connection.
pub(crate) fn post(client: &Client, id: &str, method: &str, params: Value) -> String {
    let params = client.complete(params);
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
    let head = head("POST", client, method, &params);
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// The head of a request of this client, the last on its connection; headers can be added.
pub(crate) fn head(verb: &str, client: &Client, method: &str, params: &Value) -> String {
    let headers = client.headers_for(method, params);
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{verb} /mcp HTTP/1.1\r\nHost: localhost\r\n{CLOSE}{headers}")
}

/// The messages in an answer that is an event stream, whatever frames it.
pub(crate) fn messages(answer: &str) -> Vec<Value> {
    let lines = answer.lines().filter_map(|line| line.strip_prefix("data: "));
    // An event without data brings an id and nothing else.
    lines.filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}
