//! A JSON value that counts what a validator does with it.
//!
//! The validator can neither be interrupted nor asked what it will cost, but it reads instances through a trait of
//! its own. Behind that trait stands this one: every access is paid for, and where a bound is reached the validator
//! is left by unwinding (`resume_unwind`, so no panic is reported), from whatever depth of recursion it is at.
//! Refused: a bound computed beforehand for the worst case alone (ordinary unions over ordinary lists would not be
//! checked), and a validator of our own.

use std::borrow::Cow;

use jsonschema::{
    JsonType,
    json::{Array, Json, Node, NodeIdentity, Object, cmp},
};
use serde_json::{Map, Number, Value};

use super::{limits::weight, meter::Meter, unique::is_unique};
use crate::brief::shorten;

/// The representation: values of `serde_json`, metered.
pub(super) struct Metered;

/// What errors say of the value that they are about. A value would be copied into the errors of each branch of a
/// union; it is found by its path instead.
static NOTHING: Value = Value::Null;

/// So much of a name is kept in errors.
const LONGEST_NAME: usize = 120;

/// An element in the set that finds equal ones.
const UNIQUE: u64 = 96;

/// One value, and who pays.
#[derive(Clone)]
pub(super) struct MeteredNode<'a> {
    content: Content<'a>,
    /// `None` for a member's name: it was paid for when it was reached.
    meter: Option<&'a Meter<'a>>,
    /// Length of the path that leads here, which every error repeats.
    path: u32,
}

#[derive(Clone, Copy)]
enum Content<'a> {
    Value(&'a Value),
    Name(&'a str),
}

impl<'a> MeteredNode<'a> {
    /// A value that is reached without a path.
    pub(super) fn root(value: &'a Value, meter: &'a Meter<'a>) -> Self {
        meter.pay(meter.prices.value);
        Self { content: Content::Value(value), meter: Some(meter), path: 0 }
    }

    fn value(&self) -> Option<&'a Value> {
        match self.content {
            Content::Value(value) => Some(value),
            Content::Name(_) => None,
        }
    }

    fn pay(&self, pay: impl FnOnce(&Meter<'_>)) {
        if let Some(meter) = self.meter {
            pay(meter);
        }
    }
}

impl Json for Metered {
    type Node<'a> = MeteredNode<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(MeteredNode<'_>) -> T) -> T {
        f(MeteredNode { content: Content::Name(string), meter: None, path: 0 })
    }
}

impl<'a> Node<'a, Metered> for MeteredNode<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<Members<'a>> {
        match self.value()? {
            Value::Object(members) => Some(Members { members, meter: self.meter, path: self.path }),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<Items<'a>> {
        match self.value()? {
            Value::Array(items) => Some(Items { items, meter: self.meter, path: self.path }),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = match self.content {
            Content::Value(value) => value.as_str()?,
            Content::Name(name) => name,
        };
        self.pay(|meter| meter.pay_text(text.len()));
        Some(Cow::Borrowed(text))
    }

    fn as_number(&self) -> Option<&'a Number> {
        match self.value()? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        self.value()?.as_bool()
    }

    fn is_null(&self) -> bool {
        self.value().is_some_and(Value::is_null)
    }

    fn json_type(&self) -> JsonType {
        match self.value() {
            Some(Value::Null) => JsonType::Null,
            Some(Value::Bool(_)) => JsonType::Boolean,
            Some(Value::Number(_)) => JsonType::Number,
            Some(Value::Array(_)) => JsonType::Array,
            Some(Value::Object(_)) => JsonType::Object,
            Some(Value::String(_)) | None => JsonType::String,
        }
    }

    fn string_length(&self) -> Option<u64> {
        let text = match self.content {
            Content::Value(value) => value.as_str()?,
            Content::Name(name) => name,
        };
        self.pay(|meter| meter.pay(1 + text.len() as u64 / 16));
        Some(text.chars().count() as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match self.content {
            Content::Value(value) => {
                self.pay(|meter| meter.pay_whole(value, 1));
                cmp::equal(value, expected)
            }
            Content::Name(name) => expected.as_str() == Some(name),
        }
    }

    /// Asked by every error that is made, and by nothing else.
    fn to_value(&self) -> Cow<'a, Value> {
        let shows_all = self.meter.is_none_or(|meter| self.path == 0 && meter.prices.undecidable);
        self.pay(|meter| {
            meter.pay(1);
            meter.pay_memory(meter.prices.error + 2 * u64::from(self.path));
        });
        match self.content {
            Content::Value(value) if shows_all => {
                self.pay(|meter| meter.pay_memory(weight(value) as u64));
                Cow::Borrowed(value)
            }
            Content::Value(_) => Cow::Borrowed(&NOTHING),
            Content::Name(name) => Cow::Owned(Value::String(shorten(name, LONGEST_NAME))),
        }
    }

    fn identity(&self) -> Option<NodeIdentity> {
        // It is looked for among all references under way.
        self.pay(|meter| meter.pay(16));
        // A name has no place of its own. Without one nothing guards against references that lead back to
        // themselves, and those schemas are not enforced.
        self.value().map(|value| NodeIdentity::new(std::ptr::from_ref(value) as usize))
    }

    fn container_identity(&self) -> Option<NodeIdentity> {
        let is_container = matches!(self.value(), Some(Value::Object(_) | Value::Array(_)));
        // The result is kept under it.
        self.pay(|meter| meter.pay_memory(if is_container { 64 } else { 0 }));
        is_container.then(|| self.identity()).flatten()
    }
}

