//! An issuer's keys (RFC 7517), as they are now.
//!
//! Keys are read every [`KeyTimes::every`], whatever tokens come: no token can make us read them more often. Keys of a URL
//! that cannot be read any more are used for [`KeyTimes::most_age`] after they were last read, since one of them may have
//! been withdrawn (docs/decisions/0031).

use std::{sync::Arc, time::Duration};

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse},
};
use mcp_disclosure_core::Digest;
use parking_lot::RwLock;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    settings::KeySource,
    source::{self, Http},
};

/// A set with more keys is not read.
const MOST_KEYS: usize = 100;

/// How often keys are read, and how long they are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTimes {
    /// How often they are read.
    pub every: Duration,
    /// How long one reading may take.
    pub patience: Duration,
    /// How long they are used after they were last read, if they are at a URL.
    pub most_age: Duration,
}

impl KeyTimes {
    /// Those of a URL: a new key works within 40 s, and a withdrawn one within 95 s is used no longer, whatever happens.
    pub const OF_URL: Self = Self {
        every: Duration::from_secs(30),
        patience: Duration::from_secs(10),
        most_age: Duration::from_secs(90),
    };
    /// Those of a file.
    pub const OF_FILE: Self = Self { every: Duration::from_secs(5), ..Self::OF_URL };
}

/// One key, with the one algorithm that it is used with.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) algorithm: Algorithm,
    pub(crate) id: Option<String>,
    pub(crate) decoding: DecodingKey,
    /// What a token that was verified by it is kept under.
    pub(crate) digest: Digest,
}

/// A set of keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySet(Vec<Key>);

impl KeySet {
    /// Reads a JWK set. A key of another kind, or for another use, is left out; a set may have no other.
    ///
    /// # Errors
    /// Why it is no set of keys.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        let set: Value = serde_json::from_slice(text).map_err(|error| format!("is not JSON: {error}"))?;
        let keys = set.get("keys").and_then(Value::as_array).ok_or("has no list \"keys\"")?;
        if keys.len() > MOST_KEYS {
            return Err(format!("has {} keys; at most {MOST_KEYS} are read", keys.len()));
        }
        Ok(Self(keys.iter().filter_map(Key::read).collect()))
    }

    /// The keys that a token may be signed by: of its algorithm, and of its `kid` if it has one.
    pub(crate) fn of<'a>(
        &'a self,
        algorithm: Algorithm,
        id: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Key> {
        let fits = move |key: &&Key| key.algorithm == algorithm && (id.is_none() || key.id.as_deref() == id);
        self.0.iter().filter(fits)
    }

    fn has(&self, digest: &Digest) -> bool {
        self.0.iter().any(|key| key.digest == *digest)
    }
}

impl Key {
    fn read(value: &Value) -> Option<Self> {
        let key: Jwk = serde_json::from_value(value.clone()).ok()?;
        let (algorithm, named) = match &key.algorithm {
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
            }
            _ => return None,
        };
        let is_for_signatures =
            key.common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
        let is_for_it = key.common.key_algorithm.is_none_or(|other| other == named);
        let decoding = DecodingKey::from_jwk(&key).ok().filter(|_| is_for_signatures && is_for_it)?;
        Some(Self { algorithm, id: key.common.key_id, decoding, digest: Digest::of(&value.to_string()) })
    }
}

/// The keys of one issuer, kept current by [`follow`](Self::follow).
#[derive(Debug)]
pub(crate) struct Keys {
    source: KeySource,
    times: KeyTimes,
    read: RwLock<Option<Reading>>,
}

#[derive(Clone, Debug)]
struct Reading {
    set: Arc<KeySet>,
    /// When it was begun.
    at: Instant,
}

impl Keys {
    pub(crate) fn new(source: KeySource, times: KeyTimes) -> Self {
        Self { source, times, read: RwLock::default() }
    }

    /// The keys in force; `None` if they are not known, or may have been withdrawn since.
    pub(crate) fn current(&self) -> Option<Arc<KeySet>> {
        let read = self.read.read().clone()?;
        let is_current = matches!(self.source, KeySource::File(_)) || read.at.elapsed() < self.times.most_age;
        is_current.then_some(read.set)
    }

    /// Whether a key is in force.
    pub(crate) fn has(&self, digest: &Digest) -> bool {
        self.current().is_some_and(|set| set.has(digest))
    }

    /// Reads them once. A set without a usable key, and a file that is gone, withdraw all of them.
    ///
    /// # Errors
    /// Why they stay as they were, or why there are none.
    pub(crate) async fn refresh(&self, http: &Http) -> Result<(), String> {
        let at = Instant::now();
        let (set, lack) = match self.text(http).await? {
            Some(text) => (KeySet::parse(&text)?, "has no RSA, P-256 or Ed25519 key for signatures"),
            None => (KeySet::default(), "does not exist"),
        };
        let is_empty = set.0.is_empty();
        let mut read = self.read.write();
        // Another reading may have begun later and ended sooner.
        if read.as_ref().is_none_or(|newer| newer.at <= at) {
            *read = Some(Reading { set: Arc::new(set), at });
        }
        if is_empty { Err(format!("{lack}; no JWT is accepted")) } else { Ok(()) }
    }

    /// The text of their set; `None` if it is a file that is gone.
    async fn text(&self, http: &Http) -> Result<Option<Vec<u8>>, String> {
        match &self.source {
            KeySource::File(path) => source::file(path.clone()).await,
            KeySource::Url(url) => http.get(url, self.times.patience).await.map(Some),
        }
    }

    /// Reads them again and again, for as long as they are used elsewhere.
    pub(crate) async fn follow(self: Arc<Self>, http: Http) {
        let keys = Arc::downgrade(&self);
        let (KeyTimes { every, .. }, what) = (self.times, self.to_string());
        drop(self);
        let (mut failures, mut last) = (0_u32, None);
        loop {
            let Some(keys) = keys.upgrade() else { return };
            let problem = keys.refresh(&http).await.err();
            drop(keys);
            match &problem {
                None if last.is_some() => tracing::info!("keys of {what} are read again"),
                None => {}
                same if *same == last => tracing::debug!(failures, "keys of {what} still cannot be read"),
                Some(problem) => tracing::warn!("keys cannot be read: {what} {problem}"),
            }
            failures = if problem.is_some() { failures + 1 } else { 0 };
            last = problem;
            // After a failure sooner, but never more often than a server bears.
            let pause =
                if failures == 0 { every } else { every.min(Duration::from_secs(1 << failures.min(6))) };
            tokio::time::sleep(pause).await;
        }
    }
}

impl std::fmt::Display for Keys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.source {
            KeySource::File(path) => write!(formatter, "{}", path.display()),
            KeySource::Url(url) => formatter.write_str(&source::shown(url)),
        }
    }
}
