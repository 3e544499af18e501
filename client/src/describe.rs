//! Fetching definitions, over the server's channel.

use std::{collections::HashMap, time::Duration};

use futures::future::try_join_all;
use mcp_disclosure_core::{
    RawObject,
    delivered::{self, content_of},
    descriptions_uri,
};
use mcp_disclosure_transport::code;

use crate::{CallError, Channel, Definition, Error, Host, host::Inner};

/// Maximum number of definitions in one fetch, as on this project's gateway.
const MOST_NAMES: usize = 64;

/// Maximum number of concurrent calls of an info tool, which describes one tool at a time.
const AT_ONCE: usize = 8;

impl Host {
    /// The complete definitions of these tools, in this order. Definitions are cached until the server notifies that
    /// its tools changed.
    ///
    /// # Errors
    /// [`Error::UnknownTool`] for the first unknown name (the others are cached all the same), [`Error::Refused`] if
    /// the server refused, or why there was no response.
    pub async fn describe<N: AsRef<str>>(&self, names: &[N]) -> Result<Vec<Definition>, Error> {
        let inner = &self.0;
        let mut found: HashMap<&str, Definition> = HashMap::new();
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let recall = |found: &mut HashMap<_, _>| {
            found.extend(names.iter().filter_map(|name| Some((*name, inner.memory.definition(name)?))));
        };
        recall(&mut found);
        if names.iter().any(|name| !found.contains_key(name)) {
            let _turn = inner.fetching.lock().await;
            // A concurrent caller can have fetched them in the meantime.
            recall(&mut found);
            let mut missing: Vec<&str> = Vec::new();
            for name in &names {
                if !found.contains_key(name) && !missing.contains(name) {
                    missing.push(name);
                }
            }
            for definition in self.fetch(&missing).await? {
                if let Some(name) = missing.iter().find(|name| **name == definition.name()) {
                    found.insert(name, definition);
                }
            }
        }
        let unknown = |name: &str| Error::UnknownTool { name: name.to_owned(), available: Vec::new() };
        names.iter().map(|name| found.get(name).cloned().ok_or_else(|| unknown(name))).collect()
    }

    async fn fetch(&self, names: &[&str]) -> Result<Vec<Definition>, Error> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        match self.channel() {
            Channel::List => self.by_list(names).await,
            Channel::Resource { uri } => self.0.by_resource(uri, names).await,
            Channel::Method => self.0.by_method(names).await,
            Channel::InfoTool => each(names.iter().map(|name| self.0.info(name)).collect()).await,
            Channel::Groups => self.by_groups(names).await,
            Channel::SearchTool => each(names.iter().map(|name| self.0.search(name)).collect()).await,
        }
    }

    /// The definitions of those that are listed.
    pub(crate) async fn by_list(&self, names: &[&str]) -> Result<Vec<Definition>, Error> {
        let age = self.0.memory.age();
        let listed = self.0.listed().await?;
        let found = names.iter().filter_map(|name| Some((*name, listed.tool(name)?.clone())));
        Ok(found.map(|(name, tool)| self.0.memory.keep(age, Definition::new(name, tool))).collect())
    }
}

impl Inner {
    async fn by_resource(&self, base: &str, names: &[&str]) -> Result<Vec<Definition>, Error> {
        let (mut definitions, mut unknown) = (Vec::new(), None);
        for names in names.chunks(MOST_NAMES) {
            let age = self.memory.age();
            let params = RawObject::empty().with_value("uri", &descriptions_uri(base, names.iter().copied()));
            let delivered = entries(&self.ask("resources/read", params).await?)?;
            for name in names {
                let Some(entry) = delivered::description(&delivered, name) else {
                    let Some(error) = delivered.object(name) else { continue };
                    let available = error.value("available_tools").unwrap_or_default();
                    unknown.get_or_insert(Error::UnknownTool { name: (*name).to_owned(), available });
                    continue;
                };
                definitions.push(self.memory.keep(age, Definition::new(name, entry)));
            }
        }
        unknown.map_or(Ok(definitions), Err)
    }

    async fn by_method(&self, names: &[&str]) -> Result<Vec<Definition>, Error> {
        let age = self.memory.age();
        let params = RawObject::empty().with_value("names", names);
        let result = self.ask("tools/describe", params).await.map_err(|error| unknown_in(error, names))?;
        let tools: Option<Vec<RawObject>> = result.value("tools");
        let tools =
            tools.ok_or_else(|| Error::invalid("tools/describe", "no list of objects under 'tools'"))?;
        let named = tools.into_iter().filter_map(|tool| Some((tool.string("name")?, tool)));
        Ok(named.map(|(name, tool)| self.memory.keep(age, Definition::new(&name, tool))).collect())
    }

