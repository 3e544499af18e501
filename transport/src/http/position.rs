//! Event streams: their events, each of limited size, and the position from which a stream is resumed (SEP-1699).

use std::{
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{Stream, StreamExt};
use reqwest::{RequestBuilder, Response, header::HeaderValue};
use sse_stream::{Error, Sse, SseStream};

use crate::{Bound, HttpError, Reason, headers::LAST_EVENT_ID};

/// Minimum delay before resuming, even if the server asks for none.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);

/// Maximum number of events remembered to detect duplicates.
const REMEMBERED: usize = 1024;

/// The position in an event stream, across the connections that carried it.
#[derive(Debug, Default)]
pub(super) struct StreamPosition {
    last: Option<HeaderValue>,
    retry: Option<Duration>,
    /// The number of the connection that is read.
    connection: u64,
    /// Hashes of id and data of the last events, and the numbers of the connections that delivered them.
    delivered: VecDeque<(u64, u64)>,
    hasher: RandomState,
}

impl StreamPosition {
    /// Whether the server sent an event id from which to resume.
    pub(super) fn can_be_resumed(&self) -> bool {
        self.last.is_some()
    }

    /// Whether the last connection delivered an event with an id.
    pub(super) fn has_delivered(&self) -> bool {
        self.delivered.back().is_some_and(|(_, connection)| *connection == self.connection)
    }

    /// Adds the position to a request; without one the stream starts from the beginning.
    pub(super) fn resuming(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.last {
            Some(last) => request.header(LAST_EVENT_ID, last),
            None => request,
        }
    }

    /// The delay before reconnecting that the server specified, if any.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry.map(|retry| retry.max(SHORTEST_WAIT))
    }

    /// Reads events until the server closes the stream. Events delivered by an earlier connection are
    /// skipped.
    ///
    /// # Errors
    /// See [`events`].
    pub(super) async fn read(
        &mut self,
        response: Response,
        longest: Bound,
        mut deliver: impl FnMut(&str),
    ) -> Result<(), HttpError> {
        self.connection += 1;
        let mut events = events(response, longest);
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => self.take(&event, &mut deliver),
                Err(error) => {
                    if !matches!(error, HttpError::Broken { .. }) {
                        // It would be sent again and fail again.
                        self.forget();
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Forgets the position: the next connection starts from the beginning.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    fn take(&mut self, event: &Sse, deliver: &mut impl FnMut(&str)) {
        if let Some(retry) = event.retry {
            self.retry = Some(Duration::from_millis(retry));
        }
        let data = event.data.as_deref().filter(|data| !data.trim().is_empty());
        if let Some(data) = data
            && self.is_new(event.id.as_deref(), data)
        {
            deliver(data);
        }
        if let Some(id) = &event.id {
            // An empty id resets the position.
            self.last = HeaderValue::from_bytes(id.as_bytes()).ok().filter(|id| !id.is_empty());
        }
    }

    /// Whether no earlier connection delivered this event. An event without an id is always new.
    fn is_new(&mut self, id: Option<&str>, data: &str) -> bool {
        let Some(id) = id else { return true };
        let hash = self.hasher.hash_one((id, data));
        let is_it = |(known, connection): &(u64, u64)| *known == hash && *connection != self.connection;
        if self.delivered.iter().any(is_it) {
            return false;
        }
        if self.delivered.len() == REMEMBERED {
            self.delivered.pop_front();
        }
        self.delivered.push_back((hash, self.connection));
        true
    }
}

/// The events of a response, until the server closes it or one cannot be read.
///
/// # Errors
/// [`HttpError::Broken`], or why the events cannot be read.
pub(super) fn events(
    response: Response,
    longest: Bound,
) -> impl Stream<Item = Result<Sse, HttpError>> + Send + Unpin {
    // The parser buffers an incomplete event without a limit of its own.
    let unfinished = Arc::new(AtomicUsize::new(0));
    let received = Arc::clone(&unfinished);
    let bounded = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        match received.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len() > longest.most {
            true => Err(std::io::Error::other("an event is too long")),
            false => Ok(chunk),
        }
    });
    SseStream::from_bytes_stream(bounded).map(move |event| match event {
        Ok(event) => {
            unfinished.store(0, Ordering::Relaxed);
            Ok(event)
        }
        Err(_) if unfinished.load(Ordering::Relaxed) > longest.most => Err(HttpError::too_long(longest)),
        Err(error @ Error::Body(_)) => Err(HttpError::Broken { cause: error.to_string() }),
        Err(error) => Err(HttpError::Other(
            Reason::from("sent an event stream that cannot be parsed").because(&error.to_string()),
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Bound = Bound { most: 64, setting: "test" };

    /// What each of these connections delivers, in order.
    async fn read(position: &mut StreamPosition, connections: &[&str]) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        for body in connections {
            let response = http::Response::new((*body).to_owned()).into();
            let mut delivered = Vec::new();
            position.read(response, LONGEST, |data| delivered.push(data.to_owned())).await.unwrap();
            all.push(delivered);
        }
        all
    }

    fn last(position: &StreamPosition) -> Option<&[u8]> {
        position.last.as_ref().map(HeaderValue::as_bytes)
    }

    #[tokio::test]
    async fn u5_the_last_whole_event_is_the_position_and_the_last_retry_the_wait() {
        let mut position = StreamPosition::default();
        read(&mut position, &["data: {}\n\n"]).await;
        assert!(!position.can_be_resumed() && position.retry().is_none());
        read(&mut position, &["id: a\nretry: 70\ndata: \n\n", "id: b\ndata: 1\n\nid: c\ndata: cut off"])
            .await;
        assert_eq!((last(&position), position.retry()), (Some(&b"b"[..]), Some(Duration::from_millis(70))));
        read(&mut position, &["retry: 0\ndata: 2\n\n"]).await;
        assert_eq!((last(&position), position.retry()), (Some(&b"b"[..]), Some(SHORTEST_WAIT)));
        read(&mut position, &["id: \ndata: 3\n\n"]).await;
        assert!(!position.can_be_resumed(), "an empty id takes the last one back");
    }

    #[tokio::test]
    async fn u5_what_an_earlier_connection_delivered_is_not_delivered_again() {
        let mut position = StreamPosition::default();
        let delivered = read(
            &mut position,
            &[
                "id: 1\ndata: a\n\nid: 1\ndata: a\n\n",
                "id: 1\ndata: a\n\nid: 1\ndata: other\n\ndata: a\n\nid: 2\ndata: b\n\n",
                "id: 2\ndata: b\n\nid: 1\ndata: a\n\nid: 3\ndata: c\n\n",
            ],
        )
        .await;
        assert_eq!(delivered, [vec!["a", "a"], vec!["other", "a", "b"], vec!["c"]]);
    }

    #[tokio::test]
    async fn u5_what_cannot_be_read_is_not_asked_for_again() {
        let long = format!("id: 9\ndata: broken {}\n\n", "x".repeat(200));
        for (unreadable, is_too_long) in [(long, true), ("broken\n\n".to_owned(), false)] {
            let mut position = StreamPosition::default();
            read(&mut position, &["id: a\n\n"]).await;
            let chunks = futures::stream::iter(unreadable.into_bytes())
                .map(|byte| Ok::<_, std::io::Error>(vec![byte]));
            let body = reqwest::Body::wrap_stream(chunks);
            let end = position.read(http::Response::new(body).into(), LONGEST, |_| unreachable!()).await;
            let error = end.unwrap_err();
            assert_eq!(error == HttpError::too_long(LONGEST), is_too_long, "{error:?}");
            assert!(!position.can_be_resumed(), "{error:?}");
        }
    }
}
