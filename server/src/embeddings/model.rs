//! The server of a model, and what is known of its vectors.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use mcp_disclosure_core::{Digest, View};
use mcp_disclosure_ranking::{Embedding, Embeddings, texts};
use mcp_disclosure_transport::{
    HttpError,
    http::{self, without_secrets},
};
use parking_lot::Mutex;
use reqwest::{
    Client, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::Deserialize;
use serde_json::json;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    Settings,
    kept::{File, Vectors},
};
use crate::config::spoken;

/// How long a query waits for its vector.
const QUERY: Duration = Duration::from_millis(300);

/// How long the vectors of a batch may take: a server may have to load the model first.
const BATCH: Duration = Duration::from_secs(60);

/// How many texts are sent at once: some servers take no more.
const AT_ONCE: usize = 32;

/// How long a server that failed is not asked. Queries need not wait for it in the meantime.
const REST: Duration = Duration::from_secs(2);

/// The largest answer: 32 vectors of 4,096 numbers have 3 MB.
const LARGEST: usize = 16 * 1024 * 1024;

/// How many texts may be refused before one is taken, until that counts as a failure of the server.
const MOST_REFUSED: usize = 8;

/// How many vectors are kept; beyond that only those of the view that was read last.
const MOST: usize = 20_000;

/// A model, on its server.
#[derive(Debug)]
pub(super) struct Model {
    client: Client,
    url: Url,
    settings: Settings,
    /// The vectors of tools' texts.
    known: Mutex<Vectors>,
    /// Texts that the server refuses, such as those with too many tokens.
    refused: Mutex<HashSet<Digest>>,
    /// One task fetches vectors.
    turn: Arc<Semaphore>,
    rests_until: Mutex<Option<Instant>>,
    file: Option<File>,
}

/// Why there are no vectors. `Display` is a predicate of the server; no answer is quoted, since some repeat the key.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{}", .0.in_full())]
    Http(HttpError),
    #[error("gave no answer in time")]
    Late,
    #[error("answered HTTP {0}")]
    Status(StatusCode),
    #[error("sent more than {LARGEST} bytes")]
    TooLong,
    #[error("did not send a vector for each text, as OpenAI's protocol has them")]
    NotVectors,
    #[error("sent a vector of {sent} dimensions instead of {wanted}")]
    Dimensions { sent: usize, wanted: usize },
}

