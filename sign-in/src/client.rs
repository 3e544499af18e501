//! HTTP to authorization servers: by HTTPS only, of limited size and time, without redirects.
//!
//! Their URLs come from the server that asks for sign-in, so that they are not the operator's choice. Plain HTTP, and
//! any address of this machine, is for servers on this machine only.

use std::time::Duration;

use futures::StreamExt;
use oauth2::{HttpRequest, HttpResponse};
use reqwest::{Client, Url, header::CONTENT_TYPE, redirect::Policy};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};

use crate::Error;

/// The largest answer: metadata and tokens have a few kB.
const LARGEST: usize = 1024 * 1024;

/// How long an answer may take, to its end.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);

/// A client for the authorization servers of one server.
#[derive(Debug)]
pub(crate) struct BoundedClient {
    client: Client,
    /// Whether the server that asks for sign-in is on this machine.
    is_local: bool,
}

/// Why a request to an authorization server has no answer.
#[derive(Debug, thiserror::Error)]
enum ClientError {
    #[error("{0} is not used: it is not https")]
    Insecure(String),
    #[error("more than {LARGEST} bytes were sent")]
    TooLarge,
    #[error("no answer within {} seconds", TIMEOUT.as_secs())]
    TooSlow,
}

impl BoundedClient {
    /// A client for the server at this URL.
    ///
    /// # Errors
    /// If the system's TLS cannot be used.
    pub(crate) fn new(url: &Url) -> Result<Self, Error> {
        Ok(Self { client: http_client()?, is_local: is_loopback(url) })
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, OAuthHttpClientError> {
        let request = reqwest::Request::try_from(request)?;
        if !is_safe(request.url(), self.is_local) {
            return Err(ClientError::Insecure(origin(request.url())).into());
        }
        let response = self.client.execute(request).await.map_err(reqwest::Error::without_url)?;
        let mut answer = http::Response::builder().status(response.status());
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        // An MCP server may open its event stream, which has no end.
        let is_stream = content_type.is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while !is_stream && let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(reqwest::Error::without_url)?);
            if body.len() > LARGEST {
                return Err(ClientError::TooLarge.into());
            }
        }
        Ok(answer.body(body)?)
    }
}

impl OAuthHttpClient for BoundedClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let answer = tokio::time::timeout(TIMEOUT, self.exchange(request.request)).await;
            answer.unwrap_or_else(|_| Err(ClientError::TooSlow.into()))
        })
    }
}

/// A client that follows no redirects.
pub(crate) fn http_client() -> Result<Client, Error> {
    // A provider already installed in this process is fine.
    let _already = rustls::crypto::ring::default_provider().install_default();
    let client =
        Client::builder().redirect(Policy::none()).connect_timeout(TIMEOUT).pool_max_idle_per_host(0).build();
    client.map_err(|error| Error::Unreachable(error.to_string()))
}

/// Whether secrets may be sent to a URL: by HTTPS, or within this machine if the server is on it.
pub(crate) fn is_safe(url: &Url, is_local: bool) -> bool {
    match url.scheme() {
        "https" => is_local || !is_loopback(url),
        "http" => is_local && is_loopback(url),
        _ => false,
    }
}

/// Whether a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    // Of a URL of http or https, an IPv6 address is in brackets.
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    match address {
        Ok(address) => address.to_canonical().is_loopback() || address.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a6_plain_http_is_for_servers_of_this_machine() {
        for (url, of_remote, of_local) in [
            ("https://auth.example/token", true, true),
            ("http://auth.example/token", false, false),
            ("http://127.0.0.1:9/token", false, true),
            ("http://[::1]/token", false, true),
            ("http://[::ffff:127.0.0.1]/token", false, true),
            ("https://localhost/token", false, true),
            ("http://login.localhost./token", false, true),
            ("http://169.254.169.254/latest", false, false),
            ("http://localhost.example/", false, false),
            ("file:///etc/passwd", false, false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!((is_safe(&url, false), is_safe(&url, true)), (of_remote, of_local), "{url}");
        }
    }
}
