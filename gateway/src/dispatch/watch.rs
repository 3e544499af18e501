//! Watches one call of a tool, from its first step to its end, however it ends.

use std::{sync::Arc, time::Instant};

use mcp_disclosure_core::{RawObject, RawText, ToolName, UpstreamName};
use mcp_disclosure_transport::{ErrorText, Request, beside::aside};
use parking_lot::Mutex;

use super::{
    Answer,
    allowance::{Allowance, Running},
};
use crate::{
    dialect::asks_for_input,
    observe::{Called, Observer, Outcome, Recording, Trace, Who, protected},
};

/// The fingerprint of a byte takes as long as the reading of this many: over 64 kB, it is made beside the workers (decision 30).
const FINGERPRINTED: usize = 4;

/// Watches a request; only calls of tools are reported, and questions what they would be like. If it is dropped before it is
/// settled, the call was cancelled.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    observer: &'a Arc<dyn Observer>,
    who: Who<'a>,
    /// Whose request it is, as in logs.
    label: &'a str,
    /// What follows the request in a trace.
    pub(crate) trace: Option<Arc<dyn Trace>>,
    method: &'a str,
    begun: Instant,
    request_bytes: usize,
    seen: Mutex<Seen>,
}

/// What was seen of a request so far.
#[derive(Debug, Default)]
struct Seen {
    /// Whether it is a call, which is to be reported once.
    awaits_report: bool,
    /// The name, as received or as decided.
    tool: Option<ToolName>,
    upstream: Option<UpstreamName>,
    /// What is known before there is a result.
    outcome: Option<Outcome>,
    refusal: Option<&'static str>,
    is_unjudged: bool,
    is_unsent: bool,
    /// The arguments, until their fingerprint was made.
    arguments: Option<Option<RawText>>,
    fingerprint: Option<Box<str>>,
    /// Whether its allowances have counted it.
    is_counted: bool,
    /// Its place among the calls in progress, from when it starts.
    running: Option<Running>,
    /// What was recorded of it before it was to be forwarded.
    recorded: Option<Recorded>,
}

/// The upstream and the tool of a call, and the fingerprint of its arguments.
type Recorded = (Option<UpstreamName>, Option<ToolName>, Option<Box<str>>);

impl<'a> Watch<'a> {
    pub(crate) fn begin(
        observer: &'a Arc<dyn Observer>,
        who: Who<'a>,
        label: &'a str,
        request: &'a Request,
    ) -> Self {
        Self {
            observer,
            who,
            label,
            trace: observer.begins(&who, request),
            method: &request.method,
            begun: Instant::now(),
            request_bytes: request.params.text().len(),
            seen: Mutex::new(Seen {
                awaits_report: matches!(&*request.method, "tools/resolve" | "tools/call"),
                ..Seen::default()
            }),
        }
    }

    /// The name that is called: the strategy's own, the inner one of a call within a call, or one that no tool has.
    pub(crate) fn names(&self, tool: &ToolName) {
        self.seen.lock().tool = Some(tool.clone());
    }

    /// The tool that is called.
    pub(crate) fn finds(&self, upstream: &UpstreamName, tool: &ToolName) {
        self.names(tool);
        tracing::Span::current().record("upstream", upstream.as_str());
        self.seen.lock().upstream = Some(upstream.clone());
    }

    /// That a request of another method is passed on, which counts as a call.
    pub(crate) fn passes(&self, upstream: &UpstreamName, method: &ToolName) {
        let mut seen = self.seen.lock();
        (seen.awaits_report, seen.outcome) = (true, None);
        drop(seen);
        self.finds(upstream, method);
    }

    /// What becomes of it.
    pub(crate) fn decides(&self, outcome: Outcome) {
        self.seen.lock().outcome = Some(outcome);
    }

    /// That its upstream certainly has not run it.
    pub(crate) fn was_not_sent(&self) {
        self.seen.lock().is_unsent = true;
    }

    /// That it is refused, and by which code.
    pub(crate) fn refuses(&self, code: &'static str) {
        let mut seen = self.seen.lock();
        (seen.outcome, seen.refusal) = (Some(Outcome::Refused), Some(code));
    }

