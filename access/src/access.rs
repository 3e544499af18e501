//! The admission: who a request is from, and what exists for them.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use mcp_disclosure_core::{Grant, Permits, Principal, RawObject};
use mcp_disclosure_gateway::{Admission, Admittance, Arriving, Denied};
use parking_lot::{Mutex, RwLock};
use quick_cache::sync::Cache;

use crate::{
    bearer::{self, Why},
    entry::{Identified, permits_of},
    error::Error,
    jwt::{Clock, Rejection, Verified, Verifier},
    metadata,
    settings::Settings,
    source::Http,
    tokens::{Fingerprint, Tokens, fingerprint},
};

/// Callers whose tokens need no check again; those used least are checked again.
const MOST_KNOWN: usize = 10_000;

/// Permissions under profiles that are made once; those used least are made again.
const MOST_NARROWED: usize = 1_000;

/// How often token files are read, and whether a JWT's key was withdrawn is asked while a stream is open.
const LOOKING: Duration = Duration::from_secs(2);

/// Who may come in, and what exists for whom.
#[derive(Debug)]
pub struct Access {
    in_force: RwLock<Arc<InForce>>,
    /// Held while they are replaced.
    replacing: Mutex<()>,
    clock: Clock,
}

/// What is in force until it is replaced as a whole.
#[derive(Debug)]
struct InForce {
    settings: Settings,
    tokens: Tokens,
    jwt: Option<Arc<Verifier>>,
    known: Cache<Fingerprint, Arc<Known>>,
    /// What permissions come down to under a profile, by its place in the list.
    narrowed: Cache<(Permits, usize), Permits>,
}

/// A caller whose token was checked.
#[derive(Debug)]
struct Known {
    principal: Principal,
    /// If it is a JWT.
    verified: Option<Verified>,
}

impl Access {
    /// Puts settings in force. Within a runtime.
    ///
    /// # Errors
    /// Every token that cannot be read.
    pub fn new(settings: Settings) -> Result<Self, Vec<Error>> {
        Self::with_clock(settings, Clock::default())
    }

    /// The same with another time of day.
    ///
    /// # Errors
    /// Every token that cannot be read.
    pub fn with_clock(settings: Settings, clock: Clock) -> Result<Self, Vec<Error>> {
        let in_force = InForce::new(settings, &clock, None)?;
        Ok(Self { in_force: RwLock::new(Arc::new(in_force)), replacing: Mutex::default(), clock })
    }

    /// What is in force.
    pub fn settings(&self) -> Settings {
        self.in_force().settings.clone()
    }

    /// Replaces settings, and reads tokens again. Returns whether anything differs that callers may notice.
    ///
    /// # Errors
    /// Every token that cannot be read; the old settings stay.
    pub fn replace(&self, settings: Settings) -> Result<bool, Vec<Error>> {
        let _alone = self.replacing.lock();
        let before = self.in_force();
        let new = InForce::new(settings, &self.clock, Some(&before))?;
        let differs = new.settings != before.settings || new.tokens != before.tokens;
        if differs {
            *self.in_force.write() = Arc::new(new);
        }
        Ok(differs)
    }

    /// Reads tokens again. A token whose file was deleted is withdrawn; one that cannot be read stays as it was. Returns
    /// whether any differs, and what was wrong.
    fn read_tokens(&self) -> (bool, Vec<String>) {
        let _alone = self.replacing.lock();
        let before = self.in_force();
        let (tokens, problems) = Tokens::read(&before.settings.tokens, &before.tokens);
        let consequence = |name: &str| match tokens.has(name) {
            true => "the token that was read before stays",
            false => "it is not accepted any more",
        };
        let problems =
            problems.iter().map(|problem| format!("{problem}; {}", consequence(&problem.name))).collect();
        let differs = tokens != before.tokens;
        if differs {
            let new = InForce::of(before.settings.clone(), tokens, before.jwt.clone());
            *self.in_force.write() = Arc::new(new);
        }
        (differs, problems)
    }

    /// Reads token files again when they change; `changed` is called after each change, until it or this is dropped.
    pub fn follow_tokens(self: &Arc<Self>, changed: impl Fn() + Send + 'static) {
        let access = Arc::downgrade(self);
        tokio::spawn(look(access, changed));
    }

    /// Reads an issuer's keys now, so that the first token does not come before them.
    ///
    /// # Errors
    /// Why they cannot be read. That is tried again.
    pub async fn read_keys(&self) -> Result<(), Error> {
        let Some(jwt) = self.in_force().jwt.clone() else { return Ok(()) };
        let unread = |problem| Error::Keys { from: jwt.keys.to_string(), problem };
        jwt.keys.refresh(&Http::new()?).await.map_err(unread)
    }

    fn in_force(&self) -> Arc<InForce> {
        Arc::clone(&self.in_force.read())
    }
}

async fn look(access: Weak<Access>, changed: impl Fn()) {
    let mut turn = tokio::time::interval(LOOKING);
    let mut complained = Vec::new();
    loop {
        turn.tick().await;
        let Some(access) = access.upgrade() else { return };
        let reading = tokio::task::spawn_blocking(move || access.read_tokens());
        let Ok((differs, problems)) = reading.await else { continue };
        if differs {
            tracing::info!("tokens were read again");
            changed();
        }
        for problem in problems.iter().filter(|problem| !complained.contains(*problem)) {
            tracing::warn!("{problem}");
        }
        complained = problems;
    }
}

