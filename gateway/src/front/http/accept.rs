//! Accepting, serving and closing HTTP connections.

use std::{
    convert::Infallible,
    io::ErrorKind,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderValue, Request, Response, StatusCode, header},
};
use futures::{FutureExt, future::BoxFuture};
use http_body_util::BodyExt;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use mcp_disclosure_transport::{ErrorText, Response as RpcResponse, code};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_io_timeout::TimeoutStream;

use super::{
    Front, Guard,
    connections::{Connection, Connections, Phase},
    entry::is_lasting,
    proxies::counted,
    refusals::Refusals,
    unread::Received,
};
use crate::{dispatch::Gateway, limits::Limits, observe::Observer};

/// How long what was answered at the end may take to be sent.
const FLUSH: Duration = Duration::from_secs(2);

/// A connection without requests is closed after this time. If one side closes while the other sends, a request is lost,
/// so it exceeds the time for which proxies keep unused connections: a minute or two, and 600 seconds Google's.
const UNUSED: Duration = Duration::from_secs(620);

/// A connection whose client reads nothing of what is sent is closed after this time, since unread responses
/// fill memory. An idle stream has a comment to read every 15 seconds.
const STALLED: Duration = Duration::from_secs(60);

/// Maximum connections of an application beside the gateway.
const OF_PAGES: usize = 64;

/// Delay after a connection could not be accepted because files or memory ran out.
const PAUSE: Duration = Duration::from_millis(50);

/// Maximum concurrent rejections of new connections with a response; beyond it they are just closed.
const REFUSALS: usize = 16;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Time-out for sending a rejection.
const REFUSING: Duration = Duration::from_secs(1);

/// Serves clients until the gateway shuts down. Responses in progress are finished first, and requests whose clients read
/// the answer later or elsewhere; those that are not done in [time](crate::dispatch::Assembly::drain) are answered with an
/// error. Errors of connections and of the listener are logged.
pub async fn serve(gateway: Arc<Gateway>, listener: TcpListener, guard: Guard) {
    let front = Arc::new(Front::new(Arc::clone(&gateway), guard));
    let (limits, refusals) = (gateway.limits(), front.refusals.clone());
    let connections = Connections::new(limits, Some(Arc::clone(gateway.observer())));
    let app = Arc::new(move |request| Arc::clone(&front).respond(request).boxed());
    let serving = Serving::new(limits, refusals, connections, app);
    let drain = gateway.drain;
    let too_late = async {
        gateway.shutdown().cancelled().await;
        tokio::time::sleep(drain).await;
        let seconds = drain.as_secs_f64();
        tracing::warn!("shutdown: what still runs after {seconds} seconds is answered with an error");
        gateway.drained().cancel();
        tokio::time::sleep(FLUSH).await;
        tracing::warn!("shutdown: dropped connections whose clients do not read");
    };
    tokio::select! {
        () = serving.run(listener, gateway.shutdown().cancelled(), gateway.sessions().at_rest()) => {}
        () = too_late => {}
    }
    gateway.drained().cancel();
}

/// Serves another application in the same way until `shutdown`, such as pages for operators: behind the guard, and with
/// what is refused noted by the observer. Its connections are counted by themselves, and are few.
pub async fn serve_app(
    limits: &Limits,
    shutdown: impl Future<Output = ()>,
    listener: TcpListener,
    guard: Guard,
    observer: Arc<dyn Observer>,
    app: Router,
) {
    let limits = Limits { connections: limits.connections.min(OF_PAGES), ..*limits };
    let refusals = Refusals::new(observer, guard);
    let (noted, app) = (refusals.clone(), TowerToHyperService::new(app));
    let app = Arc::new(move |request| {
        let (noted, app) = (noted.clone(), app.clone());
        let answering = async move {
            let answer = |request, _| app.call(request).map(|Ok(answer): Result<_, Infallible>| answer);
            noted.guarded(request, answer).await
        };
        answering.boxed()
    });
    let serving = Serving::new(&limits, refusals, Connections::new(&limits, None), app);
    // Nothing there runs long.
    serving.run(listener, shutdown, std::future::ready(())).await;
}