    /// That it is decided again.
    pub(crate) fn begins_again(&self) {
        let mut seen = self.seen.lock();
        (seen.outcome, seen.refusal, seen.is_unjudged, seen.is_unsent) = (None, None, false, false);
        seen.running = None;
    }

    /// The arguments were checked, and it is known that they fit or not.
    pub(crate) fn checks(&self, is_judged: bool) {
        self.seen.lock().is_unjudged = !is_judged;
    }

    /// The arguments of the call; the last ones count.
    pub(crate) fn takes(&self, arguments: Option<&RawText>) {
        self.seen.lock().arguments = Some(arguments.cloned());
    }

    fn make_fingerprint(&self) {
        let arguments = {
            let mut seen = self.seen.lock();
            seen.arguments.take().filter(|_| seen.awaits_report)
        };
        if let Some(arguments) = arguments {
            let arguments = arguments.as_ref().map_or("{}", RawText::get);
            let made = aside(arguments.len() * FINGERPRINTED, || self.observer.fingerprint(arguments));
            self.seen.lock().fingerprint = made;
        }
    }

    /// Starts the call under these allowances, unless it has started: a tool that calls another one counts with that. A call that is
    /// decided again is counted once.
    ///
    /// # Errors
    /// Those of [`Allowance::call`].
    pub(super) fn starts(&self, allowances: &[Arc<Allowance>]) -> Result<(), ErrorText> {
        let mut seen = self.seen.lock();
        if seen.running.is_none() {
            seen.running = Some(Allowance::call(allowances, seen.is_counted)?);
            seen.is_counted = true;
        }
        Ok(())
    }

    /// The place of the call, for what runs on when it is answered.
    pub(super) fn runs_on(&self) -> Option<Running> {
        self.seen.lock().running.take()
    }

    /// What must be recorded before the call is forwarded. One that is decided again is recorded once, unless it is another call now.
    pub(crate) fn forwards(&self) -> Option<Recording> {
        self.make_fingerprint();
        let mut seen = self.seen.lock();
        let now = Some((seen.upstream.clone(), seen.tool.clone(), seen.fingerprint.clone()));
        if !seen.awaits_report || seen.recorded == now {
            return None;
        }
        seen.recorded = now;
        self.observer.before(&self.event(&seen, Outcome::Forwarded, 0))
    }

    /// The call is over.
    pub(crate) fn settle(self, answered: &Answer) {
        let decided = {
            let seen = self.seen.lock();
            seen.awaits_report.then_some(seen.outcome)
        };
        if let Some(decided) = decided {
            let bytes = match answered {
                Ok(result) => result.as_bytes().len(),
                Err(error) => error.message().len(),
            };
            self.report(decided.unwrap_or_else(|| aside(bytes, || outcome(answered))), bytes);
        }
        if let Some(trace) = &self.trace {
            trace.ends(answered.as_ref().err().map(ErrorText::code));
        }
    }

    /// Logs the call, in one line, and passes it to the observer; once.
    fn report(&self, outcome: Outcome, bytes: usize) {
        protected(|| self.make_fingerprint());
        let seen = std::mem::take(&mut *self.seen.lock());
        if !seen.awaits_report {
            return;
        }
        let (event, session) = (self.event(&seen, outcome, bytes), self.label);
        let what = match outcome {
            Outcome::Refused => "call refused",
            Outcome::Unknown | Outcome::NotPermitted => "unknown tool called",
            Outcome::Invalid | Outcome::Unrecorded | Outcome::Unavailable => "call not run",
            Outcome::Failed if seen.is_unsent => "call not run",
            _ if event.method == "tools/resolve" => "call resolved",
            _ => "tool called",
        };
        tracing::info!(
            %session, principal = event.who.principal, strategy = event.who.strategy,
            upstream = event.upstream, tool = %event.tool, outcome = %outcome, code = event.refusal,
            duration_ms = event.duration.as_micros() as f64 / 1000.0, "{what}"
        );
        protected(|| {
            self.observer.called(&event);
            self.trace.iter().for_each(|trace| trace.called(&event));
        });
    }

