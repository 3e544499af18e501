//! JSON with comments and trailing commas.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{ObjectProp, Value as Json},
    common::Ranged,
    parse_to_ast,
};

use super::{Member, Node, SyntaxError, Value};

/// The extensions of VS Code and Zed; anything else is more likely a mistake.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| SyntaxError {
        at: error.range().start,
        message: error.kind().to_string().to_lowercase(),
    })?;
    Ok(parsed.value.map_or(Node::new(0, 0, Value::Null), node))
}

/// Recursion is safe: the parser limits the depth.
fn node(json: Json<'_>) -> Node {
    let (at, end) = (json.start(), json.end());
    let value = match json {
        Json::NullKeyword(_) => Value::Null,
        Json::BooleanLit(literal) => Value::Bool(literal.value),
        Json::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        Json::StringLit(literal) => Value::Text(literal.value.into_owned()),
        Json::Array(array) => Value::List(array.elements.into_iter().map(node).collect()),
        Json::Object(object) => Value::Table(object.properties.into_iter().map(member).collect()),
    };
    Node::new(at, end, value)
}

fn member(property: ObjectProp<'_>) -> Member {
    let (at, name_end) = (property.name.start(), property.name.end());
    Member { at, name_end, name: property.name.into_string(), node: node(property.value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_trailing_commas_line_ends_and_names_that_occur_twice_are_read() {
        let text = "{ // one\r\n  \"a\": [1, true, /* two */ null,],\r\n  \"a\": \"\\u00fc\",\r\n}";
        let node = parse(text).unwrap();
        assert_eq!(node.members().len(), 2);
        assert_eq!(node.members()[0].node.items().len(), 3);
        assert_eq!(node.get("a").unwrap().text(), Some("ü"), "the last one counts");
        assert_eq!(&text[node.members()[1].at..][..3], "\"a\"");
    }

    #[test]
    fn slips_are_refused_with_their_place() {
        for (text, at, message) in [
            ("{\"a\": 1 \"b\": 2}", 7, "expected comma"),
            ("{a: 1}", 1, "expected string"),
            ("{\"a\": 'b'}", 6, "single-quoted"),
            ("{", 0, "unterminated object"),
            ("{} {}", 3, "more than one"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.at == at && error.message.contains(message), "{text}: {error:?}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
