//! Checks of call arguments, and the compiled schemas that they are made against, shared by all snapshots in bounded memory.
//!
//! A check takes some milliseconds at most, by the number of its steps (P1), so it is made where the call is.

use std::sync::Arc;

use mcp_disclosure_core::{
    ArgumentProblem, Checked, Digest, RawObject, RawText, Schema, Tool, ToolCall, ToolName, VisibleTool,
};
use parking_lot::Mutex;
use quick_cache::{Weighter, unsync::Cache};
use serde_json::json;

/// Compiled checks by the digest of the tool's entry. A check that exceeds the bound by itself is not cached.
#[derive(Debug)]
pub(super) struct Checks(Mutex<Cache<Digest, Arc<Schema>, Memory>>);

/// Expected number of entries, which the cache is sized for.
const EXPECTED: usize = 64;

#[derive(Clone, Debug)]
struct Memory;

impl Weighter<Digest, Arc<Schema>> for Memory {
    fn weight(&self, _tool: &Digest, check: &Arc<Schema>) -> u64 {
        check.memory() as u64
    }
}

impl Checks {
    /// With a cache of at most this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self(Mutex::new(Cache::with_weighter(EXPECTED, bytes as u64, Memory)))
    }

    /// The arguments of a call as the tool shall see them.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn apply(&self, tool: &Tool, call: &ToolCall) -> Result<Checked, Vec<ArgumentProblem>> {
        self.of(tool).apply(call.arguments.as_ref().map_or("{}", RawText::get))
    }

    /// The arguments that are meant by a call of a tool, where it gives others.
    pub(super) fn meant(&self, tool: VisibleTool<'_>, given: &str) -> Option<RawText> {
        let names = [tool.name().as_str(), tool.tool().upstream_name().as_str()];
        self.of(tool.tool()).read(given, &names, tool.tool().receipt_argument())
    }

    /// The call as it should be, for a model, where arguments may have been put into a wrong form. `by` is the tool that was
    /// called to call it.
    pub(super) fn right_call(
        &self,
        tool: VisibleTool<'_>,
        given: &str,
        by: Option<&ToolName>,
    ) -> Option<String> {
        let (schema, name) = (self.of(tool.tool()), tool.name());
        if by.is_none() && !schema.is_unfamiliar(given) {
            return None;
        }
        let wraps = || RawObject::parse(given).is_ok_and(|given| given.member("arguments").is_some());
        let arguments = schema.example();
        let (called, arguments) = match by {
            Some(by) => (by, json!({"tool": name, "arguments": arguments})),
            None if wraps() => (name, json!({"arguments": arguments})),
            None => (name, arguments),
        };
        Some(format!("Call {called} with {arguments}, with arguments that fit"))
    }

    fn of(&self, tool: &Tool) -> Arc<Schema> {
        if let Some(check) = self.cached(tool) {
            return check;
        }
        let check = Arc::new(tool.argument_check());
        let parts = check.unjudged().join(", ");
        if !parts.is_empty() {
            tracing::warn!(tool = %tool.key(), "arguments are not checked against all of the schema: {parts}");
        }
        self.0.lock().insert(tool.entry().digest(), Arc::clone(&check));
        check
    }

    fn cached(&self, tool: &Tool) -> Option<Arc<Schema>> {
        self.0.lock().get(&tool.entry().digest()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{View, fixtures::view_with};
    use serde_json::json;

    use super::*;

    /// A view of tools whose schemas have these bytes.
    fn view(sizes: &[usize]) -> View {
        view_with(sizes.iter().enumerate().map(|(number, size)| {
            let schema = json!({"type": "object", "description": "x".repeat(*size)});
            json!({"name": format!("t{number}"), "inputSchema": schema})
        }))
    }

    fn first(view: &View) -> &Tool {
        view.tools().next().unwrap().tool()
    }

    fn kept(compiled: &Checks, view: &View) -> usize {
        view.tools().filter_map(|tool| compiled.cached(tool.tool())).map(|check| check.memory()).sum()
    }

    #[test]
    fn p1_all_together_stay_within_the_bound() {
        let bound = 100_000;
        let compiled = Checks::new(bound);
        let small = view(&[1_000; 100]);
        for tool in small.tools() {
            compiled.of(tool.tool());
            let memory = kept(&compiled, &small);
            assert!((1..=bound).contains(&memory), "{memory}");
        }
        let large = view(&[bound]);
        let tool = first(&large);
        assert!(compiled.of(tool).memory() > bound, "it is used all the same");
        assert!(compiled.cached(tool).is_none() && kept(&compiled, &small) > 0);
    }

    #[test]
    fn snapshots_share_what_did_not_change() {
        let compiled = Checks::new(1_000_000);
        let compiled_first = compiled.of(first(&view(&[10])));
        assert!(Arc::ptr_eq(&compiled_first, &compiled.cached(first(&view(&[10, 20]))).unwrap()));
    }
}
