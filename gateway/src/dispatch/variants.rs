//! Requests that name a server variant (SEP-2053): each is served by that strategy.

use mcp_disclosure_drafts::variants::{requested, without_variant};
use mcp_disclosure_transport::{ErrorText, Request};

use super::{Caller, Gateway};
use crate::DRAFTS;

impl Gateway {
    /// The caller and the request as served by the variant that the request names; `None` if it names none. Upstreams do
    /// not see the name.
    ///
    /// # Errors
    /// -32602 if the caller cannot choose the variant.
    pub(super) fn varied(
        &self,
        caller: &Caller,
        request: &Request,
    ) -> Result<Option<(Caller, Request)>, ErrorText> {
        let Some(variant) = requested(&request.params).filter(|_| DRAFTS) else { return Ok(None) };
        let mut varied = caller.clone();
        // The caller of a stateless request is made for the variant already, if it may choose that.
        varied.choice = self.strategies.vary(&caller.choice, caller.principal.permits(), &variant)?;
        let request = Request { params: without_variant(&request.params), ..request.clone() };
        Ok(Some((varied, request)))
    }
}
