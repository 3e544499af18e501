//! The stdio front: one client, one message per line.
//!
//! One connection may use both eras: `initialize` opens its session, other requests may be stateless.

mod streams;

use std::{io::ErrorKind, sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{
    ErrorText, Id, Json, Line, Lines, Message, Notification, Request, Response, code,
};
use streams::{StandardStreams, standard_streams};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    task::JoinSet,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::{
    backend::Scope,
    dialect::{RequestKind, classify},
    dispatch::{Assembly, Caller, Gateway, ServedSession, unfinished},
    error::Error,
    limits::Limits,
    session::{Address, Client, Frames, InFlight, Opening, Outlet, Peer, Place, Queued},
};

/// How long running calls may take to finish, and then their responses to be read: after the end of input, where a script
/// may wait for them.
const AT_THE_END: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(2));

/// The same at a shutdown: hosts kill a program that has not ended two seconds after SIGTERM.
const AT_SHUTDOWN: (Duration, Duration) = (Duration::from_millis(1_200), Duration::from_millis(300));

/// A client on its streams. Its first message is read at once, since it declares what upstreams may request of the
/// client: those that are served to it [alone](Self::alone) are sent `initialize` only then.
#[derive(Debug)]
pub struct Stdio<R> {
    /// Reads the first message.
    first: AbortOnDropHandle<std::io::Result<First<R>>>,
    client: Arc<Client>,
    peer: Peer,
    outlet: Outlet,
    writing: AbortOnDropHandle<std::io::Result<()>>,
    hung_up: CancellationToken,
}

