//! Admission: which callers are accepted, and as which principal.

use std::{fmt, sync::Arc, time::Instant};

use async_trait::async_trait;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, request::Parts};
use mcp_disclosure_core::{Principal, RawObject};
use mcp_disclosure_transport::{ErrorText, code};

use super::Gateway;
use crate::session::Location;

/// A request over HTTP before its body is read. Its `Host` and `Origin` were checked.
#[derive(Clone, Copy, Debug)]
pub struct Arriving<'a> {
    /// The method.
    pub method: &'a Method,
    /// The request target.
    pub target: &'a Uri,
    /// All headers, as received.
    pub headers: &'a HeaderMap,
    /// The profile that its path names.
    pub profile: Option<&'a str>,
}

/// A request with this head, at this place of the endpoint.
pub(crate) fn arriving<'a>(head: &'a Parts, location: Option<&'a Location>) -> Arriving<'a> {
    let profile = location.and_then(|location| location.profile.as_deref());
    Arriving { method: &head.method, target: &head.uri, headers: &head.headers, profile }
}

/// A request that is not accepted.
#[derive(Clone, Debug)]
pub struct Denied {
    /// The HTTP status.
    pub status: StatusCode,
    /// The `WWW-Authenticate` header.
    pub challenge: Option<HeaderValue>,
    /// The body's error. Clients that are not authenticated read it.
    pub error: ErrorText,
}

impl Denied {
    /// There is no profile of this name.
    pub fn unknown_profile(name: &str) -> Self {
        let message = format_args!("no profile '{name}' is offered here");
        let error = ErrorText::new(code::INVALID_REQUEST, message);
        Self { status: StatusCode::NOT_FOUND, challenge: None, error }
    }
}

/// A request that is accepted.
#[derive(Clone, Debug)]
pub struct Admittance {
    /// Who it is from, with its permissions.
    pub principal: Principal,
    /// When admission is to be asked again, while an event stream answers the request. It ends if the request would then not be
    /// accepted, or be another principal's. `None`: only when permissions change.
    pub until: Option<Instant>,
}

impl From<Principal> for Admittance {
    fn from(principal: Principal) -> Self {
        Self { principal, until: None }
    }
}

/// A caller that was admitted.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// Who it is, with its permissions.
    pub principal: Principal,
    /// When event streams are admitted again.
    pub(crate) until: Option<Instant>,
    /// The last change of permissions before that.
    pub(crate) at: u64,
    /// Headers of its request that upstreams of its own are sent.
    pub(crate) forwarded: Option<Arc<HeaderMap>>,
}

impl Gateway {
    /// Admits a request over HTTP.
    ///
    /// # Errors
    /// The response to a request that is not accepted.
    pub(crate) async fn admit_request(&self, request: &Arriving<'_>) -> Result<Admitted, Denied> {
        // Looked at first: what changes from here on is not in the permissions for certain.
        let at = self.common.last_change();
        let Admittance { principal, until } = self.admission.admit(request).await?;
        let forwarded = principal.id().and_then(|_| self.common.backends.forwarded(request.headers));
        Ok(Admitted { principal, until, at, forwarded })
    }

    /// Whether permissions may have changed since a caller was admitted.
    pub(crate) fn is_outdated(&self, admitted: &Admitted) -> bool {
        self.common.last_change() != admitted.at
    }

    /// Admits a message of the client on stdio.
    pub(crate) fn admit_on_stdio(&self) -> Admitted {
        let at = self.common.last_change();
        Admitted { principal: self.admission.on_stdio(), until: None, at, forwarded: None }
    }
}

/// Decides who comes in. An authenticating front door implements this.
#[async_trait]
pub trait Admission: fmt::Debug + Send + Sync + 'static {
    /// The principal of a request over HTTP, with the permissions that it has now. Called once for each request, and again if
    /// permissions change while its body is read, while it waits or while an event stream answers it, and when
    /// [`Admittance::until`] says.
    ///
    /// # Errors
    /// The response to a request that is not accepted.
    async fn admit(&self, request: &Arriving<'_>) -> Result<Admittance, Denied>;

    /// The principal of the client on stdio, with the permissions that it has now. Called once for each message.
    fn on_stdio(&self) -> Principal;

    /// The document that anyone may read at a request's path, such as the metadata by which clients find the authorization
    /// server (RFC 9728). It is sent as JSON.
    fn open_document(&self, _request: &Arriving<'_>) -> Option<RawObject> {
        None
    }
}

/// Admits everyone as this caller, and knows no profiles.
#[derive(Clone, Debug)]
pub struct Open(pub Principal);

#[async_trait]
impl Admission for Open {
    async fn admit(&self, request: &Arriving<'_>) -> Result<Admittance, Denied> {
        let anyone = || Ok(self.0.clone().into());
        request.profile.map_or_else(anyone, |name| Err(Denied::unknown_profile(name)))
    }

    fn on_stdio(&self) -> Principal {
        self.0.clone()
    }
}
