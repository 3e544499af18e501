//! The scripted agent: the right workflow meets no error, the wrong ones get out of theirs by what these say
//! (001 "LLM Behavior Tests").

use kit::{Bench, Scenario, Setup};
use mcp_disclosure_client::Host;
use mcp_disclosure_compare::agent::{Agent, Behavior, Task, Trace};
use mcp_disclosure_core::{Profile, RawObject};

use super::{calls_forwarded, entry_only, host, pinned};
use crate::odd;

const REQUIRED: &str = "TOOL_DESCRIPTION_REQUIRED";
const MISSING: &str = "MISSING_TOOL_SELECTION";

/// The moves of the tasks below under a strategy that teaches two tools, one after the other.
const WORKFLOW: usize = 5;

fn tasks() -> Vec<Task> {
    let once = |tool: &str, text: &str| Task {
        tool: tool.to_owned(),
        arguments: RawObject::empty().with_value("text", text),
    };
    vec![once("echo", "one"), once("odd ü,?&%", "two"), once("echo", "three")]
}

/// An agent under a strategy that declares no calls of its own tools.
fn agent(host: &Host, behavior: Behavior, reads_resources: bool) -> Agent {
    Agent::new(host, behavior, reads_resources, &Profile::presenter("any", "", ""))
}

async fn perform(host: &Host, behavior: Behavior) -> Trace {
    let trace = agent(host, behavior, true).perform(&tasks()).await.unwrap();
    assert!(trace.succeeded(), "{trace:?}");
    let forwarded = calls_forwarded(host).await;
    let texts: Vec<&str> = forwarded.iter().map(|call| call["arguments"]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    trace
}

/// Whether the agent called this tool.
fn calls(trace: &Trace, tool: &str) -> bool {
    trace.steps.iter().any(|step| step.method == "tools/call" && step.target == tool)
}

/// The last resource that it read.
fn last_read(trace: &Trace) -> Option<&str> {
    let last = trace.steps.iter().rev().find(|step| step.method == "resources/read");
    last.map(|step| &*step.target)
}

async fn the_workflow_meets_no_error(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let trace = perform(&host(&bench, setup).await, Behavior::Workflow).await;
    assert_eq!(trace.errors().count(), 0, "{trace:?}");
    assert!(calls(&trace, "echo"));
}

async fn the_anti_patterns_come_to_a_good_end(setup: Setup) {
    for behavior in [Behavior::EverythingFirst, Behavior::TooEarly] {
        let bench = Bench::start(odd()).await;
        perform(&host(&bench, setup).await, behavior).await;
    }
}
everywhere!(the_workflow_meets_no_error);
each_strategy!(the_anti_patterns_come_to_a_good_end);

async fn a_call_without_fetching_leads_to_the_description(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let trace = perform(&host(&bench, setup).await, Behavior::TooEarly).await;
    let codes: Vec<&str> = trace.errors().collect();
    assert_eq!((codes, trace.steps.len()), (vec![REQUIRED, REQUIRED], WORKFLOW + 2), "{trace:?}");
    assert!(last_read(&trace).unwrap().contains("?tools=odd%20"));
}

async fn a_fetch_of_everything_leads_to_a_choice(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let trace = perform(&host(&bench, setup).await, Behavior::EverythingFirst).await;
    let codes: Vec<&str> = trace.errors().collect();
    assert_eq!((codes, trace.steps.len()), (vec![MISSING], WORKFLOW + 1), "{trace:?}");
}

async fn a_model_that_reads_no_resources_is_led_over_the_bridge(setup: Setup) {
    for (behavior, expected, extra) in
        [(Behavior::Workflow, &[][..], 0), (Behavior::TooEarly, &[REQUIRED; 2], 2)]
    {
        let (_bench, host) = pinned(setup).await;
        let trace = agent(&host, behavior, false).perform(&tasks()).await.unwrap();
        assert!(trace.succeeded() && calls(&trace, "describe_tools"), "{trace:?}");
        let codes: Vec<&str> = trace.errors().collect();
        assert_eq!(codes, expected, "{trace:?}");
        assert_eq!((trace.steps.len(), last_read(&trace)), (WORKFLOW + extra, None), "{trace:?}");
    }
}
under_resource!(
    a_call_without_fetching_leads_to_the_description,
    a_fetch_of_everything_leads_to_a_choice,
    a_model_that_reads_no_resources_is_led_over_the_bridge,
);

async fn a_tool_is_described_before_its_first_call(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let trace = perform(&host(&bench, setup).await, Behavior::Workflow).await;
    let methods: Vec<&str> = trace.steps.iter().map(|step| &*step.method).collect();
    let (describe, call) = ("tools/describe", "tools/call");
    assert_eq!(methods, [describe, call, describe, call, call]);
}

async fn a_host_that_knows_no_describe_is_led_over_the_bridge(setup: Setup) {
    let (_bench, host) = pinned(setup).await;
    let trace = agent(&host, Behavior::Workflow, true).perform(&tasks()).await.unwrap();
    assert!(trace.succeeded() && calls(&trace, "describe_tools"), "{trace:?}");
    assert!(trace.steps.iter().all(|step| step.method == "tools/call"), "{trace:?}");
    assert_eq!((trace.errors().count(), trace.steps.len()), (0, WORKFLOW), "{trace:?}");
}

async fn neither_anti_pattern_meets_an_error(setup: Setup) {
    for behavior in [Behavior::EverythingFirst, Behavior::TooEarly] {
        let bench = Bench::start(odd()).await;
        let trace = perform(&host(&bench, setup).await, behavior).await;
        assert_eq!(trace.errors().count(), 0, "{trace:?}");
        // All definitions in one request, or none: cheap in trips, and dear or blind otherwise.
        let described = trace.steps.iter().filter(|step| step.method == "tools/describe").count();
        assert_eq!(described, usize::from(behavior == Behavior::EverythingFirst), "{trace:?}");
    }
}
under_describe!(
    a_tool_is_described_before_its_first_call,
    a_host_that_knows_no_describe_is_led_over_the_bridge,
    neither_anti_pattern_meets_an_error,
);

async fn an_info_tool_is_used_level_by_level(setup: Setup) {
    let count = Scenario::odd().tools.len();
    for options in [odd(), entry_only(odd())] {
        let bench = Bench::start(options).await;
        // Both tools are explained before they are called; or everything is: overview, category, each tool; or
        // nothing.
        for (behavior, informed) in
            [(Behavior::Workflow, 2), (Behavior::EverythingFirst, 2 + count), (Behavior::TooEarly, 0)]
        {
            let host = host(&bench, setup).await;
            let trace = agent(&host, behavior, true).perform(&tasks()).await.unwrap();
            assert!(trace.succeeded() && trace.errors().count() == 0, "{behavior:?}: {trace:?}");
            let asked = trace.steps.iter().filter(|step| step.target == "info").count();
            assert_eq!((asked, trace.steps.len()), (informed, informed + 3), "{behavior:?}: {trace:?}");
        }
    }
}
under_info!(an_info_tool_is_used_level_by_level);