impl Stdio<Box<dyn AsyncRead + Unpin + Send>> {
    /// The client on the process's standard streams.
    ///
    /// # Errors
    /// [`Error::Io`] if they cannot be opened.
    pub fn on_standard_streams(limits: &Limits) -> Result<Self, Error> {
        let streams = standard_streams()
            .map_err(|source| Error::Io { what: "cannot open stdin and stdout", source })?;
        let StandardStreams { input, output, reader_gone } = streams;
        let client = Self::new(input, output, limits);
        let hung_up = client.hung_up.clone();
        tokio::spawn(async move {
            reader_gone.await;
            hung_up.cancel();
        });
        Ok(client)
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Stdio<R> {
    /// A client on these streams. Must be called within a runtime.
    pub fn new(input: R, output: impl AsyncWrite + Unpin + Send + 'static, limits: &Limits) -> Self {
        let peer = Peer::new("stdio", limits);
        let (outlet, frames) = Outlet::new(&peer, limits);
        let hung_up = CancellationToken::new();
        let writing = AbortOnDropHandle::new(tokio::spawn(write(output, frames, hung_up.clone())));
        let client = Arc::new(Client::unknown());
        let first = first(Lines::new(input, limits.message_bytes), Arc::clone(&client), *limits);
        let first = AbortOnDropHandle::new(tokio::spawn(first));
        Self { first, client, peer, outlet, writing, hung_up }
    }

    /// Adapts the assembly of a gateway that serves only this client, so that its upstreams are dedicated and
    /// may send requests to it.
    pub fn alone(&self, assembly: Assembly) -> Assembly {
        Assembly { client: Some(Arc::clone(&self.client)), scope: Scope::Shared, ..assembly }
    }

    /// Serves the client until its input ends or the gateway shuts down. Running calls finish first.
    ///
    /// Upstreams may send requests to it (elicitation, sampling, roots) if the gateway was started for it
    /// [`alone`](Self::alone), or has dedicated upstreams for each session ([`Scope::Session`]); not if
    /// clients share upstreams ([`Scope::Shared`]).
    ///
    /// # Errors
    /// [`Error::Io`] if the input cannot be read, or the output cannot be written. That its reader is gone is the end of
    /// the client, and no error.
    pub async fn serve(self, gateway: &Arc<Gateway>) -> Result<(), Error> {
        let client = Arc::clone(&self.client);
        let mut connection = Connection {
            gateway: Arc::clone(gateway),
            peer: self.peer,
            session: None,
            client: self.client,
            in_flight: InFlight::default(),
            listening: InFlight::default(),
            outlet: self.outlet,
            running: JoinSet::new(),
            hung_up: self.hung_up,
        };
        let (shutdown, hung_up) = (gateway.shutdown(), connection.hung_up.clone());
        let read = tokio::select! {
            biased;
            () = shutdown.cancelled() => Ok(()),
            () = hung_up.cancelled() => Ok(()),
            read = connection.serve(self.first) => read,
        };
        connection.finish().await;
        drop(connection);
        client.close();
        // Every holder of the outlet is gone, so the writer finishes, if the client still reads.
        tokio::select! {
            written = self.writing => if let Ok(Err(source)) = written {
                return Err(Error::Io { what: "cannot write stdout", source });
            },
            () = over(shutdown, AT_THE_END.1, AT_SHUTDOWN.1) => {}
        }
        read.map_err(|source| Error::Io { what: "cannot read stdin", source })
    }
}

struct Connection {
    gateway: Arc<Gateway>,
    peer: Peer,
    session: Option<Arc<ServedSession>>,
    client: Arc<Client>,
    in_flight: InFlight,
    /// Streams that end with the connection, unlike calls, which may finish.
    listening: InFlight,
    outlet: Outlet,
    running: JoinSet<()>,
    hung_up: CancellationToken,
}

impl Connection {
    /// Takes one line after the other, until the input ends.
    async fn serve<R: AsyncRead + Unpin>(
        &mut self,
        first: AbortOnDropHandle<std::io::Result<First<R>>>,
    ) -> std::io::Result<()> {
        // Else the runtime is shutting down.
        let Ok(first) = first.await else { return Ok(()) };
        let (mut line, mut lines) = first?;
        while let Some(next) = line {
            self.take(next).await;
            // Completed tasks are removed as they finish.
            while self.running.try_join_next().is_some() {}
            // While the client does not read its responses, its requests are not read either, since the responses would
            // fill memory.
            self.outlet.room().await;
            line = lines.next().await?;
        }
        Ok(())
    }

    async fn take(&mut self, line: Line) {
        let limits = self.gateway.limits();
        let (bytes, parsed) = match line {
            Line::Text(text) => (text.len(), Message::from_client(&text, limits.bounds().message_depth)),
            Line::TooLong(bytes, seen) => {
                let most = limits.message_bytes;
                let message =
                    format!("the message has {bytes} bytes; at most {most} are read (limits.message_bytes)");
                (bytes, seen.refuse(ErrorText::new(code::INVALID_REQUEST, message)))
            }
        };
        match parsed {
            Err(refused) => self.outlet.answer(&refused).await,
            Ok(Message::Request(request)) => match self.peer.request(bytes) {
                Ok(place) => self.request(request, place).await,
                Err(refused) => self.answer(request.id, Err(refused)).await,
            },
            Ok(Message::Notification(notification)) => self.handle_notification(&notification).await,
            Ok(Message::Response(response)) => self.client.settle(response),
        }
    }

    /// Starts a request; `place` is its reservation of memory.
    async fn request(&mut self, request: Request, place: Place) {
        let caller = match self.caller(&request).await {
            Ok(Some(caller)) => caller,
            Ok(None) => return,
            Err(error) => return self.answer(request.id, Err(error)).await,
        };
        let requests =
            if request.method == "subscriptions/listen" { &self.listening } else { &self.in_flight };
        let ticket = match requests.begin(&request.id) {
            Ok(ticket) => ticket,
            Err(refused) => {
                return self.answer(request.id, Err(ErrorText::new(code::INVALID_REQUEST, refused))).await;
            }
        };
        let mut work = Box::pin(Arc::clone(&self.gateway).serve(caller, Some(ticket), request, place));
        // The first step runs before the next line is read: requests sent without waiting (a fetch, then the
        // call it authorizes) are decided in order, and those that need no upstream are answered without a
        // task.
        if futures::poll!(work.as_mut()).is_pending() {
            self.running.spawn(work);
        }
    }

    /// The caller of this request; `None` for `initialize`, which is answered before anything overtakes it.
    async fn caller(&mut self, request: &Request) -> Result<Option<Caller>, ErrorText> {
        match classify(request, self.gateway.limits())? {
            RequestKind::Stateless(meta) => {
                let (admitted, outlet) = (self.gateway.admit_on_stdio(), self.outlet.clone());
                self.gateway
                    .stateless(&Address::default(), request, &meta, admitted, &self.peer, outlet)
                    .await
                    .map(Some)
            }
            RequestKind::Initialize => {
                self.initialize(request).await?;
                Ok(None)
            }
            RequestKind::Session => match &self.session {
                Some(session) => {
                    let (admitted, outlet) = (self.gateway.admit_on_stdio(), self.outlet.clone());
                    Ok(Some(self.gateway.in_session(session, admitted, outlet)))
                }
                None if request.method == "ping" => {
                    self.answer(request.id.clone(), Ok(Json::empty_object())).await;
                    Ok(None)
                }
                None => Err(ErrorText::invalid_params(format_args!(
                    "{}: no session is open. Send initialize first, or params._meta as of 2026-07-28",
                    request.method
                ))),
            },
        }
    }

    async fn initialize(&mut self, request: &Request) -> Result<(), ErrorText> {
        if self.session.is_some() {
            return Err(ErrorText::new(code::INVALID_REQUEST, "this connection is already initialized"));
        }
        let principal = self.gateway.admission().on_stdio();
        // Dedicated upstreams are sent the capabilities of its first message.
        if self.gateway.backends().shared().client().is_none() {
            self.client = Arc::new(Client::unknown());
        }
        let (address, client) = (Address::default(), Arc::clone(&self.client));
        let opening = Opening { principal, address, client, peer: self.peer.clone() };
        let (session, result) = self.gateway.sessions().open(&request.params, opening).await?;
        self.answer(request.id.clone(), Ok(result)).await;
        session.client.outbox().open(self.outlet.clone());
        self.session = Some(session);
        Ok(())
    }

    async fn handle_notification(&self, notification: &Notification) {
        if notification.method == "notifications/cancelled" {
            if let Some(id) = notification.params.member("requestId").and_then(Id::parse) {
                self.in_flight.cancel(&id);
                self.listening.cancel(&id);
            }
        } else if let Some(session) = &self.session {
            // Its session is in no store.
            drop(self.gateway.sessions().handle_notification(session, notification).await);
        }
    }

    async fn answer(&self, id: Id, outcome: Result<Json, ErrorText>) {
        self.outlet.answer(&Response::new(id, outcome)).await;
    }

    /// Waits for running calls, if the client still reads, and closes endless streams.
    async fn finish(&mut self) {
        let all_done = async { while self.running.join_next().await.is_some() {} };
        // At a shutdown of the gateway they end by themselves, with a final result.
        if !self.gateway.shutdown().is_cancelled() {
            self.listening.end();
        }
        let hung_up = self.hung_up.clone();
        let is_late = tokio::select! {
            () = all_done => false,
            () = hung_up.cancelled() => {
                tracing::info!("client stopped reading; cancelling running calls");
                false
            }
            () = over(self.gateway.shutdown(), AT_THE_END.0, AT_SHUTDOWN.0) => true,
        };
        let left = self.in_flight.ids();
        self.running.shutdown().await;
        if is_late {
            tracing::warn!("shutdown: calls that still run are answered with an error");
            let answering = async {
                for id in left {
                    self.answer(id, Err(unfinished())).await;
                }
            };
            tokio::select! {
                () = answering => {}
                () = over(self.gateway.shutdown(), AT_THE_END.1, AT_SHUTDOWN.1) => {}
            }
        }
        if let Some(session) = &self.session {
            self.gateway.sessions().end(session.id());
        }
    }
}

/// Waits for one time, or for the other one from a shutdown on.
async fn over(shutdown: &CancellationToken, at_the_end: Duration, at_shutdown: Duration) {
    let shut_down = async {
        shutdown.cancelled().await;
        tokio::time::sleep(at_shutdown).await;
    };
    tokio::select! {
        () = tokio::time::sleep(at_the_end) => {}
        () = shut_down => {}
    }
}

/// A client's first message, and the input after it.
type First<R> = (Option<Line>, Lines<R>);

/// Reads the first message and introduces the client by what it declares.
async fn first<R: AsyncRead + Unpin>(
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

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut frames: Frames,
    hung_up: CancellationToken,
) -> std::io::Result<()> {
    while let Some(Queued { frame, place, .. }) = frames.recv().await {
        let mut batch = frame.into_text().into_line();
        let mut places = vec![place];
        batch.push(b'\n');
        // Messages queued meanwhile go into the same write.
        while batch.len() < 64 * 1024
            && let Ok(Queued { frame, place, .. }) = frames.try_recv()
        {
            batch.extend_from_slice(&frame.into_text().into_line());
            batch.push(b'\n');
            places.push(place);
        }
        let writing = async {
            output.write_all(&batch).await?;
            output.flush().await
        };
        if let Err(error) = writing.await {
            // The client is gone, even if its input is still open.
            hung_up.cancel();
            return if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) };
        }
    }
    Ok(())
}
