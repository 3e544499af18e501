//! Pages of tools (MCP Apps): what a definition's `_meta` says of the page that shows a tool's results, and of who calls it.

use std::borrow::Cow;

use crate::raw::RawObject;

/// The members of `_meta` that are a page's URI: the older form of MCP Apps, and that of hosts before it.
const URIS: [&str; 2] = ["ui/resourceUri", "openai/outputTemplate"];

/// The member of `_meta` that has the settings of MCP Apps.
const UI: &str = "ui";

/// The member of those that is the page's URI.
const URI: &str = "resourceUri";

/// The URIs of the pages of what has this `_meta`.
pub(crate) fn of(object: &RawObject) -> Vec<String> {
    let Some(meta) = object.object("_meta") else { return Vec::new() };
    let own = meta.object(UI).and_then(|ui| ui.string(URI));
    own.into_iter().chain(URIS.iter().filter_map(|key| meta.string(key))).collect()
}

/// The object with other URIs of its pages; `None` if they stay the same.
pub fn with_pages(object: &RawObject, served: impl Fn(&str) -> Cow<'_, str>) -> Option<RawObject> {
    let renamed = |object: &RawObject, key: &str| {
        let uri = object.string(key)?;
        let served = served(&uri);
        (*served != *uri).then(|| object.with_value(key, &served))
    };
    let meta = object.object("_meta")?;
    let ui = meta.object(UI).and_then(|ui| renamed(&ui, URI));
    let mut now = ui.map(|ui| meta.with(UI, ui.text()));
    for key in URIS {
        now = renamed(now.as_ref().unwrap_or(&meta), key).or(now);
    }
    now.map(|meta| object.with("_meta", meta.text()))
}

/// Whether a host needs the tool of this definition for pages: it has one, or is called by them alone.
pub(crate) fn has_use_for(definition: &RawObject) -> bool {
    !of(definition).is_empty() || !is_for_models(definition)
}

/// Whether models may call the tool of this definition. Other tools are for its pages alone.
pub(crate) fn is_for_models(definition: &RawObject) -> bool {
    let visibility = || definition.object("_meta")?.object(UI)?.value::<Vec<String>>("visibility");
    visibility().is_none_or(|list| list.is_empty() || list.iter().any(|who| who == "model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u18_every_form_of_a_page_is_renamed() {
        let text = r#"{"name":"t","_meta":{"a":1,"ui":{"x":[],"resourceUri":"u"},"ui/resourceUri":"u","openai/outputTemplate":"v"}}"#;
        let tool = RawObject::parse(text).unwrap();
        assert!(has_use_for(&tool));
        assert_eq!(of(&tool), ["u", "u", "v"]);
        let renamed = with_pages(&tool, |uri| if uri == "u" { "ours".into() } else { uri.to_owned().into() });
        assert_eq!(renamed.unwrap().text(), text.replace("\"u\"", "\"ours\""));
        assert!(with_pages(&tool, |uri| uri.to_owned().into()).is_none());
        for text in
            ["{}", r#"{"_meta":7}"#, r#"{"_meta":{"ui":"u"}}"#, r#"{"_meta":{"ui":{"resourceUri":7}}}"#]
        {
            let tool = RawObject::parse(text).unwrap();
            assert!(of(&tool).is_empty() && with_pages(&tool, |_| "ours".into()).is_none(), "{text}");
        }
    }

    #[test]
    fn s14_only_what_says_so_is_not_for_models() {
        for (ui, is_for) in [
            (r#"{"visibility":["app"]}"#, false),
            (r#"{"visibility":["app","model"]}"#, true),
            (r#"{"visibility":["model"]}"#, true),
            (r#"{"visibility":[]}"#, true),
            (r#"{"visibility":"app"}"#, true),
            ("{}", true),
        ] {
            let tool = RawObject::parse(format!(r#"{{"name":"t","_meta":{{"ui":{ui}}}}}"#)).unwrap();
            assert_eq!(is_for_models(&tool), is_for, "{ui}");
        }
    }
}
