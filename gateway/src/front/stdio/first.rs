//! The first message of a client, which says what upstreams may ask of it.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{Line, Lines, Message};
use tokio::io::AsyncRead;

use crate::{
    dialect::{Offer, RequestKind, check, classify},
    limits::Limits,
    lineage::Chain,
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
    let declared = line.as_ref().ok().and_then(|line| declared(line.as_ref()?, &client, &limits));
    let (era, capabilities) = declared.unwrap_or_else(|| (Era::Session, RawObject::empty()));
    client.introduce(era, &capabilities);
    Ok((line?, lines))
}

/// The era and the capabilities that a client's first message declares. Which gateways it came through and which concerns it chooses
/// is noted; `None` if it is no such message.
fn declared(line: &Line, client: &Client, limits: &Limits) -> Option<(Era, RawObject)> {
    let Line::Text(text) = line else { return None };
    let Ok(Message::Request(request)) = Message::parse(text, limits.bounds().message_depth) else {
        return None;
    };
    let (era, capabilities) = match classify(&request, check(&request, limits).ok()?).ok()? {
        RequestKind::Stateless(meta) => (Era::Stateless, meta.capabilities),
        RequestKind::Initialize => {
            let capabilities = request.params.object("capabilities").unwrap_or_default();
            let offer = Offer::read(&capabilities).with_concerns(&request.params);
            offer.settings.member("concerns").into_iter().for_each(|concerns| client.chose(concerns));
            (Era::Session, capabilities)
        }
        RequestKind::Session => return None,
    };
    Chain::read(&capabilities).into_iter().for_each(|chain| client.came_through(chain));
    Some((era, capabilities))
}
