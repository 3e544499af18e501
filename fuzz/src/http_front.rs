//! Conversations over HTTP, with a gateway in this process: whatever is sent, every request is answered,
//! and answered in a way that makes sense.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{body::Body, http::header};
use http_body_util::BodyExt;
use tokio::{
    task::{AbortHandle, JoinHandle},
    time::timeout,
};

use crate::{
    answer::{self, Events},
    bench::{Bench, settle},
    script::{Goes, Memory, Sent, requests},
};

/// Requests of one conversation.
const MOST_REQUESTS: usize = 8;
/// Every answer begins within this time, and every body but an event stream ends within it. The gateway's
/// own patience, with bodies and upstreams, is less. It costs nothing: the clock goes on only when nothing
/// else can be done.
const PATIENCE: Duration = Duration::from_secs(100);
/// An event stream that is silent for so long is not waited for.
const SILENCE: Duration = Duration::from_secs(1);

/// Holds the conversation.
///
/// # Panics
/// Where a property does not hold.
pub fn check(input: &[u8]) {
    let bench = Bench::of_all();
    bench.run(Client::default().converse(bench, input));
}

/// One client, and what it has not read to the end yet.
#[derive(Default)]
struct Client {
    memory: Arc<Mutex<Memory>>,
    streams: Arc<Mutex<Vec<AbortHandle>>>,
    concurrent: bool,
}

impl Client {
    async fn converse(mut self, bench: &'static Bench, input: &[u8]) {
        let (mut awaited, mut abandoned) = (Vec::new(), Vec::new());
        for text in requests(input).take(MOST_REQUESTS) {
            let Some(sent) = Sent::read(&lock(&self.memory).fill(&text)) else { continue };
            let goes = sent.goes;
            self.concurrent |= goes != Goes::Answered;
            let exchange = tokio::spawn(self.exchange(bench, sent));
            match goes {
                Goes::Answered => exchange.await.expect("an exchange"),
                Goes::On => awaited.push(exchange),
                Goes::Away => abandoned.push(exchange),
            }
            settle().await;
        }
        abandoned.iter().for_each(JoinHandle::abort);
        for exchange in awaited {
            exchange.await.expect("an exchange");
        }
        bench.end_sessions();
        settle().await;
        lock(&self.streams).drain(..).for_each(|stream| stream.abort());
        bench.is_at_rest().await;
    }

    /// Sends a request and reads its answer, or the beginning of it.
    fn exchange(&self, bench: &'static Bench, sent: Sent) -> impl Future<Output = ()> + use<> {
        let (memory, streams) = (Arc::clone(&self.memory), Arc::clone(&self.streams));
        let concurrent = self.concurrent;
        async move {
            let response = timeout(PATIENCE, bench.send(&sent)).await.expect("an answer in time");
            let (head, body) = response.into_parts();
            if let Some(id) = answer::opened(bench, &sent, &head) {
                lock(&memory).session = id;
            }
            let kind = head.headers.get(header::CONTENT_TYPE);
            if kind.is_some_and(|kind| kind == "text/event-stream") {
                let events = Events::new(&sent, &head);
                let reading = tokio::spawn(read(body, events, memory));
                lock(&streams).push(reading.abort_handle());
                // A stream that stays silent is read on while the client goes on.
                let _silent = timeout(SILENCE, reading).await;
            } else {
                let body = timeout(PATIENCE, body.collect()).await.expect("a whole body in time");
                let body = body.expect("a whole body").to_bytes();
                answer::check(bench, &sent, &head, &body, concurrent);
                lock(&memory).learn(&body);
            }
        }
    }
}

/// Reads an event stream to its end.
async fn read(mut body: Body, mut events: Events, memory: Arc<Mutex<Memory>>) {
    while let Some(frame) = body.frame().await {
        let frame = frame.expect("a frame").into_data().expect("data");
        events.take(&frame);
        lock(&memory).learn(&frame);
    }
    events.end();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
