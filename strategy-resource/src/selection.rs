//! The tools that a read of the resource selects: the `tools` parameter of the URI.

use mcp_disclosure_core::{Names, View, descriptions_uri};
use percent_encoding::percent_decode_str;

/// The resource's URI, before the query.
pub const BASE_URI: &str = "resource:///tool_descriptions";

/// The URI that fetches these tools.
pub fn uri_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    descriptions_uri(BASE_URI, names)
}

/// The names in a URI, in order, each once; `None` if it is not a URI of this resource.
///
/// Names are separated by commas, percent-decoded and, unless a tool has blanks at the ends of its name, trimmed;
/// several `tools=` are joined. Some clients encode the separating comma too, so an unknown name with a comma counts as
/// several.
pub fn from_uri<'v>(uri: &str, view: &'v View) -> Option<Names<'v>> {
    let (whole, _fragment) = uri.split_once('#').unwrap_or((uri, ""));
    let (base, query) = whole.split_once('?').unwrap_or((whole, ""));
    if base != BASE_URI {
        return None;
    }
    let mut names = Names::of(view);
    for parameter in query.split('&') {
        let Some(("tools", list)) = parameter.split_once('=') else { continue };
        let is_read = list.split(',').all(|piece| {
            let name = percent_decode_str(piece).decode_utf8_lossy();
            let is_known = [&*name, name.trim()].into_iter().any(|name| view.tool(name).is_some());
            if is_known { names.add(&name) } else { names.add_list(&name) }
        });
        if !is_read {
            break;
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::fixtures::{self, named};

    use super::*;

    fn view() -> View {
        fixtures::view(&[named("u", ["a", "b", "x,y", "ü ?", " x "])])
    }

    fn names(uri: &str) -> Vec<String> {
        from_uri(uri, &view()).unwrap().at_most(64).unwrap()
    }

    #[test]
    fn names_are_parsed_from_a_uri() {
        for (query, expected) in [
            ("", vec![]),
            ("?", vec![]),
            ("?tools=", vec![]),
            ("?tools=,%20,", vec![]),
            ("?other=1", vec![]),
            ("?tools=b,a,b", vec!["b", "a"]),
            ("?tools=%20a%20&x=1&tools=A", vec!["a", "A"]),
            ("?tools=a%2Cb", vec!["a", "b"]),
            ("?tools=x%2Cy", vec!["x,y"]),
            ("?tools=%C3%BC%20%3F", vec!["ü ?"]),
            ("?tools=a#b", vec!["a"]),
            ("?tools=%20x%20,%20a%20", vec![" x ", "a"]),
            ("?tools= x ,x", vec![" x ", "x"]),
        ] {
            assert_eq!(names(&format!("{BASE_URI}{query}")), expected, "{query}");
        }
        assert!(from_uri("resource:///tool_descriptions2?tools=a", &view()).is_none());
        let many = format!("{BASE_URI}?tools={}&tools=a", "a,b,".repeat(1_000_000));
        assert!(from_uri(&many, &view()).unwrap().at_most(64).is_err());
    }

    #[test]
    fn names_survive_a_round_trip() {
        let written = uri_of(["x,y", "ü ?", "a", " x "]);
        assert_eq!(names(&written), ["x,y", "ü ?", "a", " x "]);
    }
}
