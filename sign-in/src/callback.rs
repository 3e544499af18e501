//! Where the browser comes back to: a listener on this machine, for one answer.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    extract::{Query, State},
    http::{StatusCode, Uri},
    response::Html,
    routing::get,
};
use reqwest::Url;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::{net::TcpListener, sync::mpsc};

use crate::{Error, error::short};

const PATH: &str = "/callback";

const DONE: &str = "<!doctype html><meta charset=utf-8><title>mcp-disclosure</title><p>You are back. \
                    This page can be closed; the terminal says how it went.";

const STRANGE: &str = "<!doctype html><meta charset=utf-8><title>mcp-disclosure</title><p>This is not the page that \
                       mcp-disclosure waits for.";

/// What an authorization server answers through the browser.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub(crate) code: Option<String>,
    pub(crate) state: Option<String>,
    /// The issuer (RFC 9207).
    pub(crate) iss: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) error_description: Option<String>,
}

/// Omits everything: it is as good as a token.
impl std::fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Answer")
    }
}

impl Answer {
    /// The answer in the URL that a browser elsewhere came back to, for the attempt with this [`state`](crate::Begun::state).
    ///
    /// # Errors
    /// [`Error::Pasted`] if it is no such URL.
    pub fn pasted(url: &str, state: &str) -> Result<Self, Error> {
        let url: Option<Uri> = Url::parse(url.trim()).ok().and_then(|url| url.as_str().parse().ok());
        let url = url.ok_or(Error::Pasted("what was pasted is not a URL"))?;
        match Query::<Self>::try_from_uri(&url) {
            Ok(Query(answer)) if answer.has_state(state) => Ok(answer),
            _ => Err(Error::Pasted("the URL that was pasted is not of this attempt")),
        }
    }

    /// The code, and the issuer if it is named.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the authorization server says instead.
    pub(crate) fn code(self) -> Result<(String, Option<String>), Error> {
        match (self.code, self.error) {
            (Some(code), None) => Ok((code, self.iss)),
            (_, code) => Err(Error::Refused {
                code: short(&code.unwrap_or_else(|| "nothing".to_owned())),
                description: self
                    .error_description
                    .map(|text| format!(": {}", short(&text)))
                    .unwrap_or_default(),
            }),
        }
    }

    fn has_state(&self, expected: &str) -> bool {
        let state = self.state.as_deref().unwrap_or_default();
        bool::from(state.as_bytes().ct_eq(expected.as_bytes()))
    }
}

/// A listener that has no answer yet.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens on this port of the loopback address; 0 chooses a free one.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub(crate) async fn open(port: u16) -> Result<Self, Error> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let opened = async {
            let listener = TcpListener::bind(address).await?;
            Ok(Self { address: listener.local_addr()?, listener })
        };
        opened.await.map_err(|source| Error::Listen { address, source })
    }

    /// The URL that browsers are sent back to.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the answer with this state; others are turned away.
    pub(crate) async fn answer(self, state: String) -> Answer {
        let (sender, mut answers) = mpsc::channel(1);
        let shared = Arc::new((state, sender));
        let router = Router::new().route(PATH, get(receive)).with_state(shared);
        // The listener is closed when this ends or is dropped; connections end by themselves, with their page.
        tokio::select! {
            answer = answers.recv() => answer.unwrap_or_default(),
            _never = axum::serve(self.listener, router).into_future() => Answer::default(),
        }
    }
}

type Shared = Arc<(String, mpsc::Sender<Answer>)>;

async fn receive(
    State(shared): State<Shared>,
    Query(answer): Query<Answer>,
) -> (StatusCode, Html<&'static str>) {
    let (state, sender) = &*shared;
    if !answer.has_state(state) {
        return (StatusCode::BAD_REQUEST, Html(STRANGE));
    }
    // A second one with the same state, such as a page that is loaded again, changes nothing.
    let _second = sender.try_send(answer);
    (StatusCode::OK, Html(DONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a6_only_an_answer_of_this_attempt_is_taken() {
        let pasted = |url: &str| Answer::pasted(url, "s").and_then(Answer::code);
        let taken =
            pasted(" http://127.0.0.1:1/callback?code=c&state=s&iss=https%3A%2F%2Fa.example \n").unwrap();
        assert_eq!(taken, ("c".to_owned(), Some("https://a.example".to_owned())));
        for url in [
            "c",
            "http://127.0.0.1/?code=c",
            "http://127.0.0.1/?code=c&state=t",
            "http://127.0.0.1/?code=c&state=",
        ] {
            assert!(matches!(pasted(url), Err(Error::Pasted(_))), "{url}");
        }
        let refused =
            pasted("http://h/?error=access_denied&error_description=no%0Aluck&state=s").unwrap_err();
        assert!(refused.to_string().contains("access_denied: no"), "{refused}");
        assert!(matches!(pasted("http://h/?state=s"), Err(Error::Refused { .. })));
    }
}
