//! The events of a response, each of limited size.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures::{Stream, StreamExt};
use reqwest::Response;
use sse_stream::{Error, Sse, SseStream};

use super::HttpError;
use crate::Bound;

/// The events of a response, until the server closes it or one cannot be read.
///
/// # Errors
/// [`HttpError::Broken`], [`HttpError::TooLong`] and [`HttpError::NotEvents`].
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
        Err(_) if unfinished.load(Ordering::Relaxed) > longest.most => Err(HttpError::TooLong(longest)),
        Err(error @ Error::Body(_)) => Err(HttpError::Broken { cause: error.to_string() }),
        Err(error) => Err(HttpError::NotEvents { cause: error.to_string() }),
    })
}
