//! The deprecated HTTP+SSE transport (2024-11-05): everything that the server says arrives on one event stream,
//! whose first event names the URL to post messages to. When the stream ends, so does the connection.

use std::{borrow::Cow, sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use reqwest::Url;
use sse_stream::Sse;

use super::{Link, StreamPosition, position::events};
use crate::{HttpError, Reason};

/// Time-out for the event that names the URL, from the request for the stream on.
const NAMING: Duration = Duration::from_secs(20);

/// Maximum length of the URL.
const LONGEST_URL: usize = 8192;

/// Why an event stream is not that of HTTP+SSE.
const SILENT: &str = "did not name its URL for messages (event 'endpoint') within 20 seconds";
const CLOSED: &str = "closed its event stream before the URL for messages was named (event 'endpoint')";
const OTHER_EVENT: &str =
    "opened an event stream that does not begin with the event 'endpoint', so it is not HTTP+SSE";

/// Why the URL for messages cannot be used.
const NO_URL: HttpError = HttpError::UnusableEndpoint(Cow::Borrowed(
    "no valid URL of at most 8192 bytes for messages (event 'endpoint')",
));

impl Link {
    /// The URL to post messages to by HTTP+SSE. The event stream that names it is opened once, and read until it
    /// ends.
    pub(super) async fn messages(self: &Arc<Self>) -> Result<&Url, HttpError> {
        let url = self.messages.get_or_try_init(|| self.open_events()).await?;
        self.connection.note_sse();
        Ok(url)
    }

    async fn open_events(self: &Arc<Self>) -> Result<Url, HttpError> {
        let opening = async {
            let response = self.open_stream(&StreamPosition::default()).await?;
            let url = response.url().clone();
            let mut events = events(response, self.connection.bounds().message_bytes);
            let endpoint = first(&mut events).await?;
            Ok((self.named(&url, &endpoint)?, events))
        };
        let opened: Result<_, HttpError> =
            tokio::time::timeout(NAMING, opening).await.unwrap_or_else(|_| Err(other(SILENT)));
        let (url, events) = opened?;
        let (link, closing) = (Arc::clone(self), self.connection.closing().clone());
        tokio::spawn(closing.run_until_cancelled_owned(async move {
            let reason = link.read_all(events).await;
            link.connection.end(reason);
        }));
        Ok(url)
    }

    /// The URL that an `endpoint` event names, seen from the stream's own. It must be of the same origin, and the
    /// credentials in it are those of the stream.
    fn named(&self, stream: &Url, endpoint: &str) -> Result<Url, HttpError> {
        let endpoint = Some(endpoint.trim()).filter(|text| !text.is_empty() && text.len() <= LONGEST_URL);
        let mut url = endpoint.and_then(|endpoint| stream.join(endpoint).ok()).ok_or(NO_URL)?;
        if url.origin() != self.endpoint.url.origin() {
            let origin = url.origin().ascii_serialization();
            let what = format!(
                "a URL for messages (event 'endpoint') of another origin, {origin}, which is not used"
            );
            return Err(HttpError::UnusableEndpoint(what.into()));
        }
        let credentials = url.set_username(self.endpoint.url.username());
        credentials.and_then(|()| url.set_password(self.endpoint.url.password())).map_err(|()| NO_URL)?;
        Ok(url)
    }

    /// Processes messages until the stream ends, and returns why it did.
    async fn read_all(&self, mut events: impl Stream<Item = Result<Sse, HttpError>> + Unpin) -> Reason {
        while let Some(event) = events.next().await {
            match event {
                Ok(Sse { event, data: Some(data), .. }) if is_message(event.as_deref(), &data) => {
                    self.connection.receive(data.as_bytes(), None);
                }
                Ok(_) => {}
                Err(error) => {
                    return Reason::new(format!("its event stream failed: it {error}"))
                        .because(error.detail());
                }
            }
        }
        "it closed its event stream".into()
    }
}

fn other(why: &'static str) -> HttpError {
    HttpError::Other(why.into())
}

fn is_message(event: Option<&str>, data: &str) -> bool {
    matches!(event, None | Some("" | "message")) && !data.trim().is_empty()
}

/// The data of the first event, which must be `endpoint`.
async fn first(
    events: &mut (impl Stream<Item = Result<Sse, HttpError>> + Unpin),
) -> Result<String, HttpError> {
    loop {
        match events.next().await.ok_or_else(|| other(CLOSED))?? {
            Sse { event: Some(event), data, .. } if event == "endpoint" => {
                return Ok(data.unwrap_or_default());
            }
            // By the standard of event streams, an event without data is not dispatched: it sets an id, or the time to wait.
            Sse { data: Some(data), .. } if !data.trim().is_empty() => {
                return Err(other(OTHER_EVENT));
            }
            _ => {}
        }
    }
}
