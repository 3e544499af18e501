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
#[derive(Debug)]
pub(super) struct First<R> {
    pub(super) line: Option<Line>,
    pub(super) lines: Lines<R>,
}

impl<R: AsyncRead + Unpin> First<R> {
    /// Reads the first message and introduces the client by what it declares.
    pub(super) async fn read(
        mut lines: Lines<R>,
        client: Arc<Client>,
        limits: Limits,
    ) -> std::io::Result<Self> {
        let line = lines.next().await;
        let declared = Declared::of(line.as_ref().ok().and_then(Option::as_ref), &limits);
        declared.chain.into_iter().for_each(|chain| client.came_through(chain));
        declared.concerns.iter().for_each(|concerns| client.chose(concerns));
        client.introduce(declared.era, &declared.capabilities);
        Ok(Self { line: line?, lines })
    }
}

/// What a client's first message declares.
struct Declared {
    era: Era,
    capabilities: RawObject,
    /// The concerns that it chooses for its session, as JSON text.
    concerns: Option<String>,
    /// The gateways it came through, if it is a gateway.
    chain: Option<Chain>,
}

impl Declared {
    fn of(line: Option<&Line>, limits: &Limits) -> Self {
        let nothing =
            Self { era: Era::Session, capabilities: RawObject::empty(), concerns: None, chain: None };
        let message = line.and_then(|line| match line {
            Line::Text(text) => Message::parse(text, limits.bounds().message_depth).ok(),
            Line::TooLong(_) => None,
        });
        let Some(Message::Request(request)) = message else { return nothing };
        let (era, capabilities, concerns) =
            match check(&request, limits).and_then(|meta| classify(&request, meta)) {
                Ok(RequestKind::Stateless(meta)) => (Era::Stateless, meta.capabilities, None),
                Ok(RequestKind::Initialize) => {
                    let capabilities = request.params.object("capabilities").unwrap_or_default();
                    let offer = Offer::read(&capabilities).with_concerns(&request.params);
                    (Era::Session, capabilities, offer.settings.member("concerns").map(str::to_owned))
                }
                _ => return nothing,
            };
        Self { era, chain: Chain::read(&capabilities), capabilities, concerns }
    }
}