fn is_of_one_connection(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

/// What answers requests.
type App = Arc<dyn Fn(Request<Body>) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

struct Serving {
    app: App,
    http: http1::Builder,
    connections: Arc<Connections>,
    head: Duration,
    open: GracefulShutdown,
    refusals: Refusals,
    refusing: Arc<Semaphore>,
}

impl Serving {
    fn new(limits: &Limits, refusals: Refusals, connections: Arc<Connections>, app: App) -> Self {
        // Not `axum::serve`, and not hyper-util's `auto`: both wait for a head, or its first bytes, without a
        // time-out.
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(UNUSED);
        Self {
            app,
            http,
            connections,
            head: limits.request_head,
            open: GracefulShutdown::new(),
            refusals,
            refusing: Arc::new(Semaphore::new(REFUSALS)),
        }
    }

    async fn run(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
        finished: impl Future<Output = ()>,
    ) {
        let mut shutdown = pin!(shutdown);
        let mut pause = Duration::ZERO;
        loop {
            let accepted = async {
                tokio::time::sleep(pause).await;
                listener.accept().await
            };
            let accepted = tokio::select! {
                accepted = accepted => accepted,
                () = &mut shutdown => break,
            };
            pause = Duration::ZERO;
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer),
                Err(error) if is_of_one_connection(error.kind()) => {}
                Err(error) => {
                    // The connection's own task closes it shortly.
                    let made_room = self.connections.make_room();
                    tracing::warn!(%error, made_room, "cannot accept a connection");
                    pause = PAUSE;
                }
            }
        }
        drop(listener);
        self.open.shutdown().await;
        finished.await;
    }

    fn take(&self, stream: TcpStream, peer: SocketAddr) {
        // Without it a small event waits for the acknowledgement of the previous one: 43 ms were measured.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot set TCP_NODELAY");
        }
        match self.connections.admit(counted(peer.ip())) {
            Some(connection) => self.serve(stream, peer, Arc::new(connection)),
            None => self.refuse(stream, peer),
        }
    }

    fn serve(&self, stream: TcpStream, peer: SocketAddr, connection: Arc<Connection>) {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(STALLED));
        let stream = Tracked { stream: Box::pin(stream), connection: Arc::clone(&connection) };
        let (app, head) = (Arc::clone(&self.app), self.head);
        let serving = Arc::clone(&connection);
        let service = service_fn(move |request: Request<Incoming>| {
            serving.enter(Phase::Body);
            let (head, body) = request.into_parts();
            let version = head.version;
            let received = Received::new(body, &serving);
            let mut request = Request::from_parts(head, Body::new(received.clone()));
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(Arc::clone(&serving));
            let (answering, serving) = (app(request), Arc::clone(&serving));
            async move {
                let mut response = answering.await;
                if received.linger() {
                    response.headers_mut().insert(header::CONNECTION, CLOSE);
                    // Else hyper would add that the connection of an HTTP/1.0 client is kept.
                    *response.version_mut() = version;
                }
                if is_lasting(&response) {
                    serving.enter_after(Phase::Busy, Phase::Stream);
                }
                // The body holds it, in a closure that is never called but dropped with it: when all of it was given to be sent.
                let sent = scopeguard::guard(serving, |connection| connection.note_response());
                let body = |body: Body| {
                    body.map_err(move |error| {
                        let _held = &sent;
                        error
                    })
                };
                Ok::<_, Infallible>(response.map(body))
            }
        });
        let served = self.open.watch(self.http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            tokio::select! {
                // A connection that gave way begins no request: the client would not see its result.
                biased;
                () = connection.gives_way() => tracing::debug!(%peer, "connection closed: it gave way to another"),
                served = served => if let Err(error) = served {
                    tracing::debug!(%peer, %error, "connection failed");
                },
                // Behind what changes its phase.
                () = connection.is_slow(head) => tracing::debug!(%peer, "connection closed: too slow"),
            }
        });
    }

    /// Rejects a new connection with a response, if few rejections are in progress.
    fn refuse(&self, mut stream: TcpStream, peer: SocketAddr) {
        self.refusals.note(
            StatusCode::SERVICE_UNAVAILABLE,
            Some("all connections are busy"),
            Some(peer.ip()),
        );
        let Ok(turn) = Arc::clone(&self.refusing).try_acquire_owned() else { return };
        let most = self.connections.most;
        tokio::spawn(async move {
            let refusing = async {
                stream.write_all(&no_room(most)).await?;
                stream.shutdown().await?;
                // Closing with unread bytes would reset the connection and lose the response.
                tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
            };
            let _gone = tokio::time::timeout(REFUSING, refusing).await;
            drop(turn);
        });
    }
}

/// The response to a rejected connection, regardless of its request.
fn no_room(most: usize) -> Vec<u8> {
    let message = format!("too many connections: at most {most} (limits.connections)");
    let error = ErrorText::new(code::LIMIT_REACHED, message);
    let body = RpcResponse { id: None, outcome: Err(error) }.encode();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// A stream that records when a request begins, and when its response has been sent.
struct Tracked<S> {
    stream: Pin<Box<S>>,
    connection: Arc<Connection>,
}

impl<S: AsyncRead> AsyncRead for Tracked<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = self.stream.as_mut().poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.connection.enter_after(Phase::Idle, Phase::Head);
        }
        read
    }
}

impl<S: AsyncWrite> AsyncWrite for Tracked<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.stream.as_mut().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let flushed = self.stream.as_mut().poll_flush(cx);
        if flushed.is_ready() {
            self.connection.enter_after(Phase::Answered, Phase::Idle);
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}
