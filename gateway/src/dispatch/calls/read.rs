//! `resources/read`, `prompts/get` and `completion/complete`: answered by the strategy or forwarded to the
//! upstream that has the item.

use std::sync::Arc;

use mcp_disclosure_core::{Fault, Kind, SKILLS_INDEX, given::shown};
use mcp_disclosure_transport::{ErrorText, code};

use super::{Answer, Calls};
use crate::{
    backend::unknown_resource,
    dialect::{complete, read_result},
    dispatch::{RequestContext, common::text_of},
};

impl Calls {
    /// Reads a resource.
    pub(crate) async fn read(&self, cx: &RequestContext<'_>) -> Answer {
        let uri = text_of(cx.params, "uri")?;
        if uri.is_empty() {
            return Err(ErrorText::invalid_params("the resource URI must not be empty"));
        }
        let (mut error, is_corrected) = match self.asked(cx).await {
            Ok(own) => {
                self.carry_out(cx).await?;
                if let Some(own) = own {
                    return Ok(read_result(cx.era(), own.into()));
                }
                (unknown_resource(&cx.page.view, &uri), false)
            }
            Err(fault @ Fault::NotFound { .. }) => (fault.into(), true),
            Err(fault) => return Err(fault.into()),
        };
        let (own, slots) = cx.backend.owners(cx.page, &uri);
        let params = if *own == *uri { cx.params.clone() } else { cx.params.with_value("uri", &own) };
        if *uri == *SKILLS_INDEX
            && let Some(index) = Box::pin(self.index(cx, &params)).await
        {
            return Ok(read_result(cx.era(), index));
        }
        for slot in slots {
            let request = cx.upstream_call("resources/read", params.clone());
            match self.relay(cx, &slot, request).await {
                Ok(result) => match result.readable(&cx.page.view, (&own, &uri))? {
                    Some(result) => return Ok(read_result(cx.era(), result)),
                    None => continue,
                },
                Err(refused)
                    if refused.code() != code::UPSTREAM_FAILED && cx.page.is_unlisted_and_guarded(&uri) =>
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
    pub(crate) async fn prompt(&self, cx: &RequestContext<'_>) -> Answer {
        let name = text_of(cx.params, "name")?;
        let entry = cx.page.view.entry(Kind::Prompts, &name);
        let entry = entry
            .ok_or_else(|| ErrorText::invalid_params(format_args!("Unknown prompt: {}", shown(&name))))?;
        let params = cx.params.with_value("name", entry.upstream_key());
        let slot = cx.backend.slot(entry.upstream())?;
        let result = self.relay(cx, &slot, cx.upstream_call("prompts/get", params)).await?;
        Ok(complete(cx.era(), result.shown(&cx.page.view)?))
    }

    /// Completes an argument of a prompt or of a resource template.
    pub(crate) async fn completion(&self, cx: &RequestContext<'_>) -> Answer {
        let reference = cx
            .params
            .object("ref")
            .ok_or_else(|| ErrorText::invalid_params("params.ref must be an object"))?;
        let (kind, member) = match reference.string("type").as_deref() {
            Some("ref/prompt") => (Kind::Prompts, "name"),
            Some("ref/resource") => (Kind::Templates, "uri"),
            _ => return Err(ErrorText::invalid_params("params.ref.type must be ref/prompt or ref/resource")),
        };
        let key = reference.string(member).unwrap_or_default();
        let listed = || cx.page.view.entry(Kind::Resources, &key).filter(|_| kind == Kind::Templates);
        let known = cx.page.view.entry(kind, &key).or_else(listed);
        let slots = cx.backend.slots();
        let (slot, reference) = match (known, &*slots) {
            (Some(entry), _) => {
                let reference = reference.with_value(member, entry.upstream_key());
                (cx.backend.slot(entry.upstream())?, reference)
            }
            // An upstream's error for an unknown URI would distinguish it from a hidden one.
            (None, [only]) if kind == Kind::Templates && !cx.page.view.guards_resources() => {
                (Arc::clone(only), reference)
            }
            _ => return Err(ErrorText::invalid_params(format_args!("Unknown reference: {}", shown(&key)))),
        };
        let params = cx.params.with("ref", reference.text());
        let request = cx.upstream_call("completion/complete", params.clone());
        let result = self.relay(cx, &slot, request).await?;
        Ok(complete(cx.era(), result.suggested(&cx.page.view, &params)?))
    }
}

/// Whether an upstream says that it does not have what was asked for.
pub(super) fn is_not_found(error: &ErrorText) -> bool {
    matches!(error.code(), code::RESOURCE_NOT_FOUND | code::INVALID_PARAMS | code::METHOD_NOT_FOUND)
}
