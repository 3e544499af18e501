//! JWTs (RFC 7519, RFC 9068): what has to hold of a token before anything that it says is believed.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use jsonwebtoken::{Algorithm, Validation};
use mcp_disclosure_core::Digest;
use serde_json::{Map, Value};

use crate::{entry, keys::Keys, settings::Jwt, signatures};

/// How far clocks may differ, in seconds.
const SKEW: u64 = 60;

/// What every token is checked for.
#[derive(Debug)]
pub(crate) struct Verifier {
    pub(crate) settings: Jwt,
    pub(crate) keys: Arc<Keys>,
    clock: Clock,
}

/// What is kept of a token that is believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verified {
    /// Its key.
    pub(crate) key: Digest,
    /// When it ends, in seconds since 1970, with the skew.
    pub(crate) ends: u64,
}

/// Why a token is not accepted. Clients are sent only whether it lacks a scope, or cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub(crate) enum Rejection {
    #[strum(to_string = "it is no JWT of an accepted algorithm")]
    Malformed,
    #[strum(to_string = "its typ says that it is no access token")]
    Type,
    #[strum(to_string = "it is bound to a key (cnf), and bearer tokens only are accepted")]
    Bound,
    #[strum(to_string = "no key verifies it")]
    Signature,
    #[strum(to_string = "it is of another issuer")]
    Issuer,
    #[strum(to_string = "it is for another audience")]
    Audience,
    #[strum(to_string = "it has no exp")]
    NoEnd,
    #[strum(to_string = "it has expired")]
    Expired,
    #[strum(to_string = "it is not valid yet")]
    Early,
    #[strum(to_string = "it names no subject")]
    NoSubject,
    /// Whether it is one cannot be known at present.
    #[strum(to_string = "the issuer's keys are not known at present")]
    NoKeys,
    /// It is good, and lacks a scope.
    #[strum(to_string = "it lacks a scope")]
    Scope,
}

impl Verifier {
    pub(crate) fn new(settings: Jwt, clock: Clock) -> Self {
        signatures::install();
        let keys = Arc::new(Keys::new(settings.keys.clone(), settings.times));
        Self { settings, keys, clock }
    }

    /// Whether a token that was verified is still to be believed.
    pub(crate) fn holds(&self, verified: &Verified) -> bool {
        self.clock.seconds() < verified.ends && self.keys.has(&verified.key)
    }

    /// How long it is until a token that was verified ends.
    pub(crate) fn left(&self, verified: &Verified) -> Duration {
        Duration::from_secs(verified.ends.saturating_sub(self.clock.seconds()))
    }

    /// Checks a token. Returns its claims, too.
    pub(crate) fn verify(&self, token: &str) -> Result<(Map<String, Value>, Verified), Rejection> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| Rejection::Malformed)?;
        let accepted = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];
        // We understand none of the extensions that a token can demand (RFC 7515 §4.1.11).
        if !accepted.contains(&header.alg) || header.crit.is_some() {
            return Err(Rejection::Malformed);
        }
        if !header.typ.as_deref().is_none_or(is_of_access_tokens) {
            return Err(Rejection::Type);
        }
        let keys = self.keys.current().ok_or(Rejection::NoKeys)?;
        let mut validation = Validation::new(header.alg);
        validation.required_spec_claims.clear();
        // Claims are checked below, by our clock.
        (validation.validate_exp, validation.validate_nbf, validation.validate_aud) = (false, false, false);
        let verified = keys.of(header.alg, header.kid.as_deref()).find_map(|key| {
            let data = jsonwebtoken::decode::<Map<String, Value>>(token, &key.decoding, &validation).ok()?;
            Some((data.claims, key.digest))
        });
        let (claims, key) = verified.ok_or(Rejection::Signature)?;
        let ends = self.check(&claims)?;
        Ok((claims, Verified { key, ends }))
    }

    /// Checks claims; returns when they end.
    fn check(&self, claims: &Map<String, Value>) -> Result<u64, Rejection> {
        let Jwt { issuer, audience, required_scopes, .. } = &self.settings;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("iss") != Some(issuer) {
            return Err(Rejection::Issuer);
        }
        let is_ours = match claims.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(several)) => several.iter().any(|one| one == audience.as_str()),
            _ => false,
        };
        if !is_ours {
            return Err(Rejection::Audience);
        }
        let now = self.clock.seconds();
        let ends = seconds(claims.get("exp")).ok_or(Rejection::NoEnd)?.saturating_add(SKEW);
        if now >= ends {
            return Err(Rejection::Expired);
        }
        match claims.get("nbf").map(|from| seconds(Some(from))) {
            Some(None) => return Err(Rejection::Early),
            Some(Some(from)) if now.saturating_add(SKEW) < from => return Err(Rejection::Early),
            _ => {}
        }
        // Only who proves that the key is theirs may use such a token (RFC 7800, RFC 9449, RFC 8705).
        if claims.contains_key("cnf") {
            return Err(Rejection::Bound);
        }
        if entry::subject(claims).is_none() {
            return Err(Rejection::NoSubject);
        }
        if !entry::has_scopes(claims, required_scopes) {
            return Err(Rejection::Scope);
        }
        Ok(ends)
    }
}

/// A clock. Cheap to clone.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// A clock that shows what a function returns.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Seconds since 1970.
    fn seconds(&self) -> u64 {
        // A clock before 1970 makes every token expired or not yet valid, or is off by less than its skew.
        (self.0)().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Clock(..)")
    }
}

/// Whether a `typ` is one of access tokens, explicit (RFC 9068) or general: the same issuer signs other JWTs by the same
/// key, for logouts, proofs or identities (RFC 8725 §3.11).
fn is_of_access_tokens(typ: &str) -> bool {
    let typ = typ.to_ascii_lowercase();
    // The prefix is implied where it is left out (RFC 7515 §4.1.9).
    matches!(typ.strip_prefix("application/").unwrap_or(&typ), "at+jwt" | "jwt")
}

/// A NumericDate, in whole seconds.
fn seconds(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    let rounded = || {
        let number = value.as_f64().filter(|number| (0.0..9e15).contains(number))?;
        // Within the range of exact integers.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Some(number as u64)
    };
    value.as_u64().or_else(rounded)
}
