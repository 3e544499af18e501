//! HTTP/1.1 by hand: one request a connection, so that a test decides every byte and when to hang up.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// Headers, in order.
pub type Headers = Vec<(String, String)>;

/// These headers.
pub fn headers(headers: &[(&str, &str)]) -> Headers {
    headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Serves this until the test ends: where.
pub async fn serve(router: axum::Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async { axum::serve(listener, router).await });
    address
}

/// The head of an answer; the body is still to be read.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Headers,
    body: Body,
}

#[derive(Debug)]
struct Body {
    stream: BufReader<TcpStream>,
    framing: Framing,
}

#[derive(Debug)]
enum Framing {
    Length(usize),
    Chunked,
    Done,
}

/// Sends a request and reads the head of the answer.
///
/// `Host` and `Content-Length` are added where they are not given.
pub async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> std::io::Result<Answer> {
    send_over(TcpStream::connect(address).await?, method, path, headers, body).await
}

/// The same over a connection that was made before.
pub async fn send_over(
    mut stream: TcpStream,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> std::io::Result<Answer> {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    if headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {}\r\n", stream.peer_addr()?));
    }
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    head.push_str("\r\n");
    stream.set_nodelay(true)?;
    let (mut input, mut output) = stream.split();
    let writing = async {
        output.write_all(head.as_bytes()).await?;
        output.write_all(body).await
    };
    // A server that has heard enough answers before it has read everything. If it closes then, writing fails, and its answer is
    // there all the same.
    let mut first = [0];
    tokio::select! {
        biased;
        seen = input.peek(&mut first) => seen.map(drop)?,
        _written = writing => {}
    }
    let mut stream = BufReader::new(stream);
    let status = line(&mut stream).await?;
    let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut headers = Headers::new();
    loop {
        let line = line(&mut stream).await?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let find = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let framing = match (find("transfer-encoding"), find("content-length")) {
        (Some("chunked"), _) => Framing::Chunked,
        (_, Some(length)) => Framing::Length(length.parse().unwrap_or(0)),
        _ => Framing::Done,
    };
    Ok(Answer { status, headers, body: Body { stream, framing } })
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Reads the body piece by piece; `None` at its end.
    pub async fn piece(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        self.body.piece().await
    }

    /// Reads the rest of the body.
    pub async fn rest(&mut self) -> std::io::Result<String> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            all.extend(piece);
        }
        Ok(String::from_utf8_lossy(&all).into_owned())
    }
}

impl Body {
    async fn piece(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let length = match self.framing {
            Framing::Done => return Ok(None),
            Framing::Length(length) => {
                self.framing = Framing::Done;
                length
            }
            Framing::Chunked => usize::from_str_radix(&line(&mut self.stream).await?, 16).unwrap_or(0),
        };
        let mut piece = vec![0; length];
        self.stream.read_exact(&mut piece).await?;
        if matches!(self.framing, Framing::Chunked) {
            line(&mut self.stream).await?;
            if length == 0 {
                self.framing = Framing::Done;
                return Ok(None);
            }
        }
        Ok(Some(piece))
    }
}

async fn line(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    Ok(line.trim_end().to_owned())
}

/// Takes an event stream apart.
#[derive(Debug, Default)]
pub struct Events {
    text: String,
    /// The id of the last event that had one.
    pub last: Option<String>,
}

impl Events {
    /// The data of the events that are complete with this piece.
    pub fn take(&mut self, piece: &[u8]) -> Vec<String> {
        self.text.push_str(&String::from_utf8_lossy(piece).replace("\r\n", "\n"));
        let mut found = Vec::new();
        while let Some(end) = self.text.find("\n\n") {
            let event: String = self.text.drain(..end + 2).collect();
            let field = |name: &'static str| event.lines().filter_map(move |line| line.strip_prefix(name));
            self.last = field("id: ").next_back().map(str::to_owned).or(self.last.take());
            let data: Vec<&str> = field("data: ").collect();
            // An event without data brings an id and nothing else.
            if data.iter().any(|line| !line.is_empty()) {
                found.push(data.join("\n"));
            }
        }
        found
    }
}
