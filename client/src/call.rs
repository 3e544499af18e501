//! Calling tools, after the steps that the strategy requires.

use mcp_disclosure_core::{Era, Mirrored, RawObject, delivered::wants_description};
use serde::Serialize;

use crate::{
    Channel, Definition, Error, Host,
    connection::Headers,
    host::{Inner, object_of},
};

/// The tool that calls others, on servers that list only this and the info tool.
const INVOKE: &str = "invoke";

/// The same under `search`.
const CALL_TOOL: &str = "call_tool";

impl Host {
    /// Calls a tool and returns its result as the server sent it. The result of a tool that failed has `isError: true`.
    ///
    /// If the strategy requires that the description is fetched, this is done before the first call, and the receipt is
    /// sent with every call. If the server refuses the call because the description has changed or the receipt has
    /// expired, the description is fetched and the call sent once more. Arguments are anything that serializes to an
    /// object; a [`RawObject`] is sent unchanged.
    ///
    /// # Errors
    /// Why there is no result; [`Error::Refused`] if the description was not delivered.
    pub async fn call(&self, name: &str, arguments: &(impl Serialize + ?Sized)) -> Result<RawObject, Error> {
        let arguments = object_of(arguments)?;
        if !matches!(self.channel(), Channel::Resource { .. }) {
            return self.send_call(name, arguments).await;
        }
        let definition = self.learn(name).await?;
        let result = self.0.call_knowing(name, &arguments, definition.as_ref()).await?;
        if !wants_description(&result) {
            return Ok(result);
        }
        self.0.memory.forget(name);
        match self.learn(name).await? {
            Some(definition) => self.0.call_knowing(name, &arguments, Some(&definition)).await,
            None => Ok(result),
        }
    }

    /// Calls a tool like a model that does not follow the workflow: without fetching, and with these arguments only.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn call_unprepared(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<RawObject, Error> {
        self.send_call(name, object_of(arguments)?).await
    }

    /// The definition; `None` for a tool that the server does not describe, such as its own tools. Whether it can be
    /// called is left to the server.
    async fn learn(&self, name: &str) -> Result<Option<Definition>, Error> {
        match self.describe(&[name]).await {
            Ok(definitions) => Ok(definitions.into_iter().next()),
            Err(Error::UnknownTool { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn send_call(&self, name: &str, arguments: RawObject) -> Result<RawObject, Error> {
        if let Some(executor) = self.executor(name).await? {
            let inner = RawObject::empty().with_value("tool", name).with("arguments", arguments.text());
            return self.0.call_knowing(executor, &inner, None).await;
        }
        self.0.call_knowing(name, &arguments, None).await
    }

    /// The tool that calls this one, if the server lists that instead.
    async fn executor(&self, name: &str) -> Result<Option<&'static str>, Error> {
        let executor = match self.channel() {
            Channel::InfoTool => INVOKE,
            Channel::SearchTool => CALL_TOOL,
            _ => return Ok(None),
        };
        let listed = self.0.listed().await?;
        let takes_a_tool = |tool: &RawObject| {
            let properties = tool.object("inputSchema").and_then(|schema| schema.object("properties"));
            properties.is_some_and(|properties| properties.member("tool").is_some())
        };
        let has_executor = listed.tool(executor).is_some_and(takes_a_tool);
        Ok((has_executor && listed.tool(name).is_none()).then_some(executor))
    }
}

impl Inner {
    async fn call_knowing(
        &self,
        name: &str,
        arguments: &RawObject,
        definition: Option<&Definition>,
    ) -> Result<RawObject, Error> {
        let arguments = definition.map_or_else(|| arguments.clone(), |known| known.complete(arguments));
        // Links without headers ignore them.
        let mirrored = match self.server.era {
            Era::Stateless => self.mirrored(name, &arguments),
            Era::Session => Headers::new(),
        };
        let params = RawObject::empty().with_value("name", name).with("arguments", arguments.text());
        self.ask_with("tools/call", params, mirrored).await
    }

    /// The headers that mirror these arguments (`x-mcp-header`), as far as the tool's schema is known.
    fn mirrored(&self, name: &str, arguments: &RawObject) -> Headers {
        let listed = || self.memory.tools()?.tool(name)?.object("inputSchema");
        let known = self.memory.definition(name).and_then(|definition| definition.input_schema());
        let Some(schema) = known.or_else(listed) else { return Headers::new() };
        Mirrored::headers(&Mirrored::find_in(schema.text()).unwrap_or_default(), Some(arguments.text()))
    }
}