    async fn info(&self, name: &str) -> Result<Definition, Error> {
        let age = self.memory.age();
        // A category can have the same name; `tool:` is always exact.
        let topic = RawObject::empty().with_value("topic", &format!("tool:{name}"));
        let (answer, is_failed) = self.answer_of("info", &topic).await?;
        if !is_failed && answer.member("tool").is_some() {
            return Ok(self.memory.keep(age, Definition::new(name, answer)));
        }
        let suggested: Vec<RawObject> = answer.value("suggestions").unwrap_or_default();
        let available = suggested.iter().filter_map(|tool| tool.string("name")).collect();
        Err(refusal(&answer).unwrap_or(Error::UnknownTool { name: name.to_owned(), available }))
    }

    /// The definition of the tool of exactly this name, which is the first hit of a search for it.
    async fn search(&self, name: &str) -> Result<Definition, Error> {
        let age = self.memory.age();
        let query = RawObject::empty().with_value("query", name);
        let query = query.with_value("limit", &1).with_value("detail", "full");
        let (answer, is_failed) = self.answer_of("search_tools", &query).await?;
        if let Some(refused) = refusal(&answer).filter(|_| is_failed) {
            return Err(refused);
        }
        let hits: Vec<RawObject> = answer.value("tools").unwrap_or_default();
        let hit = hits.into_iter().next();
        let found = hit.as_ref().and_then(|hit| hit.string("name"));
        match hit.filter(|_| found.as_deref() == Some(name)) {
            Some(hit) => Ok(self.memory.keep(age, Definition::new(name, hit))),
            None => Err(Error::UnknownTool { name: name.to_owned(), available: found.into_iter().collect() }),
        }
    }

    /// What a tool of the server's own says in JSON, and whether that is an error.
    async fn answer_of(&self, tool: &str, arguments: &RawObject) -> Result<(RawObject, bool), Error> {
        let params = RawObject::empty().with_value("name", tool).with("arguments", arguments.text());
        let result = self.ask("tools/call", params).await?;
        let no_json = || Error::invalid("tools/call", format!("{tool} did not answer with JSON"));
        let answer = content_of(&result).ok_or_else(no_json)?;
        Ok((answer, result.member("isError") == Some("true")))
    }
}

/// The answers to these, some at a time; the first error ends it.
async fn each(asked: Vec<impl Future<Output = Result<Definition, Error>>>) -> Result<Vec<Definition>, Error> {
    let (mut asked, mut definitions) = (asked.into_iter(), Vec::new());
    while asked.len() > 0 {
        definitions.extend(try_join_all(asked.by_ref().take(AT_ONCE)).await?);
    }
    Ok(definitions)
}

/// The entries in the result of a `resources/read`.
fn entries(result: &RawObject) -> Result<RawObject, Error> {
    let no_json = || Error::invalid("resources/read", "no JSON object in the text of the descriptions");
    let entries = delivered::descriptions(result).ok_or_else(no_json)?;
    // A tool can be named `error`; its entry has no code.
    match refusal(&entries) {
        Some(refused) => Err(refused),
        None => Ok(entries),
    }
}

/// [`Error::UnknownTool`] for the error `Unknown tool: X`, if X was requested.
fn unknown_in(error: Error, names: &[&str]) -> Error {
    let Error::NoResult { error: CallError::Answered(answered), .. } = &error else { return error };
    let message = answered.message();
    let name = message.rsplit(": ").next().unwrap_or_default();
    match names.iter().find(|asked| answered.code() == code::INVALID_PARAMS && **asked == name) {
        Some(name) => Error::UnknownTool { name: (*name).to_owned(), available: Vec::new() },
        None => error,
    }
}

/// The refusal in `{"error": {"code": …, "message": …}}`, if there is one.
fn refusal(content: &RawObject) -> Option<Error> {
    let error = content.object("error")?;
    let code = error.string("code")?;
    let seconds: Option<f64> = error.member("retry_after_seconds").and_then(|text| text.parse().ok());
    let retry_after = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Some(Error::Refused { code, message: error.string("message").unwrap_or_default(), retry_after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    #[test]
    fn a_refusal_has_the_time_to_retry_after() {
        let limited = object(r#"{"error":{"code":"RATE_LIMITED","message":"m","retry_after_seconds":2}}"#);
        let Some(Error::Refused { code, retry_after, .. }) = refusal(&limited) else { panic!() };
        assert_eq!((code.as_str(), retry_after), ("RATE_LIMITED", Some(Duration::from_secs(2))));
        assert!(refusal(&object(r#"{"error":{"name":"error","description":"a tool"}}"#)).is_none());
        let odd = object(r#"{"error":{"code":"X","retry_after_seconds":-1}}"#);
        assert!(matches!(refusal(&odd), Some(Error::Refused { retry_after: None, .. })));
    }
}
