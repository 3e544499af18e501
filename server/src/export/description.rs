//! The text of a description file.

use mcp_disclosure_core::{
    DescriptionFile, MadeFrom, RawObject, Tool, layout::compact, printable::printable,
};

use super::{layout::spread, members, wording};

/// The members that come from the definition, in order.
const NATIVE: &[&str] = &["title", "description", "inputSchema", "outputSchema"];

/// Those that only operators have.
const LAID_OVER: &[&str] =
    &["examples", "usage_guidance", "error_guidance", "returns", "related", "keywords", "concerns"];

/// A new description file called `name`: what `decided` says of the tool, and the whole definition if that is wanted, else
/// the members that differ from the upstream's. Values are spelled as they are now, so that laying them over changes
/// nothing.
pub(super) fn text(
    name: &str,
    tool: &Tool,
    decided: Option<&DescriptionFile>,
    whole: bool,
    made_from: &MadeFrom,
) -> String {
    let supplement = decided.map(|file| &file.supplement);
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let said = |text: Option<&String>| text.map(|text| quoted(text));
    let brief = said(supplement.and_then(|said| said.brief.as_ref()));
    let category = said(supplement.and_then(|said| said.category.as_ref()));
    let (name, made_from) = (quoted(name), json(made_from));
    let original = |key| tool.original().member(key).map(compact);
    let native = NATIVE.iter().filter_map(|key| {
        let value = tool.definition().member(key)?;
        (whole || original(key) != Some(compact(value))).then_some((*key, value))
    });
    let laid_over = LAID_OVER.iter().filter_map(|key| Some((*key, supplement?.part(key)?)));
    let own = [("brief", &brief), ("category", &category)];
    let own = own.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let members = [("name", &*name)].into_iter().chain(native).chain(own).chain(laid_over);
    let members = members.chain([(wording::MADE_FROM, &*made_from)]);
    format!("{}\n", printable(&spread(RawObject::assemble(members).text())))
}

/// An existing file with this record. Where it repeats the definition that it was made from `before`, it gets the
/// upstream's definition now.
pub(super) fn recorded(
    existing: &str,
    before: Option<&MadeFrom>,
    tool: &Tool,
    made_from: &MadeFrom,
) -> String {
    let object = RawObject::parse(existing).unwrap_or_default();
    let follow = |text: String, key: &&str| {
        let (Some(own), Some(now)) = (object.member(key), tool.original().member(key)) else { return text };
        let repeats = before.is_some_and(|before| before.had(key, own));
        if repeats && compact(own) != compact(now) { members::set(&text, key, now) } else { text }
    };
    let text = NATIVE.iter().fold(existing.to_owned(), follow);
    members::set(&text, wording::MADE_FROM, &json(made_from))
}

fn json(made_from: &MadeFrom) -> String {
    // A record is made of strings alone, and serializes without fail.
    serde_json::to_string(made_from).unwrap_or_default()
}
