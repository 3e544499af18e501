//! Concerns: properties that hosts can choose by, such as cost or security, and each primitive's values for them
//! (concern-based-filtering).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::raw::RawObject;

/// A declared concern. As JSON it is what clients are sent: `name`, `description`, `values` and, if there is one, `default`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Concern {
    name: String,
    description: String,
    values: Values,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
}

/// A declaration as it was sent.
#[derive(Deserialize)]
struct Declared {
    name: String,
    description: Option<String>,
    values: Values,
    default: Option<Value>,
}

/// The values that a concern may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// A list of strings, numbers or booleans. Their order can be significant.
    Listed(Vec<Value>),
    /// A number from `min` to `max`, inclusive.
    Range {
        /// The lower bound.
        min: Number,
        /// The upper bound.
        max: Number,
    },
}

/// Why a declaration of a concern is invalid, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConcernError(String);

impl Concern {
    /// Declares a concern.
    ///
    /// # Errors
    /// The first thing that is invalid.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        values: Values,
        default: Option<Value>,
    ) -> Result<Self, ConcernError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(ConcernError("a concern has no name".to_owned()));
        }
        let misfit = || {
            let value = default.as_ref().filter(|value| !values.have(value))?;
            Some(format!("concern '{name}': the default {value} is not among its values: {values}"))
        };
        if let Some(problem) = values.problem(&name).or_else(misfit) {
            return Err(ConcernError(problem));
        }
        Ok(Self { name, description: description.into(), values, default })
    }

    /// Reads a declaration as servers send it; `None` if it is invalid.
    pub fn read(declaration: &RawObject) -> Option<Self> {
        let declared: Declared = serde_json::from_str(declaration.text()).ok()?;
        let description = declared.description.unwrap_or_default();
        Self::new(declared.name, description, declared.values, declared.default).ok()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its description, for people.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The permitted values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The default value, if one is declared.
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }
}

impl Values {
    /// The first thing that is wrong with those of a concern.
    fn problem(&self, concern: &str) -> Option<String> {
        match self {
            Self::Range { min, max } => {
                let is_upside_down = min.as_f64() > max.as_f64();
                is_upside_down.then(|| format!("concern '{concern}': min {min} is greater than max {max}"))
            }
            Self::Listed(values) if values.is_empty() => Some(format!("concern '{concern}' has no values")),
            Self::Listed(values) => values.iter().enumerate().find_map(|(at, value)| {
                let is_twice = values[..at].iter().any(|earlier| same(earlier, value));
                if !is_scalar(value) {
                    Some(format!(
                        "concern '{concern}': value {value} must be a string, a number or a boolean"
                    ))
                } else if is_twice {
                    Some(format!("concern '{concern}' lists the value {value} twice"))
                } else {
                    None
                }
            }),
        }
    }

    /// Whether a value is permitted.
    pub fn have(&self, value: &Value) -> bool {
        match self {
            Self::Listed(values) => values.iter().any(|listed| same(listed, value)),
            Self::Range { min, max } => {
                let value = value.as_f64();
                value.is_some() && min.as_f64() <= value && value <= max.as_f64()
            }
        }
    }

    /// The permitted value that is meant: this one, or the number or boolean that a string spells, as in flags and
    /// addresses. `None` if there is none.
    ///
    /// ```
    /// # use mcp_disclosure_core::Values;
    /// # use serde_json::json;
    /// let values = Values::Listed(vec![json!("low"), json!(3), json!(true)]);
    /// assert_eq!(values.understood(&json!("3")), Some(json!(3)));
    /// assert_eq!(values.understood(&json!("high")), None);
    /// ```
    pub fn understood(&self, value: &Value) -> Option<Value> {
        if self.have(value) {
            return Some(value.clone());
        }
        let spelled: Value = serde_json::from_str(value.as_str()?).ok()?;
        let permitted = (spelled.is_number() || spelled.is_boolean()) && self.have(&spelled);
        permitted.then_some(spelled)
    }