    fn event<'e>(&'e self, seen: &'e Seen, outcome: Outcome, response_bytes: usize) -> Called<'e> {
        Called {
            who: self.who,
            method: self.method,
            upstream: seen.upstream.as_ref().map(UpstreamName::as_str),
            tool: seen.tool.as_ref().map_or("", ToolName::as_str),
            outcome,
            refusal: seen.refusal,
            is_unjudged: seen.is_unjudged,
            duration: self.begun.elapsed(),
            request_bytes: self.request_bytes,
            response_bytes,
            fingerprint: seen.fingerprint.as_deref(),
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        // Nothing that takes long is begun here.
        self.seen.get_mut().arguments = None;
        self.report(Outcome::Cancelled, 0);
    }
}

/// The outcome of a call on which nothing was decided before.
fn outcome(answered: &Answer) -> Outcome {
    match answered {
        Ok(result) if may_be_special(result.as_str()) => match RawObject::parse(result.as_str()) {
            Ok(object) if object.member("isError") == Some("true") => Outcome::ToolError,
            Ok(object) if asks_for_input(&object) => Outcome::InputRequired,
            _ => Outcome::Ok,
        },
        Ok(_) => Outcome::Ok,
        Err(error) => Outcome::of_own(error),
    }
}

/// Whether a result may be an error, or ask for input. Results may be as large as a message, and few are parsed.
fn may_be_special(text: &str) -> bool {
    text.contains("input_required") || (text.contains("isError") && text.contains("true"))
}

#[cfg(test)]
mod tests {
    use std::{
        num::NonZeroU32,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use mcp_disclosure_core::{Grant, Permits, Principal, Quotas};
    use mcp_disclosure_transport::{Id, Json};

    use super::*;
    use crate::dispatch::allowance::Allowances;

    /// Counts the calls that it would record, and panics where it is given arguments.
    #[derive(Debug, Default)]
    struct Records(AtomicUsize);

    impl Observer for Records {
        fn fingerprint(&self, arguments: &str) -> Option<Box<str>> {
            panic!("as if: {arguments}")
        }

        fn before(&self, _call: &Called<'_>) -> Option<Recording> {
            self.0.fetch_add(1, Ordering::Relaxed);
            None
        }
    }

    #[test]
    fn a3_a7_a_call_that_is_decided_again_is_counted_and_recorded_once() {
        let records = Arc::new(Records::default());
        let observer: Arc<dyn Observer> = Arc::clone(&records) as _;
        let request =
            Request { id: Id::number(1), method: "tools/call".to_owned(), params: RawObject::empty() };
        let who = Who { principal: None, session: None, strategy: "full", client: "" };
        let watch = Watch::begin(&observer, who, "", &request);
        let quotas = Quotas { calls_per_minute: NonZeroU32::new(1), ..Quotas::default() };
        let ann = Principal::new("ann", Permits::of([Grant { quotas, ..Grant::default() }]));
        let allowances = Allowances::default().of(&ann, "peer");
        let tool = |name| ToolName::parse(name).unwrap();
        for (name, recorded) in [("a", 1), ("a", 1), ("b", 2)] {
            watch.begins_again();
            watch.finds(&UpstreamName::parse("kit").unwrap(), &tool(name));
            assert!(watch.starts(&allowances).is_ok(), "{name}");
            assert!(watch.forwards().is_none());
            assert_eq!(records.0.load(Ordering::Relaxed), recorded, "{name}");
        }
        assert!(Watch::begin(&observer, who, "", &request).starts(&allowances).is_err(), "another call");
        // An observer that panics costs no answer.
        watch.takes(None);
        watch.settle(&Ok(Json::empty_object()));
    }

    fn of(result: &str) -> Outcome {
        outcome(&Ok(RawObject::parse(result).unwrap().into()))
    }

    #[test]
    fn a7_outcomes_are_read_from_results() {
        assert_eq!(of(r#"{"content":[],"isError" : true}"#), Outcome::ToolError);
        assert_eq!(of(r#"{"content":[],"isError":false,"structuredContent":{"isError":true}}"#), Outcome::Ok);
        assert_eq!(of(r#"{"content":[{"text":"\"isError\": true"}]}"#), Outcome::Ok);
        assert_eq!(of(r#"{"resultType":"input_required"}"#), Outcome::InputRequired);
        assert_eq!(of("{}"), Outcome::Ok);
    }
}
