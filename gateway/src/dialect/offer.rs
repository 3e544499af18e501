//! The client's side of strategy negotiation.

use mcp_disclosure_core::{EXTENSION, GROUPS, RawObject, SKILLS};
use mcp_disclosure_drafts::variants::{SERVER_VARIANTS, VariantHints};
use mcp_disclosure_transport::{ErrorText, code};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::DRAFTS;

/// A client's disclosure offer, from any dialect. Malformed parts are ignored. A store keeps it with the session, by short
/// names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Offer {
    /// Supported strategies, preferred first.
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<String>,
    /// Whether it wants tool lists without `inputSchema`.
    #[serde(rename = "i", skip_serializing_if = "std::ops::Not::not")]
    pub omit_input_schema: bool,
    /// Whether it wants the shortest lists: names and descriptions.
    #[serde(rename = "h", skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// Whether it discloses by itself, such as another gateway, and asks for complete definitions.
    #[serde(rename = "c", skip_serializing_if = "std::ops::Not::not")]
    pub complete: bool,
    /// What it says of server variants; `None` if it does not support them.
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    pub variants: Option<VariantHints>,
    /// The whole offer, as settings of the extension, for strategies. Empty if there is none.
    #[serde(rename = "o", skip_serializing_if = "RawObject::is_empty")]
    pub settings: RawObject,
    /// The ids of other extensions that it declares.
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

/// The extension by which clients and servers run tasks since 2026-07-28 (SEP-2663).
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// That a request needs that extension, which its client does not declare.
pub(crate) fn needs_tasks() -> ErrorText {
    let message = format_args!("Missing required client capability: the extension {TASKS}");
    ErrorText::new(code::MISSING_CAPABILITY, message)
        .with_data(&json!({"requiredCapabilities": {"extensions": {TASKS: {}}}}))
}

/// Maximum preferences that are read.
const MOST_STRATEGIES: usize = 64;

/// Where extensions are declared; SDKs that do not know the first keep what is in the second.
const PLACES: [&str; 2] = ["extensions", "experimental"];

/// Maximum extensions that are read in each place.
const MOST_EXTENSIONS: usize = 64;

impl Offer {
    /// Parses the offer in a client's capabilities.
    pub fn read(capabilities: &RawObject) -> Self {
        let places: Vec<RawObject> = PLACES.iter().filter_map(|place| capabilities.object(place)).collect();
        let extensions: Vec<String> = places.iter().flat_map(declared).collect();
        let settings = places.iter().find_map(|place| place.object(EXTENSION));
        let variants = VariantHints::read(capabilities).filter(|_| DRAFTS);
        let Some(settings) = settings else { return Self { extensions, variants, ..Self::default() } };
        let strategies: Vec<serde_json::Value> = settings.value("strategies").unwrap_or_default();
        let names = strategies.iter().filter_map(|name| name.as_str()).take(MOST_STRATEGIES);
        Self {
            strategies: names.map(str::to_owned).collect(),
            omit_input_schema: settings.member("omitInputSchema") == Some("true"),
            shortest: settings.member("shortest") == Some("true"),
            complete: settings.member("complete") == Some("true"),
            variants,
            settings,
            extensions,
        }
    }

    /// Whether the client declares an extension.
    pub fn declares(&self, extension: &str) -> bool {
        self.extensions.iter().any(|declared| declared == extension)
    }

