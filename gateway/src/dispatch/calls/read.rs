//! `resources/read`, `prompts/get` and `completion/complete`: answered by the strategy or forwarded to the
//! upstream that has the item.

use std::sync::Arc;

use mcp_disclosure_core::{Fault, Kind, RawObject, SKILLS_INDEX, given::shown};
use mcp_disclosure_transport::{ErrorText, code};

use super::{Answer, Calls};
use crate::{
    backend::unknown_resource,
    catalogue::Page,
    dialect::{complete, read_result},
    dispatch::{Caller, common::text_of},
};

impl Calls {
    /// Reads a resource.
    pub(crate) async fn read(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let uri = text_of(params, "uri")?;
        if uri.is_empty() {
            return Err(ErrorText::invalid_params("the resource URI must not be empty"));
        }
        let fetches = caller.services(&self.common.fetches);
        let own = self.asked(caller, page, ("resources/read", params), &fetches).await;
        let (mut error, is_corrected) = match own {
            Ok((own, effects)) => {
                self.carry_out(caller, effects, &fetches).await?;
                if let Some(own) = own {
                    return Ok(read_result(caller.era(), own.into()));
                }
                (unknown_resource(&page.view, &uri), false)
            }
            Err(fault @ Fault::NotFound { .. }) => (fault.into(), true),
            Err(fault) => return Err(fault.into()),
        };
        let (own, slots) = caller.backend.owners(page, &uri);
        let params = if *own == *uri { params.clone() } else { params.with_value("uri", &own) };
        if *uri == *SKILLS_INDEX
            && let Some(index) = Box::pin(self.index(caller, page, &params)).await
        {
            return Ok(read_result(caller.era(), index));
        }
        for slot in slots {
            let request = caller.upstream_call("resources/read", params.clone());
            match self.relay(caller, &slot, request).await.map_err(ErrorText::from) {
                Ok(result) => match result.readable(&page.view, (&own, &uri))? {
                    Some(result) => return Ok(read_result(caller.era(), result)),
                    None => continue,
                },
                Err(refused)
                    if refused.code() != code::UPSTREAM_FAILED && page.is_unlisted_and_guarded(&uri) =>
                {
                    tracing::debug!(upstream = slot.name().map(|name| name.as_str()), error = ?refused, "a resource could not be read");
                }
                // Another upstream may have it.
                Err(refused) if is_not_found(&refused) && !is_corrected => error = refused,
                Err(refused) if is_not_found(&refused) => {}
                Err(refused) => return Err(refused),
            }
        }
        Err(error)
    }

    /// Gets a prompt.
    pub(crate) async fn prompt(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let name = text_of(params, "name")?;
        let entry = page.view.entry(Kind::Prompts, &name);
        let entry = entry
            .ok_or_else(|| ErrorText::invalid_params(format_args!("Unknown prompt: {}", shown(&name))))?;
        let params = params.with_value("name", entry.upstream_key());
        let slot = caller.backend.slot(entry.upstream())?;
        let result = self.relay(caller, &slot, caller.upstream_call("prompts/get", params)).await?;
        Ok(complete(caller.era(), result.shown(&page.view)?))
    }

    /// Completes an argument of a prompt or of a resource template.
    pub(crate) async fn completion(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let reference =
            params.object("ref").ok_or_else(|| ErrorText::invalid_params("params.ref must be an object"))?;
        let (kind, member) = match reference.string("type").as_deref() {
            Some("ref/prompt") => (Kind::Prompts, "name"),
            Some("ref/resource") => (Kind::Templates, "uri"),
            _ => return Err(ErrorText::invalid_params("params.ref.type must be ref/prompt or ref/resource")),
        };
        let key = reference.string(member).unwrap_or_default();
        let listed = || page.view.entry(Kind::Resources, &key).filter(|_| kind == Kind::Templates);
        let known = page.view.entry(kind, &key).or_else(listed);
        let slots = caller.backend.slots();
        let (slot, reference) = match (known, &*slots) {
            (Some(entry), _) => {
                let reference = reference.with_value(member, entry.upstream_key());
                (caller.backend.slot(entry.upstream())?, reference)
            }
            // An upstream's error for an unknown URI would distinguish it from a hidden one.
            (None, [only]) if kind == Kind::Templates && !page.view.guards_resources() => {
                (Arc::clone(only), reference)
            }
            _ => return Err(ErrorText::invalid_params(format_args!("Unknown reference: {}", shown(&key)))),
        };
        let params = params.with("ref", reference.text());
        let request = caller.upstream_call("completion/complete", params.clone());
        let result = self.relay(caller, &slot, request).await?;
        Ok(complete(caller.era(), result.suggested(&page.view, &params)?))
    }
}

/// Whether an upstream says that it does not have what was asked for.
pub(super) fn is_not_found(error: &ErrorText) -> bool {
    matches!(error.code(), code::RESOURCE_NOT_FOUND | code::INVALID_PARAMS | code::METHOD_NOT_FOUND)
}
