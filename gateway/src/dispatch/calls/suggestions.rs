//! Filters completions of resource template variables: none may lead to a hidden resource.

use std::collections::BTreeMap;

use mcp_disclosure_core::{
    RawObject, View,
    given::{self, is_like},
};
use mcp_disclosure_transport::Json;
use serde_json::value::RawValue;

use super::{Answer, links::illegible};

/// Maximum number of suggestions in an answer, by the protocol.
const MOST_VALUES: usize = 100;

/// Filters a `completion/complete` result, of which nothing but what was judged is passed on while anything is hidden.
///
/// # Errors
/// -32000 if it cannot be looked through.
pub(super) fn shown(view: &View, upstream: &str, params: &RawObject, result: Json) -> Answer {
    if !view.guards_resources() {
        return Ok(result);
    }
    // Of a prompt's argument, the whole value may be a URI.
    let template = params.object("ref").and_then(|reference| reference.string("uri")).unwrap_or_default();
    let illegible = || illegible(upstream);
    let whole = RawObject::parse(result.as_str()).map_err(|_| illegible())?;
    let completion = whole.like("completion").next_back().ok_or_else(illegible)?;
    let completion = RawObject::parse(completion).map_err(|_| illegible())?;
    let member = |key| completion.like(key).next_back();
    let values = member("values").and_then(|values| given::values(values, MOST_VALUES));
    let values = values.ok_or_else(illegible)?;
    let known = context(params);
    let argument = |member| params.object("argument").and_then(|argument| argument.string(member));
    let (argument, typed) = (argument("name").unwrap_or_default(), argument("value").unwrap_or_default());
    // Where a value stands in a URI is known if those before it are.
    let is_known = |name: &&str| known.contains_key(*name);
    let expressions = template.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
    let names: Vec<&str> = expressions.flat_map(variables).collect();
    let place = names.iter().position(|name| *name == argument);
    let is_judged = template.is_empty() || place.is_some_and(|place| names[..place].iter().all(is_known));
    // Some servers suggest whole values, some the next segment of what is typed, and some what is missing of it.
    let folder = typed.rfind('/').map_or("", |end| &typed[..=end]);
    let may_be_uri = |value: &str| match template.is_empty() {
        true => value.contains([':', '%', '/', '\\']),
        false => value.contains([':', '%']),
    };
    let is_hidden = |value: &RawValue| {
        let Some(value) = given::string(value.get()).filter(|_| is_judged) else { return true };
        [format!("{folder}{value}"), format!("{typed}{value}"), value.into_owned()].iter().any(|value| {
            let expanded =
                expand(&template, |name| if name == argument { Some(value) } else { known.get(name) });
            // What is no URI by itself, no list of what is allowed can have.
            (!template.is_empty() && view.hides_resource(&expanded)(upstream))
                || (may_be_uri(value) && view.hides_resource(value)(upstream))
                || view.has_rule_to_hide(upstream, value)
        })
    };
    let kept: Vec<&RawValue> =
        values.iter().copied().take(MOST_VALUES).filter(|value| !is_hidden(value)).collect();
    // What else stands in it was not judged. A number would reveal what was removed.
    let total = member("total").filter(|total| kept.len() == values.len() && total.parse::<u64>().is_ok());
    let more = member("hasMore").filter(|more| matches!(*more, "true" | "false"));
    let shown = RawObject::empty().with_value("values", &kept);
    let shown = total.iter().fold(shown, |shown, total| shown.with("total", total));
    let shown = more.iter().fold(shown, |shown, more| shown.with("hasMore", more));
    Ok(whole.retain(|key| !is_like(key, "completion")).with("completion", shown.text()).into())
}

/// Variables that already have a value.
fn context(params: &RawObject) -> BTreeMap<String, String> {
    let arguments = params.object("context").and_then(|context| context.object("arguments"));
    let arguments = arguments.and_then(|arguments| serde_json::from_str(arguments.text()).ok());
    arguments.unwrap_or_default()
}

/// What may begin an expression of a template (RFC 6570).
const OPERATORS: [char; 7] = ['+', '#', '.', '/', ';', '?', '&'];

/// The names of the variables of an expression.
fn variables(expression: &str) -> impl Iterator<Item = &str> {
    let names = expression.trim_start_matches(OPERATORS).split(',');
    names.map(|variable| variable.trim_end_matches('*').split(':').next().unwrap_or_default())
}

/// Substitutes the known variables. Unknown ones are left in place, since their values are checked when they
/// are completed or read.
fn expand<'v>(template: &str, known: impl Fn(&str) -> Option<&'v String>) -> String {
    let mut expanded = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((expression, behind)) = after.split_once('}') else { break };
        expanded.push_str(before);
        let operator = expression.chars().next().filter(|first| OPERATORS.contains(first));
        let values = variables(expression).filter_map(|name| match operator {
            Some(';' | '?' | '&') => Some(format!("{name}={}", known(name)?)),
            _ => known(name).cloned(),
        });
        let values: Vec<String> = values.collect();
        if values.is_empty() {
            expanded.push_str(&format!("{{{expression}}}"));
        } else {
            expanded.extend(operator.filter(|operator| *operator != '+'));
            expanded.push_str(&values.join(match operator {
                Some('.') => ".",
                Some('/') => "/",
                Some(';') => ";",
                Some('?' | '&') => "&",
                _ => ",",
            }));
        }
        rest = behind;
    }
    expanded.push_str(rest);
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_expanded_as_far_as_it_is_known() {
        let known = BTreeMap::from([("a", "x/y".to_owned()), ("b", "z".to_owned())]);
        for (template, expanded) in [
            ("file:///{a}", "file:///x/y"),
            ("file:///{+a}/{c}", "file:///x/y/{c}"),
            ("file://{/a*,b}", "file:///x/y/z"),
            ("x://h{?a,c,b:3}", "x://h?a=x/y&b=z"),
            ("x://h{#a,b}", "x://h#x/y,z"),
            ("x://h/{c}", "x://h/{c}"),
            ("x://{", "x://{"),
        ] {
            assert_eq!(expand(template, |name| known.get(name)), expanded);
        }
    }
}