    /// Whether the client said nothing of disclosure, in any dialect.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.strategies.is_empty()
    }

    /// Client capabilities with this gateway's half of the extension: it discloses by itself, and asks for complete
    /// definitions. Groups and skills are read through, so they are asked for as well. Only the choices of concerns are the client's.
    pub fn ours(capabilities: &RawObject) -> RawObject {
        let ours = RawObject::assemble([("strategies", r#"["full"]"#), ("complete", "true")]);
        let ours = match Self::read(capabilities).settings.member("concerns") {
            Some(concerns) => ours.with("concerns", concerns),
            None => ours,
        };
        let extensions = capabilities.object("extensions").unwrap_or_default();
        // A variant would be one of the upstream's lists, and the client is to choose among ours.
        let extensions = extensions.retain(|key| key != SERVER_VARIANTS);
        let extensions = extensions.with(EXTENSION, ours.text()).with(GROUPS, "{}").with(SKILLS, "{}");
        capabilities.with("extensions", extensions.text())
    }

    /// Capabilities with the extension of tasks, or without.
    pub fn with_tasks(capabilities: &RawObject, tasks: bool) -> RawObject {
        let extensions = capabilities.object("extensions").unwrap_or_default().retain(|key| key != TASKS);
        let extensions = if tasks { extensions.with(TASKS, "{}") } else { extensions };
        capabilities.with("extensions", extensions.text())
    }

    /// Adds what 002 places beside the capabilities: `concerns` in the parameters of `initialize`.
    pub fn with_concerns(self, params: &RawObject) -> Self {
        match params.member("concerns") {
            Some(concerns) => Self { settings: self.settings.with("concerns", concerns), ..self },
            None => self,
        }
    }
}

/// The extensions other than this project's that are declared with settings, as they must be.
fn declared(place: &RawObject) -> Vec<String> {
    let declared = place.iter().filter(|(id, settings)| *id != EXTENSION && settings.starts_with('{'));
    declared.take(MOST_EXTENSIONS).map(|(id, _)| id.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_offer_from_either_place_and_ignores_nonsense() {
        for (capabilities, strategies, said) in [
            (r#"{"extensions":{"ID":{"strategies":["a","b"]}}}"#, vec!["a", "b"], true),
            (r#"{"experimental":{"ID":{"strategies":["a",7],"x":1}}}"#, vec!["a"], true),
            (r#"{"extensions":{"ID":{"strategies":"a"}}}"#, vec![], true),
            (r#"{"extensions":{"ID":{"strategies":null,"concerns":7,"unheard-of":{}}}}"#, vec![], true),
            (
                r#"{"extensions":{"ID":{"strategies":["a","a",""],"omitInputSchema":"yes"}}}"#,
                vec!["a", "a", ""],
                true,
            ),
            (r#"{"extensions":{"ID":null}}"#, vec![], false),
            (r#"{"extensions":7}"#, vec![], false),
            ("{}", vec![], false),
        ] {
            let offer = Offer::read(&RawObject::parse(capabilities.replace("ID", EXTENSION)).unwrap());
            assert_eq!(
                (offer.strategies, !offer.settings.is_empty()),
                (strategies.iter().map(|s| (*s).to_owned()).collect(), said)
            );
            assert!(!offer.omit_input_schema);
        }
    }

    #[test]
    fn a_thousand_preferences_are_not_read() {
        let names: Vec<String> = (0..1000).map(|at| at.to_string()).collect();
        let capabilities = serde_json::json!({"extensions": {EXTENSION: {"strategies": names}}});
        let offer = Offer::read(&RawObject::parse(capabilities.to_string()).unwrap());
        assert_eq!(offer.strategies, names[..MOST_STRATEGIES]);
    }

    #[test]
    fn concerns_beside_the_capabilities_join_what_is_said_in_them() {
        let capabilities =
            RawObject::parse(format!(r#"{{"extensions":{{"{EXTENSION}":{{"x":1,"concerns":{{"a":1}}}}}}}}"#));
        let params = RawObject::parse(r#"{"concerns":{"b":2}}"#).unwrap();
        let offer = Offer::read(&capabilities.unwrap());
        assert_eq!(offer.clone().with_concerns(&params).settings.text(), r#"{"x":1,"concerns":{"b":2}}"#);
        assert_eq!(offer.clone().with_concerns(&RawObject::empty()), offer);
        assert_eq!(Offer::default().with_concerns(&params).settings.text(), r#"{"concerns":{"b":2}}"#);
    }
}
