//! The two ways in, as bytes: lines on a pipe, and POSTs.

use std::{net::SocketAddr, sync::Arc};

use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, ReadHalf};

use crate::{Reply, http, inbox::Inbox, soon};

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
