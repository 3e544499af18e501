//! `team`: a filter. A client that says which team it is of sees the tools of the upstream that has the team's name.

use mcp_disclosure_core::{Context, DisclosureStrategy, Fault, Lifecycle, Noted, Primitive, Profile, View};
use serde::Deserialize;
use serde_json::Value;

/// The filter's profile.
pub static PROFILE: Profile = Profile::filter("team", "Lists the tools of the client's team", "nothing");

/// `[strategy.team]` has no settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamConfig {}

/// The filter. What a client says is among the gateway's notes on it, not here.
#[derive(Debug)]
pub struct Team;

impl Team {
    /// Makes the filter.
    pub fn new(_: TeamConfig) -> Self {
        Self
    }
}

impl DisclosureStrategy for Team {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        if let Lifecycle::Opened(settings) = event {
            let team = settings.string("team").map(|team| ("team".to_owned(), team.into()));
            cx.remember(team.into_iter().collect());
        }
        Ok(())
    }

    fn narrow(&self, view: View, noted: Noted<'_>) -> View {
        let Some(team) = noted.get("team").and_then(Value::as_str) else { return view };
        view.narrow(
            |primitive| !matches!(primitive, Primitive::Tool(tool) if tool.upstream().as_str() != team),
        )
    }
}
