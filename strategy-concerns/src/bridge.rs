//! The tool `choose_concerns`, by which clients without concerns of their own choose (docs/CONTRACT.md B11).

use mcp_disclosure_core::{Concern, Notes, OwnTool, RawObject, ToolAnswer, Values, brief::shorten};
use serde_json::{Map, Value, json};

use crate::wording;

/// The name of the tool.
pub const NAME: &str = "choose_concerns";

/// Maximum number of values that the schema of a concern lists.
const MOST_VALUES: usize = 100;

/// Maximum length of a concern's description in the schema, in characters.
const LONGEST_DESCRIPTION: usize = 300;

/// Maximum size of its arguments: that of choices, which may be JSON in a string, where a character may take six bytes.
pub const MAX_BYTES: usize = 6 * crate::choices::MAX_BYTES;

/// The member of its arguments that has the choices, as in the parameters of `updateConcerns`.
const ARGUMENT: &str = "concerns";

/// The tool, where these concerns are declared and these values are in force.
pub fn tool(declared: &[Concern], in_force: &Notes) -> OwnTool {
    let values = declared.iter().map(|concern| (concern.name().to_owned(), schema(concern)));
    let input = json!({
        "type": "object",
        "properties": {ARGUMENT: {
            "type": "object",
            "description": wording::BRIDGE_ARGUMENT,
            "properties": Value::Object(values.collect()),
            "additionalProperties": false,
        }},
        "required": [ARGUMENT],
    });
    OwnTool::new(NAME, &wording::bridge(declared, in_force), &input).read_only()
}

fn schema(concern: &Concern) -> Value {
    let values = match concern.values() {
        Values::Range { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
        // Upstreams declare concerns, too. What is not permitted is refused with the values.
        Values::Listed(values) if values.len() > MOST_VALUES => json!({}),
        Values::Listed(values) if values.iter().all(Value::is_string) => {
            json!({"type": "string", "enum": values})
        }
        Values::Listed(values) => json!({"enum": values}),
    };
    let mut choice = json!({"anyOf": [values, {"type": "null"}]});
    if !concern.description().is_empty() {
        choice["description"] = shorten(concern.description(), LONGEST_DESCRIPTION).into();
    }
    choice
}

/// The choices in the arguments of a call, as JSON text. Choices beside `concerns`, and choices as JSON in a string, are
/// understood.
pub fn choices(mut arguments: Value, declared: &[Concern]) -> String {
    let is_concern = declared.iter().any(|concern| concern.name() == ARGUMENT);
    let inner = arguments.as_object_mut().and_then(|arguments| arguments.shift_remove(ARGUMENT));
    match inner {
        None => arguments.to_string(),
        Some(Value::String(text)) if serde_json::from_str::<Map<String, Value>>(&text).is_ok() => text,
        Some(inner) if is_concern && !inner.is_object() => {
            arguments[ARGUMENT] = inner;
            arguments.to_string()
        }
        Some(inner) => inner.to_string(),
    }
}

/// The answer to a call: that of `updateConcerns`, and how many tools fit what is in force now.
pub fn answer(updated: &RawObject, fitting: usize) -> ToolAnswer {
    let answer = updated.with_value("tools_listed", &fitting);
    // It was made of JSON values.
    let content = serde_json::from_str(answer.text()).unwrap_or_default();
    ToolAnswer { content, is_error: false }
}

/// The answer to choices that are refused; nothing changed.
pub fn refusal(message: &str) -> ToolAnswer {
    ToolAnswer { content: json!({"error": {"code": "INVALID_CONCERNS", "message": message}}), is_error: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(name: &str) -> Vec<Concern> {
        vec![
            Concern::new(name, "What it costs", Values::Listed(vec![json!("low"), json!("high")]), None)
                .unwrap(),
        ]
    }

    #[test]
    fn b11_choices_are_found_wherever_a_model_puts_them() {
        for (arguments, expected) in [
            (json!({"concerns": {"cost": "low"}}), r#"{"cost":"low"}"#),
            (json!({"cost": "low"}), r#"{"cost":"low"}"#),
            (json!({"concerns": r#"{"cost":"low"}"#}), r#"{"cost":"low"}"#),
            (json!({}), "{}"),
            (json!({"concerns": "low"}), "\"low\""),
            (json!({"concerns": null}), "null"),
        ] {
            assert_eq!(choices(arguments, &declared("cost")), expected);
        }
        let named_alike = json!({"concerns": "low"});
        assert_eq!(choices(named_alike.clone(), &declared("concerns")), named_alike.to_string());
        let inside = json!({"concerns": {"concerns": "low"}});
        assert_eq!(choices(inside, &declared("concerns")), named_alike.to_string());
    }

    #[test]
    fn b11_the_description_stays_short_however_much_is_declared() {
        let values = || Values::Listed((0..1000).map(|at| json!(format!("value {at}"))).collect());
        let many: Vec<Concern> = (0..100)
            .map(|at| Concern::new(format!("concern {at}"), "x ".repeat(5000), values(), None).unwrap())
            .collect();
        let definition = tool(&many, &Notes::new());
        let description = definition.definition().string("description").unwrap();
        assert!(description.len() <= 2_000, "{}", description.len());
        assert!(description.contains("more in the parameters"), "{description}");
    }
}
