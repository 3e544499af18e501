//! Requests that could only be refused here, where nothing stands between a client and one upstream: the upstream refuses them in
//! its own words (docs/CONTRACT.md F8).

use mcp_disclosure_core::{Kind, RawObject};
use mcp_disclosure_transport::{ErrorText, LoggingLevel, Request};

use super::{Answer, Calls, passage::recorded};
use crate::{
    catalogue::Page,
    dialect::complete,
    dispatch::{RequestContext, common::fresh},
    observe::Outcome,
    slot::Slot,
};

impl Calls {
    /// Whether a request is one of these: it is malformed, or names a task or a prompt that there is none of.
    pub(crate) fn may_be_left(&self, cx: &RequestContext<'_>) -> bool {
        let Request { method, params, .. } = cx.request;
        let has_no_task = || params.string("taskId").is_some_and(|id| !self.tasks.has(cx, &id));
        is_transparent(cx)
            && match is_about_task(method) {
                true => cx.choice.traits.tasks && has_no_task(),
                false => is_refused(cx.page, method, params),
            }
    }

    /// The upstream's answer to such a request; `None` if the gateway answers it.
    pub(crate) async fn left_to_upstream(&self, cx: &RequestContext<'_>) -> Option<Answer> {
        let request = cx.request;
        let slots = cx.backend.slots();
        let [only] = &*slots else { return None };
        // The task is not looked for again: one that began meanwhile is not to be asked for by the client's id.
        if is_about_task(&request.method) {
            return self.refused_task(cx, only).await.map(Err);
        }
        if let Err(error) = recorded(cx).await {
            return Some(Err(error));
        }
        let left = cx.upstream_call(&*request.method, request.params.clone());
        let result = self.relay(cx, only, left).await;
        cx.watch.decides(Outcome::Invalid);
        Some(result.and_then(|result| Ok(complete(cx.era(), result.shown(&cx.page.view)?))))
    }

    /// What the upstream says of a task that there is none of. It is asked for an id that no client has: the client's could be the
    /// upstream's own of a task that is another client's.
    async fn refused_task(&self, cx: &RequestContext<'_>, only: &Slot) -> Option<ErrorText> {
        let (given, nobodys) = (cx.request.params.member("taskId")?, fresh("a state").ok()?);
        let params = RawObject::empty().with_value("taskId", &*nobodys);
        let left = cx.upstream_call(&*cx.request.method, params);
        let error = self.relay(cx, only, left).await.err()?;
        if !error.is_relayed() {
            return Some(error);
        }
        let given = given.strip_prefix('"').and_then(|given| given.strip_suffix('"'))?;
        Some(ErrorText::relayed(error.text().as_str().replace(&*nobodys, given).into()))
    }
}

/// Whether the upstream is the client's alone, and the client is listed all that it lists.
fn is_transparent(cx: &RequestContext<'_>) -> bool {
    cx.backend.client().is_some()
        && cx.page.is_complete
        && cx.page.view.hides_nothing()
        && cx.principal.permits().see_all()
}

fn is_about_task(method: &str) -> bool {
    matches!(method, "tasks/get" | "tasks/result" | "tasks/cancel")
}

fn is_refused(page: &Page, method: &str, params: &RawObject) -> bool {
    let lacks = |key: &str| params.decoded(key).is_none_or(|text| text.is_empty());
    let is_unknown = |kind, key: &str| page.view.entry(kind, key).is_none();
    match method {
        "tools/call" => lacks("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => lacks("uri"),
        "prompts/get" => is_unknown(Kind::Prompts, &params.string("name").unwrap_or_default()),
        "completion/complete" => {
            params.object("ref").is_none_or(|reference| match reference.string("type").as_deref() {
                Some("ref/prompt") => {
                    is_unknown(Kind::Prompts, &reference.string("name").unwrap_or_default())
                }
                Some("ref/resource") => false,
                _ => true,
            })
        }
        "logging/setLevel" => {
            params.string("level").is_none_or(|level| level.parse::<LoggingLevel>().is_err())
        }
        _ => false,
    }
}