impl InForce {
    fn new(settings: Settings, clock: &Clock, before: Option<&Self>) -> Result<Self, Vec<Error>> {
        let none = Tokens::default();
        let former = before.map_or(&none, |before| &before.tokens);
        let (tokens, problems) = Tokens::read(&settings.tokens, former);
        if !problems.is_empty() {
            return Err(problems.into_iter().map(Error::from).collect());
        }
        // The keys that are known stay, where nothing about them changes.
        let same =
            before.filter(|before| before.settings.jwt == settings.jwt).and_then(|before| before.jwt.clone());
        let jwt = match (same, settings.jwt.clone()) {
            (None, Some(settings)) => {
                let jwt = Arc::new(Verifier::new(settings, clock.clone()));
                let http = Http::new().map_err(|problem| vec![problem])?;
                tokio::spawn(Arc::clone(&jwt.keys).follow(http));
                Some(jwt)
            }
            (same, _) => same,
        };
        Ok(Self::of(settings, tokens, jwt))
    }

    fn of(settings: Settings, tokens: Tokens, jwt: Option<Arc<Verifier>>) -> Self {
        let (known, narrowed) = (Cache::new(MOST_KNOWN), Cache::new(MOST_NARROWED));
        Self { settings, tokens, jwt, known, narrowed }
    }

    /// Who has this token, and until when that is known.
    fn identify(&self, token: &str) -> Result<Admittance, Rejection> {
        let digest = fingerprint(token);
        let holds = |known: &Known| match (&known.verified, &self.jwt) {
            (Some(verified), Some(jwt)) => jwt.holds(verified),
            (verified, _) => verified.is_none(),
        };
        if let Some(known) = self.known.get(&digest).filter(|known| holds(known)) {
            return Ok(self.admittance(&known));
        }
        let (who, verified) = match (self.tokens.name_of(&digest), &self.jwt) {
            (Some(name), _) => (Identified::Token(name.to_owned()), None),
            (None, Some(jwt)) => {
                let (claims, verified) = jwt.verify(token)?;
                (Identified::Claims(claims), Some(verified))
            }
            (None, None) => return Err(Rejection::Signature),
        };
        let principal = Principal::new(who.id(), permits_of(&self.settings.principals, &who));
        let known = Arc::new(Known { principal, verified });
        self.known.insert(digest, Arc::clone(&known));
        Ok(self.admittance(&known))
    }

    /// Nothing but a change of settings or tokens ends what is known of a bearer token, and that is announced.
    fn admittance(&self, known: &Known) -> Admittance {
        let left =
            known.verified.zip(self.jwt.as_ref()).map(|(verified, jwt)| jwt.left(&verified).min(LOOKING));
        Admittance { principal: known.principal.clone(), until: left.map(|left| Instant::now() + left) }
    }

    fn authenticate(&self, request: &Arriving<'_>) -> Result<Admittance, Denied> {
        if !self.settings.guarded {
            return Ok(Principal::anonymous().into());
        }
        let token = bearer::token(request.headers);
        token.and_then(|token| self.identify(token).map_err(Why::Rejected)).map_err(|why| {
            if let Why::Rejected(rejection) = why {
                tracing::debug!(reason = %rejection, "token rejected");
            }
            bearer::denied(self.settings.jwt.as_ref(), request.headers, why)
        })
    }

    /// The same caller under a profile, if there is one of this name.
    fn narrowed(&self, principal: &Principal, name: &str) -> Option<Principal> {
        let profiles = &self.settings.profiles;
        let at = profiles.iter().position(|profile| profile.name == name)?;
        let key = (principal.permits().clone(), at);
        let permits = self.narrowed.get(&key).unwrap_or_else(|| {
            let permits = key.0.and(&profiles[at].permits);
            self.narrowed.insert(key, permits.clone());
            permits
        });
        Some(principal.clone().permitted(permits))
    }
}

#[async_trait]
impl Admission for Access {
    async fn admit(&self, request: &Arriving<'_>) -> Result<Admittance, Denied> {
        let in_force = self.in_force();
        let Admittance { principal, until } = in_force.authenticate(request)?;
        let principal = match request.profile {
            Some(name) => in_force.narrowed(&principal, name).ok_or_else(|| Denied::unknown_profile(name))?,
            None => principal,
        };
        Ok(Admittance { principal, until })
    }

    fn on_stdio(&self) -> Principal {
        let in_force = self.in_force();
        let Settings { principals, stdio_principal, stdio_profile, .. } = &in_force.settings;
        let principal = match stdio_principal {
            None => Principal::anonymous(),
            Some(name) => {
                let entry = principals.iter().find(|entry| entry.name == *name);
                // One that is gone since may use nothing.
                let permits =
                    entry.map_or_else(|| Permits::of([Grant::nothing()]), |entry| entry.permits.clone());
                Principal::new(format!("principal:{name}"), permits)
            }
        };
        let Some(name) = stdio_profile else { return principal };
        // One that is gone since permits nothing.
        let narrowed = in_force.narrowed(&principal, name);
        narrowed.unwrap_or_else(|| principal.permitted(Permits::of([Grant::nothing()])))
    }

    fn open_document(&self, request: &Arriving<'_>) -> Option<RawObject> {
        let in_force = self.in_force();
        let settings = &in_force.settings;
        settings.guarded.then(|| metadata::document(settings.jwt.as_ref(), request)).flatten()
    }
}
