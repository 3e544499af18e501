//! The two ways in, as bytes: lines on a pipe, and POSTs.

use std::{net::SocketAddr, sync::Arc};

use mcp_disclosure_gateway::{dispatch::Gateway, front::stdio::Stdio};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    sync::oneshot,
};

use crate::{
    Reply,
    http::{self, Events},
    inbox::Inbox,
    soon,
};

/// Serves on a thread of its own, as the program does on its main one: the front's future is not `Send`.
pub(crate) fn serve_apart(
    gateway: Arc<Gateway>,
    input: ReadHalf<DuplexStream>,
    output: WriteHalf<DuplexStream>,
) -> oneshot::Receiver<Result<(), mcp_disclosure_gateway::Error>> {
    let (done, served) = oneshot::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let serving = async { Stdio::new(input, output, gateway.limits()).serve(&gateway).await };
        // A test that is over does not wait for it.
        let _over = done.send(runtime.block_on(serving));
    });
    served
}

pub(crate) async fn read_lines(input: ReadHalf<DuplexStream>, inbox: Arc<Inbox>) {
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        inbox.put(line);
    }
}

pub(crate) async fn post(
    address: SocketAddr,
    path: &str,
    headers: &[(String, String)],
    body: &[u8],
    inbox: &Inbox,
) -> Reply {
    let sending = http::send(address, "POST", path, headers, body);
    let mut answer = soon("the head of an answer", sending).await.unwrap();
    let [session, retry_after] =
        ["mcp-session-id", "retry-after"].map(|name| answer.header(name).map(str::to_owned));
    let status = Some(answer.status);
    let mut messages = Vec::new();
    if answer.header("content-type") == Some("text/event-stream") {
        let mut events = Events::default();
        while let Ok(Some(piece)) = answer.piece().await {
            for message in events.take(&piece) {
                inbox.put(message.clone());
                messages.push(message);
            }
        }
    } else {
        let text = answer.rest().await.unwrap();
        inbox.put(text.clone());
        messages.push(text);
    }
    let is_answer =
        |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|message| message.get("method").is_none());
    let text = messages.pop_if(|last| is_answer(last));
    let notifications = messages.iter().filter_map(|message| serde_json::from_str(message).ok()).collect();
    Reply { status, session, retry_after, notifications, text }
}
