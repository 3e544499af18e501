//! Links: how to connect to a server.

use std::{ffi::OsStr, fmt, sync::Arc, time::Duration};

use mcp_disclosure_transport::{
    Bound, Bounds, CallError, Connection, Handler, child,
    http::{self, Endpoint, without_secrets},
    in_process, streams,
};
use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use rmcp::{RoleServer, service::DynService};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    process::Command,
};

use crate::Error;

/// Size of one list, all pages of it, and of one message from the server; results may carry images.
pub(crate) const LIST_BYTES: Bound = fixed(256 * 1024 * 1024);

/// The limits on what a server may use.
const BOUNDS: Bounds = Bounds {
    message_bytes: LIST_BYTES,
    message_depth: fixed(128),
    batch_messages: fixed(1000),
    queue_bytes: fixed(16 * 1024 * 1024),
    queue_share_bytes: fixed(16 * 1024 * 1024),
    stderr_lines: 600,
    stderr_characters: 1024,
    resume_wait: Duration::from_secs(30),
};

const fn fixed(most: usize) -> Bound {
    Bound { most, setting: "" }
}

/// How to connect to a server: as a child process, over Streamable HTTP, or in this process.
pub struct Link(LinkTarget);

enum LinkTarget {
    Command(Box<Command>),
    Url(Endpoint),
    Handler(Arc<dyn Fn() -> Box<dyn DynService<RoleServer>> + Send + Sync>),
    /// Until they are in use.
    Streams(Option<(Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>)>),
}

impl Link {
    /// A program to start, which speaks MCP over stdio. It inherits this process's environment, and ends with the
    /// [`Host`](crate::Host).
    pub fn command(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(arguments);
        Self::process(command)
    }

    /// The same with the environment and working directory of the command. Its standard streams are replaced: stderr
    /// goes to `tracing`, and the last stderr lines are part of the error if the program exits.
    pub fn process(command: Command) -> Self {
        Self(LinkTarget::Command(Box::new(command)))
    }

    /// A Streamable HTTP endpoint, such as `http://127.0.0.1:8848/mcp`.
    ///
    /// # Errors
    /// [`Error::Address`] if it is not an `http` or `https` URL.
    pub fn url(url: &str) -> Result<Self, Error> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = parsed.ok_or_else(|| Error::Address { given: url.to_owned(), what: "HTTP URL" })?;
        Ok(Self(LinkTarget::Url(url.into())))
    }

    /// The link with a header on every request, such as `authorization`. Links without HTTP ignore it.
    ///
    /// # Errors
    /// [`Error::Address`] for an invalid header name or value. The error does not contain the value.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        if let LinkTarget::Url(endpoint) = &mut self.0 {
            let wrong = |what| Error::Address { given: name.to_owned(), what };
            let header = HeaderName::try_from(name).map_err(|_| wrong("header name"))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| wrong("header (invalid value)"))?;
            value.set_sensitive(true);
            endpoint.headers.insert(header, value);
        }
        Ok(self)
    }

    /// An `rmcp` handler in this process.
    pub fn handler(handler: impl rmcp::Service<RoleServer> + Clone) -> Self {
        Self(LinkTarget::Handler(Arc::new(move || Box::new(handler.clone()))))
    }

    /// Any pair of byte streams with one message per line, such as the two halves of a `tokio::io::duplex` whose other
    /// end a gateway serves.
    pub fn streams(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self(LinkTarget::Streams(Some((Box::new(input), Box::new(output)))))
    }

    /// Connects to the server. `listens` says whether to open a stream for notifications, where that requires
    /// one.
    ///
    /// # Errors
    /// [`Error::Start`] if the program cannot be started.
    pub(crate) fn open(
        &mut self,
        listens: bool,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<Connection>, Error> {
        Ok(match &mut self.0 {
            LinkTarget::Command(command) => child::connect(command, handler, BOUNDS).map_err(|source| {
                let program = command.as_std().get_program().to_string_lossy().into_owned();
                Error::Start { program, source }
            })?,
            LinkTarget::Url(endpoint) => http::connect(endpoint.clone(), listens, None, handler, BOUNDS),
            LinkTarget::Handler(make) => in_process::connect(make(), handler, BOUNDS),
            LinkTarget::Streams(streams) => {
                let in_use = || Error::of("initialize", CallError::ended("its streams are in use"));
                let (input, output) = streams.take().ok_or_else(in_use)?;
                streams::connect(input, output, handler, BOUNDS)
            }
        })
    }

    /// Whether opening it again gives a server without state of the first attempt. Over HTTP this makes no difference.
    pub(crate) fn opens_again(&self) -> bool {
        matches!(self.0, LinkTarget::Command(_) | LinkTarget::Handler(_))
    }
}

/// Without what may be secret: arguments, environment, headers, user info and query.
impl fmt::Display for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            LinkTarget::Command(command) => command.as_std().get_program().display().fmt(formatter),
            LinkTarget::Url(endpoint) => without_secrets(&endpoint.url).fmt(formatter),
            LinkTarget::Handler(_) => formatter.write_str("the handler in this process"),
            LinkTarget::Streams(_) => formatter.write_str("the server"),
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
