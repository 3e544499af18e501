//! Failures of HTTP that the suite does not bring about.

use tokio::{io::AsyncWriteExt, net::TcpListener};

use super::*;

async fn failure(url: &str) -> String {
    let client = crate::http::client(reqwest::header::HeaderMap::new()).unwrap();
    HttpError::from(&client.get(url).send().await.unwrap_err()).to_string()
}

#[tokio::test]
async fn a_name_that_is_unknown_and_tls_that_fails_are_reported() {
    let unknown = failure("http://server.invalid/").await;
    assert_eq!(unknown, "cannot be reached: its name cannot be resolved");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _gone = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    assert_eq!(failure(&format!("https://{plain}/")).await, "cannot be reached: TLS failed");
}
