//! The places where a tool has words, and their weights.

use std::collections::BTreeMap;

use mcp_disclosure_core::{SettingKind, SettingValue, VisibleTool};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};
use strum::EnumCount;

use crate::words::beginning;

/// Maximum depth of nested parameters that are read.
const DEEPEST: usize = 3;

/// Maximum length of the text of one field, in bytes. Real tools have less than a tenth of it.
const LONGEST: usize = 32 * 1024;

/// The largest weight: sums of larger ones could be infinite.
const HEAVIEST: f32 = 1000.0;

/// A place where a tool has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[derive(strum::Display, strum::EnumCount, strum::EnumIter)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[repr(u8)]
pub enum Field {
    /// Its name.
    Name,
    /// Its title.
    Title,
    /// Its brief, where the operator wrote one.
    Brief,
    /// Words that its author added for searches.
    Keywords,
    /// Its description.
    Description,
    /// Names of its parameters.
    Parameters,
    /// Descriptions and permitted values of its parameters.
    ParameterDescriptions,
    /// The upstream's name.
    Upstream,
    /// The category's name.
    Category,
}

/// The weight of a word by field, from 0 to 1000. A field of weight 0 is not searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights([f32; Field::COUNT]);

impl Default for Weights {
    fn default() -> Self {
        // In the order of the fields.
        Self([3.0, 1.0, 1.0, 3.0, 1.0, 1.0, 0.5, 1.0, 0.5])
    }
}

impl SettingValue for Weights {
    const KIND: SettingKind = SettingKind::Table;
}

impl Weights {
    pub(crate) fn of(&self, field: Field) -> f32 {
        self.0[field as usize]
    }
}

/// The defaults with the given weights. Each is checked here, so that an error names it.
impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut weights = Self::default();
        // What is not finite has no JSON, and comes as `null`.
        for (field, weight) in BTreeMap::<Field, Option<f32>>::deserialize(deserializer)? {
            let weight = weight.filter(|weight| (0.0..=HEAVIEST).contains(weight));
            let wrong =
                || D::Error::custom(format_args!("weights.{field} must be a number from 0 to {HEAVIEST}"));
            weights.0[field as usize] = weight.ok_or_else(wrong)?;
        }
        Ok(weights)
    }
}

/// The texts of a tool by field, in the order of [`Field`].
pub(crate) fn texts(tool: VisibleTool<'_>, category: &str) -> [String; Field::COUNT] {
    let definition = tool.tool().definition();
    let annotated = || definition.object("annotations").and_then(|annotations| annotations.string("title"));
    let title = definition.string("title").or_else(annotated).unwrap_or_default();
    let schema = definition.member("inputSchema").unwrap_or("{}");
    let mut parameters = Parameters::default();
    if let Ok(schema) = serde_json::from_str::<Value>(schema) {
        parameters.add(&schema, DEEPEST);
    }
    let keywords: Vec<String> = tool
        .tool()
        .supplement()
        .part("keywords")
        .and_then(|keywords| serde_json::from_str(keywords).ok())
        .unwrap_or_default();
    let mut texts = [
        tool.tool().upstream_name().to_string(),
        title,
        // One that is derived from the description would count its words twice.
        tool.tool().supplement().brief.clone().unwrap_or_default(),
        keywords.join(" "),
        definition.string("description").unwrap_or_default(),
        parameters.names,
        parameters.descriptions,
        tool.tool().upstream().to_string(),
        category.to_owned(),
    ];
    texts.iter_mut().for_each(|text| text.truncate(beginning(text, LONGEST).len()));
    texts
}

/// What a schema says of parameters.
#[derive(Default)]
struct Parameters {
    names: String,
    descriptions: String,
}

impl Parameters {
    fn add(&mut self, schema: &Value, depth: usize) {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flat_map(Map::iter) {
            append(&mut self.names, name);
            if let Some(description) = schema.get("description").and_then(Value::as_str) {
                append(&mut self.descriptions, description);
            }
            let options = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            options.filter_map(Value::as_str).for_each(|option| append(&mut self.descriptions, option));
            if depth > 1 {
                self.add(schema, depth - 1);
                if let Some(items) = schema.get("items") {
                    self.add(items, depth - 1);
                }
            }
        }
    }
}

fn append(text: &mut String, more: &str) {
    if text.len() < LONGEST {
        text.push(' ');
        text.push_str(more);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s7_weights_are_numbers_that_sums_can_hold() {
        let given: Weights =
            serde_json::from_value(json!({"name": 0, "parameter_descriptions": 1000})).unwrap();
        let fields = [Field::Name, Field::ParameterDescriptions, Field::Title];
        assert_eq!(fields.map(|field| given.of(field)), [0.0, 1000.0, 1.0]);
        for wrong in
            [json!(-1), json!(-1e-9), json!(1001), json!(1e39), json!(f64::NAN), json!(f64::INFINITY)]
        {
            let error = serde_json::from_value::<Weights>(json!({"title": wrong})).unwrap_err().to_string();
            assert_eq!(error, "weights.title must be a number from 0 to 1000", "{wrong}");
        }
        let error = serde_json::from_value::<Weights>(json!({"nmae": 1})).unwrap_err().to_string();
        assert!(error.contains("nmae") && error.contains("`name`"), "{error}");
    }
}
