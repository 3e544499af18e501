//! URIs that miss the resource narrowly, and the one that was meant (docs/CONTRACT.md B6).

use mcp_disclosure_core::{Names, SOME_TOOL, View};
use percent_encoding::percent_decode_str;

use crate::selection::uri_of;

/// The parameters by which models name tools, besides the right one.
const PARAMETERS: [&str; 4] = ["tools", "tool", "names", "name"];

/// The URI of the resource that was probably meant, with the tools that were named; `None` if nothing suggests that it was
/// meant.
pub fn corrected(uri: &str, view: &View) -> Option<String> {
    let (path, query) = uri.split_once(['?', '#']).unwrap_or((uri, ""));
    let path = path.split_once(':').map_or(path, |(_, path)| path);
    let (resource, rest) = path.trim_matches('/').split_once('/').unwrap_or((path.trim_matches('/'), ""));
    if !means_descriptions(resource) {
        return None;
    }
    let mut names = Names::of(view);
    let lists = query.split('&').filter_map(|parameter| parameter.split_once('='));
    let lists = lists.filter(|(key, _)| PARAMETERS.contains(key)).map(|(_, list)| list);
    for list in lists.chain([rest]) {
        let list = percent_decode_str(list).decode_utf8_lossy();
        if !list.split([',', '/']).all(|name| names.add(name)) {
            break;
        }
    }
    // Of too many, none is named.
    let names = names.at_most(usize::MAX).unwrap_or_default();
    let example = || view.tools().next().map_or(SOME_TOOL, |tool| tool.name().as_str());
    Some(match &names[..] {
        [] => uri_of([example()]),
        names => uri_of(names.iter().map(String::as_str)),
    })
}

/// Whether a name is some form of "tool descriptions": `tool_description`, `ToolDescriptions`, `describe-tools`.
fn means_descriptions(name: &str) -> bool {
    let name = percent_decode_str(name).decode_utf8_lossy();
    let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    let letters = letters.to_lowercase();
    letters.contains("tool") && letters.contains("desc")
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::fixtures::{named, view};

    #[test]
    fn b6_near_misses_are_corrected_and_other_uris_are_not() {
        let view = view(&[named("u", ["add", "x y"])]);
        let corrected = |uri: &str| super::corrected(uri, &view);
        for (uri, meant) in [
            ("resource://tool_descriptions?tools=add", "add"),
            ("resource:///tool_description?tools=add", "add"),
            ("resource:/tool_descriptions/?tools=add,x%20y", "add,x%20y"),
            ("resource:///tool_descriptions/add", "add"),
            ("resource:///Tool%20Descriptions?name=add", "add"),
            ("mcp://tool-descriptions?names=x%20y&z=1", "x%20y"),
            ("tool_descriptions?tools=nope", "nope"),
            ("resource://tool_descriptions", "add"),
            ("resource:///describe_tools#tool=add", "add"),
        ] {
            let expected = format!("resource:///tool_descriptions?tools={meant}");
            assert_eq!(corrected(uri), Some(expected), "{uri}");
        }
        for uri in [
            "file:///tool.txt",
            "resource:///tools",
            "kit://doc",
            "x",
            "?tools=add",
            "resource:///descriptions",
        ] {
            assert_eq!(corrected(uri), None, "{uri}");
        }
    }
}
