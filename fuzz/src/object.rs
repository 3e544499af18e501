//! Objects kept as text: each edit has the same effect as on a value, and leaves the rest unchanged.

use mcp_disclosure_core::RawObject;
use serde_json::{Map, Value, value::RawValue};

/// Maximum number of members that are edited, one at a time.
const MOST_EDITS: usize = 4;

/// Edits an object in every way.
pub(crate) fn check(object: &RawObject) {
    let text = object.text();
    for (_, value) in object.iter() {
        let raw: &RawValue = serde_json::from_str(value).expect("a member is JSON");
        assert_eq!(raw.get(), value);
    }
    let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
    assert_eq!(serde_json::to_string(object).expect("an object is JSON"), trimmed);
    // Objects with numbers out of range, or that nest too deep, have no `Value`, but are objects.
    let value = value_of(text);
    assert_eq!(is_sound(&RawObject::assemble(object.iter())), value);
    let compact = object.compact();
    assert_eq!(is_sound(&compact), value);
    assert_eq!(compact.compact(), compact);
    let first = object.iter().next().map(|(key, _)| key);
    let kept = object.retain(|key| Some(key) != first);
    assert_eq!(kept.iter().count(), object.iter().filter(|(key, _)| Some(*key) != first).count());
    is_sound(&kept);
    let keys = object.iter().map(|(key, _)| key).take(MOST_EDITS);
    for key in keys.chain(["a \"new\"\nkey"]) {
        edit(object, value.as_ref(), key);
    }
}

fn edit(object: &RawObject, value: Option<&Map<String, Value>>, key: &str) {
    for new in ["null", r#"{"a":[1.0, "x"]}"#] {
        let edited = object.with(key, new);
        assert_eq!(edited.member(key), Some(new));
        let Some(mut expected) = value.cloned() else { continue };
        expected.insert(key.to_owned(), serde_json::from_str(new).expect("it is JSON"));
        assert_eq!(is_sound(&edited), Some(expected));
    }
    let without = object.retain(|other| other != key);
    assert_eq!(without.member(key), None);
    let Some(mut expected) = value.cloned() else { return };
    expected.shift_remove(key);
    assert_eq!(is_sound(&without), Some(expected));
}

/// Checks that an object's text and members are consistent, and returns its `Value`, if it has one.
fn is_sound(object: &RawObject) -> Option<Map<String, Value>> {
    assert_eq!(RawObject::parse(object.text()).expect("an edited object is JSON"), *object);
    value_of(object.text())
}

fn value_of(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}