/// An object.
pub(super) struct Members<'a> {
    members: &'a Map<String, Value>,
    meter: Option<&'a Meter<'a>>,
    path: u32,
}

/// A value that was reached, at the end of a path that is so much longer.
fn reached<'a>(value: &'a Value, meter: Option<&'a Meter<'a>>, path: u32, step: usize) -> MeteredNode<'a> {
    if let Some(meter) = meter {
        meter.pay(meter.prices.value);
    }
    let path = path.saturating_add(u32::try_from(step).unwrap_or(u32::MAX));
    MeteredNode { content: Content::Value(value), meter, path }
}

impl<'a> Object<'a, Metered> for Members<'a> {
    type Node = MeteredNode<'a>;
    type MemberName = &'a str;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        self.members.len()
    }

    fn get(&self, key: &String) -> Option<MeteredNode<'a>> {
        if let Some(meter) = self.meter {
            meter.pay(1);
        }
        let value = self.members.get(key.as_str())?;
        Some(reached(value, self.meter, self.path, key.len()))
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter { rest: self.members.iter(), meter: self.meter, path: self.path }
    }
}

/// The members of an object.
pub(super) struct MembersIter<'a> {
    rest: serde_json::map::Iter<'a>,
    meter: Option<&'a Meter<'a>>,
    path: u32,
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (&'a str, MeteredNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.rest.next()?;
        if let Some(meter) = self.meter {
            meter.pay((name.len() as u64).saturating_mul(meter.prices.name) / 16);
            if meter.makes_errors {
                meter.pay_memory((name.len() as u64).saturating_add(meter.prices.name_errors));
            }
        }
        Some((name, reached(value, self.meter, self.path, name.len())))
    }
}

/// An array.
pub(super) struct Items<'a> {
    items: &'a [Value],
    meter: Option<&'a Meter<'a>>,
    path: u32,
}

impl<'a> Array<'a, Metered> for Items<'a> {
    type Node = MeteredNode<'a>;
    type ElementsIter = ItemsIter<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> ItemsIter<'a> {
        ItemsIter { rest: self.items.iter(), meter: self.meter, path: self.path }
    }

    fn is_unique(&self) -> bool {
        if let Some(meter) = self.meter {
            meter.afford_memory(self.items.len() as u64 * UNIQUE);
            self.items.iter().for_each(|item| meter.pay_whole(item, 16));
        }
        is_unique(self.items)
    }
}

/// The elements of an array.
pub(super) struct ItemsIter<'a> {
    rest: std::slice::Iter<'a, Value>,
    meter: Option<&'a Meter<'a>>,
    path: u32,
}

impl<'a> Iterator for ItemsIter<'a> {
    type Item = MeteredNode<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let value = self.rest.next()?;
        // An index has up to seven digits.
        Some(reached(value, self.meter, self.path, 8))
    }
}

/// A node for which nothing is paid.
#[cfg(test)]
pub(super) fn unmetered(value: &Value) -> MeteredNode<'_> {
    MeteredNode { content: Content::Value(value), meter: None, path: 0 }
}
