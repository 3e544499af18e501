//! The form of requests: the handshake of the session era, `_meta` and headers of the stateless era, and this client's
//! half of the negotiation.

use mcp_disclosure_core::{EXTENSION, GROUPS, Mirrored, RawObject};
use serde_json::{Value, json};

use crate::{Preferences, connection, handshake, preferences::Concerns};

/// The parameters of `initialize`, but for the revision.
pub(crate) fn hello(preferences: &Preferences) -> RawObject {
    let hello = RawObject::assemble([("capabilities", capabilities(preferences, None).text())])
        .with_value("clientInfo", &client_info(preferences));
    match preferences.concerns.is_empty() {
        true => hello,
        false => hello.with_value("concerns", &preferences.concerns),
    }
}

/// This client's capabilities; with its choices of concerns if each request has to contain them.
fn capabilities(preferences: &Preferences, concerns: Option<&Concerns>) -> RawObject {
    let mut settings = RawObject::empty();
    if !preferences.strategies.is_empty() {
        settings = settings.with_value("strategies", &preferences.strategies);
    }
    if preferences.omit_input_schema {
        settings = settings.with("omitInputSchema", "true");
    }
    if preferences.shortest {
        settings = settings.with("shortest", "true");
    }
    if let Some(concerns) = concerns.filter(|concerns| !concerns.is_empty()) {
        settings = settings.with_value("concerns", concerns);
    }
    if settings.is_empty() {
        return preferences.capabilities.clone();
    }
    let extensions = preferences.capabilities.object("extensions").unwrap_or_default();
    let extensions = extensions.with(EXTENSION, settings.text());
    let extensions = if preferences.wants_groups() { extensions.with(GROUPS, "{}") } else { extensions };
    preferences.capabilities.with("extensions", extensions.text())
}

/// What each request has in `_meta` in the stateless era.
pub(crate) fn stateless_meta(preferences: &Preferences, concerns: &Concerns) -> RawObject {
    handshake::stateless_meta(&client_info(preferences), &capabilities(preferences, Some(concerns)))
}

fn client_info(preferences: &Preferences) -> Value {
    let (name, version) = &preferences.client;
    json!({"name": name, "version": version})
}

/// The headers that mirror arguments of a call, as its schema requires (`x-mcp-header`).
pub(crate) fn mirrored(schema: &RawObject, arguments: &RawObject) -> connection::Mirrored {
    Mirrored::headers(&Mirrored::find_in(schema.text()).unwrap_or_default(), Some(arguments.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handshake::with_meta;

    fn object(value: &Value) -> RawObject {
        RawObject::parse(value.to_string()).unwrap()
    }

    #[test]
    fn each_stateless_request_has_the_metadata_c13() {
        let preferences = Preferences { omit_input_schema: true, ..Preferences::of(["describe"]) };
        let concerns = Preferences::of([]).with_concern("cost", "low").concerns;
        let params = object(&json!({"name": "ü", "_meta": {"mine": 1}}));
        let params = with_meta(&params, &stateless_meta(&preferences, &concerns));
        let params: Value = serde_json::from_str(params.text()).unwrap();
        assert_eq!(params["_meta"]["mine"], 1);
        assert_eq!(
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"][EXTENSION],
            json!({"strategies": ["describe"], "omitInputSchema": true, "concerns": {"cost": "low"}})
        );
    }

    #[test]
    fn initialize_offers_nothing_without_preferences_c13() {
        let mine = object(&json!({"roots": {}, "extensions": {"other": {}}}));
        let plain = Preferences { capabilities: mine.clone(), ..Preferences::of([]) };
        assert_eq!(hello(&plain).object("capabilities"), Some(mine));
        assert_eq!(hello(&plain).member("concerns"), None);
        let choosing = plain.with_concern("cost", 3);
        assert_eq!(hello(&choosing).member("concerns"), Some(r#"{"cost":3}"#));
    }
}
