//! TOML.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Member, Node, SyntaxError, Value};

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let root = DeTable::parse(text).map_err(|error| SyntaxError {
        at: error.span().map_or(0, |span| span.start),
        message: error.message().lines().next().unwrap_or_default().to_owned(),
    })?;
    Ok(Node::new(0, text.len(), table(root.into_inner())))
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let Range { start: at, end } = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Number(number.to_string()),
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(members) => table(members),
    };
    Node::new(at, end, value)
}

fn table(members: DeTable<'_>) -> Value {
    let members = members.into_iter().map(|(key, value)| Member {
        at: key.span().start,
        name_end: key.span().end,
        name: key.into_inner().into_owned(),
        node: node(value),
    });
    Value::Table(members.collect())
}
