//! Concerns: what a host may care about, such as cost or security, and what each primitive means for it (002).

use std::{collections::BTreeMap, fmt};

use serde_json::{Number, Value, json};

use crate::raw::RawObject;

/// One thing that a host may care about, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concern {
    name: String,
    description: String,
    values: Values,
    default: Option<Value>,
}

/// The values that a concern may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// One of these strings, numbers or booleans; their order may mean something.
    Listed(Vec<Value>),
    /// A number from `min` to `max`, both included.
    Range {
        /// The least.
        min: Number,
        /// The greatest.
        max: Number,
    },
}

/// Why a concern cannot be declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConcernError {
    /// It has no name.
    #[error("a concern has no name")]
    NoName,
    /// It lists no values.
    #[error("concern '{concern}' has no values")]
    NoValues {
        /// The concern.
        concern: String,
    },
    /// A value is no string, number or boolean.
    #[error("concern '{concern}': value {value} must be a string, a number or a boolean")]
    NoScalar {
        /// The concern.
        concern: String,
        /// The value.
        value: Value,
    },
    /// A value is listed twice.
    #[error("concern '{concern}' lists the value {value} twice")]
    Twice {
        /// The concern.
        concern: String,
        /// The value.
        value: Value,
    },
    /// A range ends before it begins.
    #[error("concern '{concern}': the range is upside down, min {min} is greater than max {max}")]
    UpsideDown {
        /// The concern.
        concern: String,
        /// Its `min`.
        min: Number,
        /// Its `max`.
        max: Number,
    },
    /// The default is none of the values.
    #[error("concern '{concern}': the default {value} is not among its values: {values}")]
    DefaultOutside {
        /// The concern.
        concern: String,
        /// The default.
        value: Value,
        /// The values.
        values: Values,
    },
}

impl Concern {
    /// Declares a concern.
    ///
    /// # Errors
    /// What about it cannot be.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        values: Values,
        default: Option<Value>,
    ) -> Result<Self, ConcernError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(ConcernError::NoName);
        }
        values.check(&name)?;
        if let Some(value) = default.as_ref().filter(|value| !values.have(value)) {
            return Err(ConcernError::DefaultOutside { concern: name, value: value.clone(), values });
        }
        Ok(Self { name, description: description.into(), values, default })
    }

    /// Its name, which hosts choose by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, for people.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The values that it may take.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// What it is taken for where the host chose nothing.
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// The declaration as it goes over the wire: `name`, `description`, `values` and, where there is one,
    /// `default`.
    pub fn declaration(&self) -> Value {
        let values = match &self.values {
            Values::Listed(values) => json!(values),
            Values::Range { min, max } => json!({"min": min, "max": max}),
        };
        let mut declaration = json!({"name": self.name, "description": self.description, "values": values});
        if let Some(default) = &self.default {
            declaration["default"] = default.clone();
        }
        declaration
    }
}

impl Values {
    fn check(&self, concern: &str) -> Result<(), ConcernError> {
        let concern = || concern.to_owned();
        match self {
            Self::Range { min, max } if number(min) > number(max) => {
                Err(ConcernError::UpsideDown { concern: concern(), min: min.clone(), max: max.clone() })
            }
            Self::Range { .. } => Ok(()),
            Self::Listed(values) if values.is_empty() => Err(ConcernError::NoValues { concern: concern() }),
            Self::Listed(values) => {
                for (at, value) in values.iter().enumerate() {
                    if !is_scalar(value) {
                        return Err(ConcernError::NoScalar { concern: concern(), value: value.clone() });
                    }
                    if values[..at].iter().any(|earlier| same(earlier, value)) {
                        return Err(ConcernError::Twice { concern: concern(), value: value.clone() });
                    }
                }
                Ok(())
            }
        }
    }

    /// Whether this is one of them.
    pub fn have(&self, value: &Value) -> bool {
        match self {
            Self::Listed(values) => values.iter().any(|listed| same(listed, value)),
            Self::Range { min, max } => {
                value.as_f64().is_some_and(|value| number(min) <= Some(value) && Some(value) <= number(max))
            }
        }
    }

    /// The value of theirs that is nearest to this one (contract C7 `clamp`): by size among numbers and in
    /// ranges; among others, a whole number counts as a position in the list, from 0. `None` where nothing is
    /// near: the value is of another type.
    pub fn nearest(&self, value: &Value) -> Option<Value> {
        let wanted = value.as_f64()?;
        match self {
            Self::Range { min, max } => {
                let end = if Some(wanted) < number(min) { min } else { max };
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
                for (at, value) in values.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    match value {
                        Value::String(text) => write!(formatter, "{comma}{text}")?,
                        other => write!(formatter, "{comma}{other}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// What a primitive means for concerns, by the concerns' names. Of a concern that is not named it fits every
/// value.
///
/// A value is a scalar; a list is several of them, or for a range the two ends of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(BTreeMap<String, Value>);

impl Mapping {
    /// Reads the mapping in a primitive's `_meta.concerns`, if there is one.
    pub fn of_meta(primitive: &RawObject) -> Self {
        let concerns = primitive.object("_meta").and_then(|meta| meta.object("concerns"));
        concerns.map(|concerns| Self::default().with(concerns.text())).unwrap_or_default()
    }

    /// The same with what this JSON object says laid over it, name by name. Anything else says nothing.
    pub fn with(mut self, concerns: &str) -> Self {
        self.0.extend(serde_json::from_str::<BTreeMap<String, Value>>(concerns).unwrap_or_default());
        self
    }

    /// The names and values, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The primitive with this in its `_meta.concerns`.
    pub fn shown_in(&self, primitive: &RawObject) -> RawObject {
        if self.is_empty() {
            return primitive.clone();
        }
        let meta = primitive.object("_meta").unwrap_or_default();
        primitive.with("_meta", meta.with_value("concerns", &self.0).text())
    }

    /// Whether the primitive fits a host that chose this value of a concern (contract C4, C8).
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

    /// What of it no host can ever choose, for a concern that is declared: a value that it does not have, or a
    /// part of a range that is no part of it.
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

/// Whether two values are the same; numbers by size, so that 1 is 1.0.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

fn number(number: &Number) -> Option<f64> {
    number.as_f64()
}

#[cfg(test)]
#[path = "concern_tests.rs"]
mod tests;
