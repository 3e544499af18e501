//! A tool's definition, as a server delivered it, and the cache of definitions.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use mcp_disclosure_core::{RawObject, receipt_name};
use mcp_disclosure_drafts::manifest::Held;
use parking_lot::Mutex;

/// A tool's definition as the server delivered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    name: String,
    object: RawObject,
    /// The argument that carries a receipt, and the receipt.
    receipt: Option<(String, String)>,
}

impl Definition {
    /// A definition of the tool of this name.
    pub(crate) fn new(name: &str, object: RawObject) -> Self {
        let receipt = object.object("inputSchema").and_then(|schema| receipt_name::find(&schema));
        Self { name: name.to_owned(), object, receipt }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole definition, every member as received: a `Tool` object, an entry of `tool_descriptions`
    /// (tool-descriptions-resource §4.4), or a level 3 answer of an info tool (three-level-info).
    pub fn object(&self) -> &RawObject {
        &self.object
    }

    /// The schema of its arguments. Info tools deliver `parameters` instead.
    pub fn input_schema(&self) -> Option<RawObject> {
        self.object.object("inputSchema")
    }

    /// The receipt that calls must contain, if the schema requires one. [`Host::call`](crate::Host::call) adds it.
    pub fn receipt(&self) -> Option<&str> {
        self.receipt.as_ref().map(|(_, receipt)| receipt.as_str())
    }

    /// The arguments, with those whose value the definition states.
    pub(crate) fn complete(&self, arguments: &RawObject) -> RawObject {
        match &self.receipt {
            Some((argument, receipt)) => arguments.with_value(argument, receipt),
            None => arguments.clone(),
        }
    }
}

/// The cache of lists and definitions, which is invalidated when they change.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<State>);

/// A list of tools.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) tools: Arc<[RawObject]>,
    /// Where each is in the list, by its name; found once, when it is first needed.
    places: OnceLock<HashMap<String, usize>>,
    /// Its definitions with their digests; computed once, when the list is first compared.
    held: OnceLock<Held>,
}

impl Listed {
    pub(crate) fn new(tools: impl Into<Arc<[RawObject]>>) -> Self {
        Self { tools: tools.into(), places: OnceLock::new(), held: OnceLock::new() }
    }

    /// A list whose digests are known.
    pub(crate) fn of(held: Held) -> Self {
        Self { held: held.clone().into(), ..Self::new(held.into_tools()) }
    }

    /// Its definitions with their digests.
    pub(crate) fn held(&self) -> &Held {
        self.held.get_or_init(|| Held::new(self.tools.to_vec()))
    }

    /// The first tool of this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&RawObject> {
        let places = self.places.get_or_init(|| {
            // Of tools with the same name, the first remains.
            let places = self.tools.iter().enumerate().rev();
            places.filter_map(|(at, tool)| Some((tool.string("name")?, at))).collect()
        });
        places.get(name).map(|at| &self.tools[*at])
    }
}

#[derive(Debug, Default)]
struct State {
    /// Incremented whenever the cache is invalidated.
    age: u64,
    /// The list that was last kept, outdated or not.
    latest: Option<Arc<Listed>>,
    /// Whether it is not outdated.
    is_current: bool,
    /// Whether the server said that it changed since, or may have.
    announced: bool,
    definitions: HashMap<String, Definition>,
}

impl Memory {
    /// A memory of a list from an earlier connection, to compare with.
    pub(crate) fn knowing(tools: Arc<[RawObject]>) -> Self {
        let latest = Some(Arc::new(Listed::new(tools)));
        Self(Mutex::new(State { latest, ..State::default() }))
    }

    /// The age of the cache, read before a request and compared with its response: what is outdated on arrival is not
    /// kept.
    pub(crate) fn age(&self) -> u64 {
        self.0.lock().age
    }

    pub(crate) fn tools(&self) -> Option<Arc<Listed>> {
        let state = self.0.lock();
        state.latest.clone().filter(|_| state.is_current)
    }

    pub(crate) fn keep_tools(&self, age: u64, tools: &Arc<Listed>) {
        let mut state = self.0.lock();
        if state.age == age {
            state.latest = Some(Arc::clone(tools));
            (state.is_current, state.announced) = (true, false);
        }
    }

    /// Whether the server said that the list changed since it was last kept, or may have.
    pub(crate) fn is_announced(&self) -> bool {
        self.0.lock().announced
    }

    /// The list that was last kept. It may be outdated.
    pub(crate) fn latest(&self) -> Option<Arc<Listed>> {
        self.0.lock().latest.clone()
    }

    /// The definition of a tool, if it is kept.
    pub(crate) fn definition(&self, name: &str) -> Option<Definition> {
        self.0.lock().definitions.get(name).cloned()
    }

    /// Keeps a definition that was asked for at this age, and returns it.
    pub(crate) fn keep(&self, age: u64, definition: Definition) -> Definition {
        let mut state = self.0.lock();
        if state.age == age {
            state.definitions.insert(definition.name.clone(), definition.clone());
        }
        definition
    }

    /// Invalidates one definition.
    pub(crate) fn forget(&self, name: &str) {
        self.0.lock().definitions.remove(name);
    }

    /// Invalidates the list, but not the definitions.
    pub(crate) fn forget_tools(&self) {
        let mut state = self.0.lock();
        state.age += 1;
        state.is_current = false;
    }

    /// Invalidates everything: the server said that its list changed, or may have.
    pub(crate) fn forget_all(&self) {
        let mut state = self.0.lock();
        state.age += 1;
        (state.is_current, state.announced) = (false, true);
        state.definitions.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(text: &str) -> Definition {
        Definition::new("a", RawObject::parse(text).unwrap())
    }

    #[test]
    fn q4_tools_are_found_by_their_names() {
        let tool = |text: &str| RawObject::parse(text).unwrap();
        let listed = [r#"{"name":"a","first":1}"#, r#"{"name":"b"}"#, r#"{"name":"a"}"#, "{}"].map(tool);
        let listed = Listed::new(listed.to_vec());
        assert_eq!(listed.tool("a").unwrap().member("first"), Some("1"));
        assert!(listed.tool("b").is_some() && listed.tool("").is_none());
    }

    #[test]
    fn a_receipt_is_added_to_the_arguments() {
        let schema = r#"{"inputSchema":{"properties":{"disclosure_receipt":{"const":"r"}}}}"#;
        let arguments = RawObject::parse(r#"{"x":1.0,"disclosure_receipt":"old"}"#).unwrap();
        let completed = definition(schema).complete(&arguments);
        assert_eq!(completed.text(), r#"{"x":1.0,"disclosure_receipt":"r"}"#);
        assert_eq!(definition("{}").complete(&arguments), arguments);
        let its_own = r#"{"inputSchema":{"properties":{"disclosure_receipt":{"type":"string"},"mcp_disclosure_receipt":{"const":"r"}}}}"#;
        let completed =
            definition(its_own).complete(&RawObject::parse(r#"{"disclosure_receipt":"own"}"#).unwrap());
        assert_eq!(completed.text(), r#"{"disclosure_receipt":"own","mcp_disclosure_receipt":"r"}"#);
    }
}
