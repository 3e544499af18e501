//! Checks of call arguments, off the async workers that serve clients (P1).
//!
//! A check known to be cheap runs immediately. Any other, and each tool's first, which compiles the schema,
//! waits for a permit and runs in the blocking pool on a large stack.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Builder, available_parallelism, scope},
    time::Duration,
};

use mcp_disclosure_core::{
    CheckLimits, Checked, Misfit, RawText, ToolCall, Unchecked, View, VisibleTool,
    arguments::{CheckLimit, STACK_BYTES},
};
use serde_json::value::RawValue;
use tokio::{
    sync::Semaphore,
    task::spawn_blocking,
    time::{Instant, timeout_at},
};

use super::compiled::Compiled;
use crate::limits::Limits;

/// Runs argument checks, a bounded number at a time.
#[derive(Debug)]
pub(super) struct Checks {
    turns: Arc<Semaphore>,
    compiled: Arc<Compiled>,
    limits: CheckLimits,
    time: Duration,
}

impl Checks {
    pub(super) fn new(limits: &Limits) -> Self {
        // Half of the cores remain available for serving.
        let turns = available_parallelism().map_or(1, |cores| cores.get() / 2).max(1);
        Self {
            turns: Arc::new(Semaphore::new(turns)),
            compiled: Arc::new(Compiled::new(limits.compiled_schemas_bytes)),
            limits: limits.check(),
            time: limits.check_time,
        }
    }

    /// The repaired arguments, if they differ from those received.
    ///
    /// Dropping the future ends the check.
    pub(super) async fn apply(
        &self,
        view: &View,
        tool: VisibleTool<'_>,
        call: &ToolCall,
    ) -> Result<Option<Box<RawValue>>, Misfit> {
        let given = call.arguments.as_ref().map_or("{}", RawText::get);
        let compiled = self.compiled.of(tool.tool());
        let checked = match compiled.and_then(|check| check.apply_quickly(given)) {
            Some(checked) => checked,
            None => Box::pin(self.apply_beside(view, call, given)).await?,
        };
        if let Some(why) = &checked.unchecked {
            tool.tool().log_unchecked(why);
        }
        Ok(checked.repaired)
    }

    async fn apply_beside(&self, view: &View, call: &ToolCall, given: &str) -> Result<Checked, Misfit> {
        let unchecked = |why| Ok(Checked { repaired: None, unchecked: Some(why) });
        if given.len() > self.limits.bytes {
            return unchecked(Unchecked::Limit(CheckLimit::Bytes));
        }
        let deadline = Instant::now() + self.time;
        let Ok(Ok(turn)) = timeout_at(deadline, Arc::clone(&self.turns).acquire_owned()).await else {
            return unchecked(Unchecked::Stopped);
        };
        let wanted = Wanted(Arc::new(AtomicBool::new(true)));
        let is_wanted = Arc::clone(&wanted.0);
        let end = std::time::Instant::now() + deadline.saturating_duration_since(Instant::now());
        let (view, name, given, limits) = (view.clone(), call.name.clone(), given.to_owned(), self.limits);
        let compiled = Arc::clone(&self.compiled);
        let check = move || {
            let stop = || !is_wanted.load(Ordering::Relaxed) || std::time::Instant::now() >= end;
            let check = view.tool(&name).map(|tool| compiled.of_or_compile(tool.tool(), &limits));
            let applied = check.map(|check| check.apply(&given, &stop));
            // The permit is released only when the memory has been freed.
            drop((given, turn));
            applied
        };
        match timeout_at(deadline, spawn_blocking(move || on_large_stack(check))).await {
            Ok(Ok(Some(Some(applied)))) => applied,
            Ok(_) => unchecked(Unchecked::Failed),
            Err(_) => unchecked(Unchecked::Stopped),
        }
    }
}

/// Runs `work` on a stack of [`STACK_BYTES`]. `None` if the thread cannot be started or panicked.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    scope(|scope| Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()?.join().ok())
}

/// Set for as long as the caller waits for the check.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use mcp_disclosure_core::{Principal, RawObject, Snapshot, UpstreamLists, UpstreamName};

    use super::*;

    fn view() -> View {
        let schema = r#"{"type":"object","properties":{"count":{"type":"integer"}}}"#;
        let tool = RawObject::empty().with_value("name", "t").with("inputSchema", schema).to_raw();
        let lists =
            UpstreamLists { tools: vec![tool], ..UpstreamLists::empty(UpstreamName::parse("u").unwrap()) };
        View::of(Arc::new(Snapshot::build(&[lists], &[]).unwrap().0), &Principal::anonymous())
    }

    #[tokio::test]
    async fn p1_a_small_check_needs_no_turn_and_no_thread_once_the_schema_is_compiled() {
        // On a busy machine the default is over before a thread has begun.
        let limits = Limits { check_time: Duration::from_secs(60), ..Limits::default() };
        let (checks, view) = (Checks::new(&limits), view());
        let tool = || view.tools().next().unwrap();
        let call = |arguments: &str| {
            let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
            ToolCall { name: tool().name().clone(), arguments: Some(arguments.into()) }
        };
        let (fits, misfits) = (call(r#"{"count":1}"#), call(r#"{"count":"one"}"#));
        let turns = checks.turns.available_permits();
        let taken = Arc::clone(&checks.turns).try_acquire_many_owned(turns as u32).unwrap();
        assert!(checks.apply(&view, tool(), &fits).now_or_never().is_none(), "the schema has to be compiled");
        drop(taken);
        assert!(checks.apply(&view, tool(), &fits).await.unwrap().is_none());
        let _taken = Arc::clone(&checks.turns).try_acquire_many_owned(turns as u32).unwrap();
        assert!(checks.apply(&view, tool(), &fits).now_or_never().unwrap().is_ok());
        assert!(checks.apply(&view, tool(), &misfits).now_or_never().is_none(), "what is wrong takes longer");
    }
}
