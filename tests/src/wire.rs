//! The two ways in, as bytes: lines on a pipe, and POSTs.

use std::{net::SocketAddr, sync::Arc};

use mcp_disclosure_gateway::{dispatch::Gateway, front::stdio::Stdio};
use tokio::{
    io::{AsyncBufReadExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    sync::oneshot,
};

use crate::{Reply, http, inbox::Inbox, soon};

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
    let answer = soon("the head of an answer", sending).await.unwrap();
    Reply::read(answer, inbox).await.unwrap()
}
