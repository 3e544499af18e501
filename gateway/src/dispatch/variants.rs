//! Requests that name a server variant (SEP-2053): each is served by that strategy.

use std::borrow::Cow;

use mcp_disclosure_core::Era;
use mcp_disclosure_transport::{ErrorText, Json, Request};

use super::{Caller, Gateway};
use crate::dialect::{requested, without_variant};

impl Gateway {
    /// Answers a request, by the variant that it names if it names one. Upstreams do not see the name.
    pub(super) async fn answer_varied(&self, caller: &Caller, request: &Request) -> Result<Json, ErrorText> {
        let Some(variant) = requested(&request.params) else { return self.answer(caller, request).await };
        let caller = match caller.era() {
            // The caller of a stateless request is made for the variant.
            Era::Stateless => Cow::Borrowed(caller),
            Era::Session => {
                let mut varied = caller.clone();
                varied.choice = self.strategies.vary(&caller.choice, &variant)?;
                Cow::Owned(varied)
            }
        };
        let request = Request { params: without_variant(&request.params), ..request.clone() };
        Box::pin(self.answer(&caller, &request)).await
    }
}
