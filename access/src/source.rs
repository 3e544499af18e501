//! Where keys are read: a file, or a URL, whose redirects are not followed.

use std::{path::PathBuf, time::Duration};

use mcp_disclosure_transport::http::{body, builder, cause, without_secrets};
use reqwest::{Client, Url, redirect::Policy};

use crate::error::Error;

/// A longer document is not read.
const MOST_BYTES: usize = 1024 * 1024;

/// Reads a file beside the workers; `None` if it is gone.
pub(crate) async fn file(path: PathBuf) -> Result<Option<Vec<u8>>, String> {
    use std::io::Read;
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    });
    match read.await.map_err(|error| error.to_string())? {
        Ok(bytes) if bytes.len() > MOST_BYTES => Err(too_long()),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("fails: {error}")),
    }
}

fn too_long() -> String {
    format!("has more than {MOST_BYTES} bytes")
}

/// What messages show of a URL.
pub(crate) fn shown(url: &str) -> String {
    Url::parse(url).map_or_else(|_| "a URL".to_owned(), |url| without_secrets(&url).to_string())
}

/// An HTTP client that follows no redirects.
#[derive(Clone, Debug)]
pub(crate) struct Http(Client);

impl Http {
    pub(crate) fn new() -> Result<Self, Error> {
        let client = builder().redirect(Policy::none()).pool_max_idle_per_host(0).build();
        client.map(Self).map_err(Error::Client)
    }

    /// Gets a document.
    pub(crate) async fn get(&self, url: &str, patience: Duration) -> Result<Vec<u8>, String> {
        let reading = async {
            // The innermost cause shows no URL.
            let fails = |error| format!("fails: {}", cause(&error));
            let response = self.0.get(url).send().await.map_err(fails)?;
            if !response.status().is_success() {
                return Err(format!("answers {}", response.status()));
            }
            body(response, MOST_BYTES).await.map_err(fails)?.ok_or_else(too_long)
        };
        let late = || format!("does not answer within {} s", patience.as_secs_f32());
        tokio::time::timeout(patience, reading).await.unwrap_or_else(|_| Err(late()))
    }
}
