//! Failures of HTTP, told apart.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::*;

/// A server that sends these bytes on each connection and closes it.
async fn answering(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _read = stream.read(&mut [0; 1024]).await;
            let _gone = stream.write_all(bytes).await;
        }
    });
    address
}

async fn failure(url: &str) -> HttpError {
    let client = crate::http::client(reqwest::header::HeaderMap::new()).unwrap();
    let answered = async { client.get(url).send().await?.bytes().await };
    HttpError::from(&answered.await.unwrap_err())
}

#[tokio::test]
async fn failures_are_told_apart_and_details_are_for_the_operator() {
    // Bound, so that nobody else is given the port, and never listening.
    let nobody = tokio::net::TcpSocket::new_v4().unwrap();
    nobody.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let closed = nobody.local_addr().unwrap();
    let refused = failure(&format!("http://{closed}/?key=s3cret")).await;
    assert_eq!(refused.to_string(), "cannot be reached");
    assert!(refused.in_full().starts_with("cannot be reached: Connection refused"), "{refused:?}");
    assert!(!refused.in_full().contains("s3cret"), "{refused:?}");

    let unknown = failure("http://server.invalid/").await;
    assert_eq!(unknown.to_string(), "cannot be reached: its name cannot be resolved");

    let plain = answering(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let no_tls = failure(&format!("https://{plain}/")).await;
    assert_eq!(no_tls.to_string(), "cannot be reached: TLS failed");

    for broken in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"] {
        let broken = failure(&format!("http://{}/", answering(broken).await)).await;
        assert!(matches!(broken, HttpError::Broken { .. }), "{broken:?}");
    }

    let here = answering(b"HTTP/1.1 302 Found\r\nlocation: /page\r\n\r\n").await;
    let redirected = failure(&format!("http://{here}/")).await;
    assert!(redirected.to_string().contains("with 302, which is not followed"), "{redirected:?}");
}