impl Failure {
    /// Whether it may be the text's fault.
    fn is_of_text(&self) -> bool {
        matches!(self, Self::Status(status) if matches!(status.as_u16(), 400 | 413 | 422))
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() { Self::Late } else { Self::Http(HttpError::from(&error.without_url())) }
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl Model {
    /// The model of these settings, with the vectors that are kept on disk; or why there is none.
    pub(super) fn new(settings: &Settings) -> Result<Arc<Self>, String> {
        let wrong = || {
            // Without user information.
            let url = settings.url.rsplit('@').next().unwrap_or_default();
            format!("embeddings.url must be an address such as http://localhost:11434/v1, not '{url}'")
        };
        let mut url = spoken(&settings.url).map_err(|_| wrong())?;
        url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().push("embeddings");
        let mut headers =
            HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        if let Some(variable) = &settings.key_env {
            let key = std::env::var(variable).ok().filter(|key| !key.is_empty());
            let key = key.and_then(|key| HeaderValue::try_from(format!("Bearer {key}")).ok());
            let mut key = key.ok_or_else(|| {
                let wrong = "is not set, or is not valid in a header";
                format!("embeddings.key_env: the environment variable {variable} {wrong}")
            })?;
            key.set_sensitive(true);
            headers.insert(AUTHORIZATION, key);
        }
        let dimensions = settings.dimensions.map(|dimensions| dimensions.to_string()).unwrap_or_default();
        let file = File::of_user(Digest::of_parts([url.as_str(), &settings.model, &dimensions]));
        let unmade = |error: reqwest::Error| format!("embeddings: no HTTP client could be made: {error}");
        Ok(Arc::new(Self {
            client: http::client(headers).map_err(unmade)?,
            url,
            settings: settings.clone(),
            known: Mutex::new(file.as_ref().and_then(|file| file.read().ok()).unwrap_or_default()),
            refused: Mutex::default(),
            turn: Arc::new(Semaphore::new(1)),
            rests_until: Mutex::default(),
            file,
        }))
    }

    fn rests(&self) -> bool {
        self.rests_until.lock().is_some_and(|until| until > Instant::now())
    }

    /// Says that the server failed, and that it is not asked for a while.
    fn rest(&self, failure: &Failure) {
        // Of several queries that wait, one says it.
        if self.rests() {
            return;
        }
        *self.rests_until.lock() = Some(Instant::now() + REST);
        let (url, seconds) = (without_secrets(&self.url), REST.as_secs());
        tracing::warn!("search: {url} {failure}; the built-in ranking answers for {seconds} s");
    }

    /// Forgets vectors of other dimensions than this one: the server has another model by the same name now.
    fn compared(&self, vector: Embedding) -> Result<Embedding, Failure> {
        let mut known = self.known.lock();
        match known.values().next().map(|other| other.quantized().len()) {
            Some(wanted) if wanted != vector.quantized().len() => {
                known.clear();
                Err(Failure::Dimensions { sent: vector.quantized().len(), wanted })
            }
            _ => Ok(vector),
        }
    }

    /// Which texts are to be read.
    fn is_missing(&self) -> impl Fn(&Digest) -> bool {
        let (known, refused) = (self.known.lock(), self.refused.lock());
        move |digest| !known.contains_key(digest) && !refused.contains(digest)
    }

    /// Fetches the vectors that are not known, in batches, until the server fails; returns whether there are new ones.
    async fn fetch(&self, listed: &[(Digest, String)]) -> bool {
        let missing: Vec<&(Digest, String)> = {
            let is_missing = self.is_missing();
            listed.iter().filter(|(digest, _)| is_missing(digest)).collect()
        };
        if missing.is_empty() {
            return false;
        }
        tracing::info!(tools = missing.len(), model = self.settings.model, "search: a model reads tools");
        let (mut has_learned, mut refused) = (false, 0);
        let mut batches: Vec<&[&(Digest, String)]> = missing.chunks(AT_ONCE).rev().collect();
        while let Some(batch) = batches.pop() {
            let texts: Vec<&str> = batch.iter().map(|(_, text)| &**text).collect();
            match self.ask(&texts, BATCH).await {
                Ok(vectors) => {
                    // Those of other dimensions are read again when they are missed.
                    drop(vectors.first().cloned().map(|vector| self.compared(vector)));
                    let digests = batch.iter().map(|(digest, _)| *digest);
                    self.known.lock().extend(digests.zip(vectors.into_iter().map(Arc::new)));
                    has_learned = true;
                }
                // One text of a batch is found by halves.
                Err(failure) if failure.is_of_text() && (has_learned || refused < MOST_REFUSED) => {
                    match batch {
                        [(digest, _)] => {
                            self.refused.lock().insert(*digest);
                            refused += 1;
                        }
                        _ => batches.extend(
                            [batch.split_at(batch.len() / 2)].iter().flat_map(|(one, two)| [*two, *one]),
                        ),
                    }
                }
                Err(failure) => {
                    self.rest(&failure);
                    break;
                }
            }
        }
        has_learned
    }

    /// The vectors of texts, in their order.
    async fn ask(&self, texts: &[&str], patience: Duration) -> Result<Vec<Embedding>, Failure> {
        let Settings { model, dimensions, .. } = &self.settings;
        let mut body = json!({"model": model, "input": texts, "encoding_format": "float"});
        if let Some(dimensions) = dimensions {
            body["dimensions"] = dimensions.get().into();
        }
        let request = self.client.post(self.url.clone()).timeout(patience).body(body.to_string());
        let answer = request.send().await?;
        if !answer.status().is_success() {
            return Err(Failure::Status(answer.status()));
        }
        let bytes = http::body(answer, LARGEST).await?.ok_or(Failure::TooLong)?;
        let Answer { mut data } = serde_json::from_slice(&bytes).map_err(|_| Failure::NotVectors)?;
        data.sort_by_key(|item| item.index);
        let wanted = dimensions
            .map_or_else(|| data.first().map_or(0, |item| item.embedding.len()), |wanted| wanted.get());
        if let Some(other) = data.iter().find(|item| item.embedding.len() != wanted) {
            return Err(Failure::Dimensions { sent: other.embedding.len(), wanted });
        }
        let vectors: Option<Vec<Embedding>> =
            data.iter().map(|item| Embedding::of(&item.embedding)).collect();
        vectors.filter(|vectors| vectors.len() == texts.len()).ok_or(Failure::NotVectors)
    }

    /// Writes what is known to disk, beside what other processes wrote. Of too many, those are forgotten that are not listed.
    fn keep(&self, listed: &[(Digest, String)]) {
        let Some(file) = &self.file else { return };
        let others = file.read().unwrap_or_default();
        let known = {
            let mut known = self.known.lock();
            let dimensions = known.values().next().map(|vector| vector.quantized().len());
            for (digest, vector) in others {
                if dimensions == Some(vector.quantized().len()) {
                    known.entry(digest).or_insert(vector);
                }
            }
            if known.len() > MOST {
                let listed: HashSet<&Digest> = listed.iter().map(|(digest, _)| digest).collect();
                known.retain(|digest, _| listed.contains(digest));
            }
            known.clone()
        };
        if let Err(error) = file.write(&known) {
            tracing::warn!(%error, "search: vectors of tools are not kept");
        }
    }
}

#[async_trait]
impl Embeddings for Model {
    async fn of_query(&self, text: &str) -> Option<Embedding> {
        if self.rests() {
            return None;
        }
        let asked = self.ask(&[text], QUERY).await.inspect_err(|failure| self.rest(failure));
        self.compared(asked.ok()?.pop()?).inspect_err(|failure| self.rest(failure)).ok()
    }

    fn of_texts(&self, digests: &[Digest]) -> Vec<Option<Arc<Embedding>>> {
        let known = self.known.lock();
        digests.iter().map(|digest| known.get(digest).cloned()).collect()
    }

    fn may_learn(&self, digests: &[Digest]) -> bool {
        digests.iter().any(self.is_missing())
    }

    fn learn(self: Arc<Self>, view: View) {
        let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else { return };
        if self.rests() {
            return;
        }
        tokio::spawn(async move {
            let text = |text: String| (Digest::of_bytes(text.as_bytes()), text);
            let texts = move || texts(&view).into_iter().map(text).collect();
            let listed: Vec<(Digest, String)> = spawn_blocking(texts).await.unwrap_or_default();
            if self.fetch(&listed).await {
                drop(spawn_blocking(move || self.keep(&listed)).await);
            }
            drop(turn);
        });
    }
}
