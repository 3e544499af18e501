//! What authorizes requests to an endpoint: one header, obtained by the owner of the connection. A request that is refused
//! with it is sent once more, if the owner has another one.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use reqwest::{
    RequestBuilder, Response, StatusCode,
    header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE},
};

use super::{Link, Unauthorized};
use crate::HttpError;

/// The longest challenge that is passed on, in bytes.
const LONGEST_CHALLENGE: usize = 8192;

/// Obtains the `Authorization` header of requests to one endpoint. The header goes to that endpoint's origin only:
/// redirects to another one are not followed.
#[async_trait]
pub trait Authorization: Send + Sync + fmt::Debug {
    /// The header for the next request; `None` if it is sent without one.
    ///
    /// # Errors
    /// If there is no point in sending the request.
    async fn header(&self) -> Result<Option<HeaderValue>, Unauthorized>;

    /// A request was refused, which was `sent` with this header, for the second time if `is_second`. Returns the header to send it with once more; `None` if
    /// the refusal stands as it is.
    ///
    /// # Errors
    /// What the refusal means.
    async fn refused(
        &self,
        sent: Option<&HeaderValue>,
        challenge: &Challenge,
        is_second: bool,
    ) -> Result<Option<HeaderValue>, Unauthorized>;

    /// Waits until the next request may have a header that the last one did not have.
    async fn changed(&self);

    /// Whether requests are sent as somebody. What the endpoint lists is then theirs.
    fn is_signed_in(&self) -> bool;

    /// Everything that distinguishes it from others, secrets included.
    fn identity(&self) -> &str;
}

/// An [`Authorization`]; equal to those of the same identity.
#[derive(Clone, Debug)]
pub struct Authorizer(pub Arc<dyn Authorization>);

impl PartialEq for Authorizer {
    fn eq(&self, other: &Self) -> bool {
        self.0.identity() == other.0.identity()
    }
}

/// A refusal of a request: HTTP 401, or 403 where other scopes are needed.
#[derive(Clone, PartialEq, Eq)]
pub struct Challenge {
    /// The status.
    pub status: StatusCode,
    /// The values of `WWW-Authenticate`, those that are text.
    pub headers: Vec<String>,
}

/// Omits the headers, which are long and of the server's choice.
impl fmt::Debug for Challenge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Challenge").field("status", &self.status).finish_non_exhaustive()
    }
}

impl Challenge {
    /// The challenge of this response, if it is one.
    pub fn of(response: &Response) -> Option<Self> {
        let status = response.status();
        let values = response.headers().get_all(WWW_AUTHENTICATE).iter();
        let short =
            values.filter_map(|value| value.to_str().ok()).filter(|value| value.len() <= LONGEST_CHALLENGE);
        let challenge = Self { status, headers: short.map(str::to_owned).collect() };
        let counts = match status {
            StatusCode::UNAUTHORIZED => true,
            StatusCode::FORBIDDEN => challenge.asks_for_scopes(),
            _ => false,
        };
        counts.then_some(challenge)
    }

    /// Whether a bearer token may be what is missing: no other scheme is asked for alone.
    pub fn may_be_for_tokens(&self) -> bool {
        let is_bearer = |header: &String| header.to_ascii_lowercase().contains("bearer");
        self.headers.is_empty() || self.headers.iter().any(is_bearer)
    }

    /// Whether the request needs scopes that were not granted (RFC 6750 §3.1).
    pub fn asks_for_scopes(&self) -> bool {
        self.status == StatusCode::FORBIDDEN
            && self.headers.iter().any(|header| header.contains("insufficient_scope"))
    }
}

impl Link {
    /// Sends a request with the header that authorizes it. One that is refused is sent again once, if there is another
    /// header.
    pub(super) async fn execute(&self, request: RequestBuilder) -> Result<Response, HttpError> {
        let failed = |error: reqwest::Error| HttpError::from(&error);
        let Some(Authorizer(authorization)) = &self.endpoint.authorization else {
            return request.send().await.map_err(failed);
        };
        let again = request.try_clone();
        let header = authorization.header().await?;
        let response = with(request, header.as_ref()).send().await.map_err(failed)?;
        let Some(challenge) = Challenge::of(&response) else { return Ok(response) };
        let renewed = authorization.refused(header.as_ref(), &challenge, false).await?;
        let (Some(header), Some(again)) = (renewed, again) else { return Ok(response) };
        let response = with(again, Some(&header)).send().await.map_err(failed)?;
        if let Some(challenge) = Challenge::of(&response) {
            authorization.refused(Some(&header), &challenge, true).await?;
        }
        Ok(response)
    }
}

fn with(request: RequestBuilder, header: Option<&HeaderValue>) -> RequestBuilder {
    match header {
        Some(header) => request.header(AUTHORIZATION, header),
        None => request,
    }
}
