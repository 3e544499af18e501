//! The first message of a client, which says what upstreams may ask of it.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{Line, Lines, Message};
use tokio::io::AsyncRead;

use crate::{
    dialect::{RequestKind, classify},
    limits::Limits,
    session::Client,
};

/// A client's first message, and the input after it.
pub(super) type First<R> = (Option<Line>, Lines<R>);

/// Reads the first message and introduces the client by what it declares.
pub(super) async fn read<R: AsyncRead + Unpin>(
    mut lines: Lines<R>,
    client: Arc<Client>,
    limits: Limits,
) -> std::io::Result<First<R>> {
    let line = lines.next().await;
    introduce(line.as_ref().ok().and_then(Option::as_ref), &client, &limits);
    Ok((line?, lines))
}

fn introduce(line: Option<&Line>, client: &Client, limits: &Limits) {
    if let Some(Line::Text(text)) = line
        && let Ok(Message::Request(request)) = Message::parse(text, limits.bounds().message_depth)
    {
        match classify(&request, limits) {
            Ok(RequestKind::Stateless(meta)) => return client.introduce(Era::Stateless, &meta.capabilities),
            Ok(RequestKind::Initialize) => return client.initializes(&request.params),
            _ => {}
        }
    }
    client.introduce(Era::Session, &RawObject::empty());
}