    /// The permitted value nearest to this one (docs/CONTRACT.md C7 `clamp`): by size among numbers and in ranges; in
    /// other lists an integer is an index, from 0. `None` if the type differs.
    pub fn nearest(&self, value: &Value) -> Option<Value> {
        let wanted = value.as_f64()?;
        match self {
            Self::Range { min, max } => {
                let end = if Some(wanted) < min.as_f64() { min } else { max };
                Some(if self.have(value) { value.clone() } else { Value::Number(end.clone()) })
            }
            Self::Listed(values) if values.iter().all(Value::is_number) => {
                let distance = |listed: &Value| listed.as_f64().map_or(f64::MAX, |it| (it - wanted).abs());
                values.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).cloned()
            }
            Self::Listed(values) => {
                // Casts from floats saturate.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let position = (wanted.round() as usize).min(values.len() - 1);
                values.get(position).cloned()
            }
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { min, max } => write!(formatter, "{min} to {max}"),
            Self::Listed(values) => {
                formatter.write_str(&values.iter().map(plain).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A value for people: a string without quotes.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A primitive's values by concern. It fits every value of a concern that is not mapped.
///
/// A value is a scalar, or a list of scalars; for a range, a list has the two bounds of a sub-range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(BTreeMap<String, Value>);

impl Mapping {
    /// The mapping in a primitive's `_meta.concerns`, if there is one.
    pub fn of_meta(primitive: &RawObject) -> Self {
        let concerns = primitive.object("_meta").and_then(|meta| meta.object("concerns"));
        concerns.map(|concerns| Self::default().with(concerns.text())).unwrap_or_default()
    }

    /// The mapping with the members of this JSON object laid over it, name by name. Other JSON is ignored.
    pub fn with(mut self, concerns: &str) -> Self {
        self.0.extend(serde_json::from_str::<BTreeMap<String, Value>>(concerns).unwrap_or_default());
        self
    }

    /// The mapping with what it lacks from a weaker one, name by name.
    pub fn over(mut self, weaker: Self) -> Self {
        for (name, value) in weaker.0 {
            self.0.entry(name).or_insert(value);
        }
        self
    }

    /// The names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The primitive with this mapping in its `_meta.concerns`.
    pub fn shown_in(&self, primitive: &RawObject) -> RawObject {
        if self.is_empty() {
            return primitive.clone();
        }
        let meta = primitive.object("_meta").unwrap_or_default();
        primitive.with("_meta", meta.with_value("concerns", &self.0).text())
    }

    /// Whether the primitive fits a host that chose this value of a concern (docs/CONTRACT.md C4, C8).
    pub fn fits(&self, concern: &Concern, chosen: &Value) -> bool {
        match (self.0.get(concern.name()), concern.values()) {
            (None | Some(Value::Null), _) => true,
            (Some(Value::Array(ends)), Values::Range { .. }) => match (ends.as_slice(), chosen.as_f64()) {
                ([low, high], Some(chosen)) => {
                    low.as_f64() <= Some(chosen) && high.as_f64().is_some_and(|high| chosen <= high)
                }
                _ => false,
            },
            (Some(Value::Array(several)), Values::Listed(_)) => several.iter().any(|one| same(one, chosen)),
            (Some(one), _) => same(one, chosen),
        }
    }

    /// The first mapped value that no host can choose: a value that is not permitted, or a sub-range outside the range.
    pub fn misfit(&self, concern: &Concern) -> Option<&Value> {
        let value = self.0.get(concern.name()).filter(|value| !value.is_null())?;
        let fits = match (value, concern.values()) {
            (Value::Array(ends), Values::Range { .. }) => {
                ends.len() == 2
                    && ends.iter().all(|end| concern.values().have(end))
                    && ends[0].as_f64() <= ends[1].as_f64()
            }
            (Value::Array(several), values) => {
                !several.is_empty() && several.iter().all(|one| values.have(one))
            }
            (one, values) => values.have(one),
        };
        (!fits).then_some(value)
    }
}

fn is_scalar(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

/// Whether two values are equal; numbers by size, so that 1 equals 1.0.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
#[path = "concern_tests.rs"]
mod tests;
