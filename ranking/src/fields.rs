//! The places where a tool has words, and their weights.

use mcp_disclosure_core::VisibleTool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::EnumCount;

use crate::words::beginning;

/// Maximum depth of nested parameters that are read.
const DEEPEST: usize = 3;

/// Maximum length of the text of one field, in bytes. Real tools have less than a tenth of it.
const LONGEST: usize = 32 * 1024;

/// A place where a tool has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumCount, strum::EnumIter)]
#[repr(u8)]
pub enum Field {
    /// Its name.
    Name,
    /// Its title.
    Title,
    /// Its brief.
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

/// The weight of a word by field. A field of weight 0 is not searched.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// The tool's name.
    pub name: f32,
    /// Its title.
    pub title: f32,
    /// Its brief.
    pub brief: f32,
    /// Its keywords.
    pub keywords: f32,
    /// Its description.
    pub description: f32,
    /// Names of its parameters.
    pub parameters: f32,
    /// Descriptions and permitted values of its parameters.
    pub parameter_descriptions: f32,
    /// The upstream's name.
    pub upstream: f32,
    /// The category's name.
    pub category: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name: 3.0,
            title: 2.0,
            brief: 2.0,
            keywords: 3.0,
            description: 1.0,
            parameters: 0.7,
            parameter_descriptions: 0.4,
            upstream: 1.0,
            category: 0.5,
        }
    }
}

impl Weights {
    pub(crate) fn of(&self, field: Field) -> f32 {
        match field {
            Field::Name => self.name,
            Field::Title => self.title,
            Field::Brief => self.brief,
            Field::Keywords => self.keywords,
            Field::Description => self.description,
            Field::Parameters => self.parameters,
            Field::ParameterDescriptions => self.parameter_descriptions,
            Field::Upstream => self.upstream,
            Field::Category => self.category,
        }
    }
}

impl Field {
    /// How much a long text counts less: BM25's b. Names differ little in length; descriptions can ramble.
    pub(crate) fn length_penalty(self) -> f32 {
        match self {
            Self::Upstream | Self::Category => 0.2,
            Self::Name | Self::Title => 0.3,
            Self::Brief | Self::Keywords => 0.5,
            Self::Parameters => 0.6,
            Self::Description | Self::ParameterDescriptions => 0.7,
        }
    }
}

/// The texts of a tool by field, in the order of [`Field`].
pub(crate) fn texts(tool: VisibleTool<'_>, category: &str) -> [String; Field::COUNT] {
    let definition = tool.tool().definition();
    let text = |key: &str| definition.string(key).unwrap_or_default();
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
        tool.brief().to_owned(),
        keywords.join(" "),
        text("description"),
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
