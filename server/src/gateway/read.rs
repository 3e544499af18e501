//! `resources/read`, `prompts/get` and `completion/complete`: to the strategy first, then to whoever
//! brings the thing.

use mcp_disclosure_core::{Entry, Kind, RawObject, ResourceText, ResourceUri};
use serde_json::json;

use super::{Caller, Gateway};
use crate::{
    catalogue::Page,
    dialect::{complete, read_result},
    upstream::Upstream,
    wire::{ErrorText, Json, code},
};

impl Gateway {
    /// Reads a resource.
    pub(super) async fn read(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let uri =
            params.string("uri").ok_or_else(|| ErrorText::invalid_params("params.uri must be a string"))?;
        let uri = ResourceUri::parse(&uri).map_err(ErrorText::invalid_params)?;
        let fetches = self.fetches.of(&caller.label);
        let cx = caller.context(self, &page.view, &fetches);
        let outcome = caller.choice.strategy.read_resource(&cx, &uri).await;
        self.carry_out(caller, outcome.effects);
        if let Some(text) = outcome.answer? {
            return Ok(read_result(caller.era(), contents(&uri, &text)));
        }
        let mut error = not_found(&uri);
        for upstream in self.owners(page, &uri) {
            match self.relay(caller, upstream, "resources/read", params).await {
                Ok(result) => return Ok(read_result(caller.era(), result)),
                // The next one may know it.
                Err(refused) if is_not_found(&refused) => error = refused,
                Err(refused) => return Err(refused),
            }
        }
        Err(error)
    }

    /// Gets a prompt.
    pub(super) async fn prompt(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let name =
            params.string("name").ok_or_else(|| ErrorText::invalid_params("params.name must be a string"))?;
        let entry = page.view.entry(Kind::Prompts, &name);
        let entry = entry.ok_or_else(|| ErrorText::invalid_params(format_args!("Unknown prompt: {name}")))?;
        let params = params.with_value("name", entry.upstream_key());
        let result = self.relay(caller, self.upstream(entry.upstream())?, "prompts/get", &params).await?;
        Ok(complete(caller.era(), result))
    }

    /// Completes an argument of a prompt or of a resource template.
    pub(super) async fn completion(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
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
        let (upstream, reference) = match (known, self.upstreams.as_slice()) {
            (Some(entry), _) => {
                (self.upstream(entry.upstream())?, reference.with_value(member, entry.upstream_key()))
            }
            (None, [only]) if kind == Kind::Templates => (only, reference),
            _ => return Err(ErrorText::invalid_params(format_args!("Unknown reference: {key}"))),
        };
        let params = params.with("ref", reference.text());
        let result = self.relay(caller, upstream, "completion/complete", &params).await?;
        Ok(complete(caller.era(), result))
    }

    /// Who may know a resource: whoever lists it, else those with a template for it, else all with
    /// resources.
    pub(super) fn owners(&self, page: &Page, uri: &str) -> Vec<&Upstream> {
        let by_name = |entry: &Entry| self.upstream(entry.upstream()).ok();
        if let Some(owner) = page.view.entry(Kind::Resources, uri).and_then(by_name) {
            return vec![owner];
        }
        let mut owners: Vec<&Upstream> = Vec::new();
        let matching = page.view.entries(Kind::Templates).filter(|template| matches(template.key(), uri));
        let others = self.upstreams.iter().filter(|upstream| upstream.introduction().has("resources"));
        for candidate in matching.filter_map(by_name).chain(others) {
            if owners.iter().all(|owner| owner.name() != candidate.name()) {
                owners.push(candidate);
            }
        }
        owners
    }
}

fn contents(uri: &ResourceUri, text: &ResourceText) -> Json {
    Json::of(&json!({"contents": [{"uri": uri.as_str(), "mimeType": text.mime_type, "text": text.text}]}))
}

/// Spelled for sessions; the other era's spelling is the dialect's business.
fn not_found(uri: &str) -> ErrorText {
    ErrorText::new(code::RESOURCE_NOT_FOUND, format_args!("Resource not found: {uri}"))
        .with_data(&json!({"uri": uri}))
}

fn is_not_found(error: &ErrorText) -> bool {
    matches!(error.code(), code::RESOURCE_NOT_FOUND | code::INVALID_PARAMS | code::METHOD_NOT_FOUND)
}

/// Whether a URI could be an expansion of a template: its literal pieces stand in order.
fn matches(template: &str, uri: &str) -> bool {
    let mut rest = uri;
    let mut at_start = true;
    for piece in template.split('{') {
        let literal = if at_start { piece } else { piece.split_once('}').map_or("", |(_, literal)| literal) };
        if at_start {
            let Some(after) = rest.strip_prefix(literal) else { return false };
            rest = after;
            at_start = false;
        } else {
            let Some(found) = rest.find(literal) else { return false };
            rest = &rest[found + literal.len()..];
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_matches_its_expansions() {
        assert!(matches("demo://item/{id}/text", "demo://item/7/text"));
        assert!(matches("file:///{+path}", "file:///a/b"));
        assert!(!matches("demo://item/{id}/text", "demo://item/7/blob"));
        assert!(!matches("demo://item/{id}", "other://item/7"));
    }
}
