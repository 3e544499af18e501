//! The filter: how it reads and stores a host's choices, and what it leaves out of lists.

use async_trait::async_trait;
use mcp_disclosure_core::{
    Advertisement, ClientTraits, Concern, Context, Decision, DisclosureStrategy, Era, Fault, Lifecycle,
    Noted, Notes, Objection, Own, Pattern, Profile, RawObject, ToolCall, View,
};

use crate::{
    BridgeTool, ConcernsConfig, OnInvalidValue, Unset, bridge,
    choices::{self, Choices},
    operator,
    update::{self, LIST, UPDATE},
    wording,
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "concerns";

/// The profile of `concerns`.
pub static PROFILE: Profile = Profile::filter(
    NAME,
    "Lists what fits the concerns that the host chose",
    "nothing; a host that knows the declared concerns may choose",
)
.with_settings(ConcernsConfig::SETTINGS);

/// Leaves out of lists what does not fit the concerns that the host chose.
#[derive(Debug)]
pub struct Concerns {
    config: ConcernsConfig,
    /// Parameters of addresses that are no choices.
    ignored: Vec<Pattern>,
}

impl Concerns {
    /// Makes the strategy.
    pub fn new(config: ConcernsConfig) -> Self {
        let ignored = config.ignored_parameters.iter().map(|text| Pattern::new(text)).collect();
        Self { config, ignored }
    }

    /// The values by which it filters, by concern, if these are chosen.
    fn in_force(&self, declared: &[Concern], chosen: &Notes) -> Notes {
        if chosen.is_empty() {
            return Notes::new();
        }
        let value_of = |concern: &Concern| {
            // The declaration may have changed since the choice.
            let chosen = chosen.get(concern.name()).and_then(|value| concern.values().understood(value));
            match self.config.unset {
                Unset::Any => chosen,
                Unset::Default => chosen.or_else(|| concern.default().cloned()),
            }
        };
        let values =
            declared.iter().filter_map(|concern| Some((concern.name().to_owned(), value_of(concern)?)));
        values.collect()
    }

    /// Validates a client's choices. Warnings are the caller's to answer or to log: a request may be decided twice.
    fn choose(&self, cx: &Context<'_>, given: &str, on_invalid: OnInvalidValue) -> Result<Choices, Fault> {
        let (declared, is_starting) = (&cx.view.about().concerns, cx.view.is_starting());
        let choices = Choices::read(declared, given, on_invalid, is_starting)?;
        tracing::debug!(session = cx.session, changes = ?choices.changes, "concerns chosen");
        Ok(choices)
    }

    /// Changes a client's choices by the JSON text of an object: what is listed then, and the answer.
    fn update(&self, cx: &Context<'_>, given: &str) -> Result<(View, RawObject), Fault> {
        let mut choices = self.choose(cx, given, self.config.on_invalid_value)?;
        let chosen = cx.noted.with(choices.changes.clone());
        let effective = self.in_force(&cx.view.about().concerns, &chosen);
        let fitting = cx.view.before_choices().clone().choosing(effective);
        choices.warnings.extend(update::nothing_left(&fitting));
        let answer = update::updated(fitting.choices(), &choices.warnings);
        cx.remember(choices.changes);
        Ok((fitting, answer))
    }

    /// Whether `choose_concerns` is listed to a client.
    fn has_bridge(&self, view: &View, client: &ClientTraits) -> bool {
        let is_listed = match self.config.bridge {
            BridgeTool::Auto => client.filter_bridge,
            BridgeTool::Always => true,
            BridgeTool::Never => false,
        };
        is_listed && client.era == Era::Session && !view.about().concerns.is_empty()
    }
}

#[async_trait]
impl DisclosureStrategy for Concerns {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn own(&self, view: &View, client: &ClientTraits) -> Own {
        let declared = &view.about().concerns;
        if declared.is_empty() {
            return Own::default();
        }
        let tool = || bridge::tool(declared, view.choices());
        let concerns = RawObject::empty().with_value("concerns", declared);
        let mut settings = concerns.clone();
        if !view.choices().is_empty() {
            settings = settings.with_value(update::EFFECTIVE, view.choices());
        }
        let experimental = RawObject::empty().with_value("concerns", &update::listed(view));
        Own {
            tools: self.has_bridge(view, client).then(tool).into_iter().collect(),
            advertisement: Advertisement { capabilities: concerns, experimental, settings },
        }
    }

    fn objections(&self, view: &View) -> Vec<Objection> {
        let misfits = operator::misfits(&view.about().concerns, &self.config.choices, view.is_complete());
        misfits.into_iter().map(wording::of_operator).collect()
    }

    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        if let Lifecycle::Arrived(parameters) = event {
            let of_address = choices::of_address(&cx.view.about().concerns, parameters, &self.ignored)?;
            let choices: Notes = self.config.choices.clone().into_iter().chain(of_address).collect();
            cx.remember(choices);
            return Ok(());
        }
        let (said, on_invalid) = match (event, self.config.on_invalid_value) {
            // A notification cannot be answered with an error.
            (Lifecycle::Initialized(params), OnInvalidValue::Error) => (params, OnInvalidValue::Ignore),
            (Lifecycle::Opened(said) | Lifecycle::Initialized(said), on_invalid) => (said, on_invalid),
            _ => return Ok(()),
        };
        let may_be_declared = !cx.view.about().concerns.is_empty() || cx.view.is_starting();
        if let Some(given) = said.member("concerns").filter(|_| may_be_declared) {
            cx.speaks_natively();
            let Choices { changes, warnings } = self.choose(cx, given, on_invalid)?;
            for warning in warnings {
                tracing::warn!(session = cx.session, "{warning}");
            }
            cx.remember(changes);
        }
        Ok(())
    }

    fn narrow(&self, view: View, noted: Noted<'_>) -> View {
        let view = if self.config.expose { view.showing_concerns() } else { view };
        let Some(chosen) = noted.all() else { return view };
        let in_force = self.in_force(&view.about().concerns, chosen);
        view.choosing(in_force)
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        if *call.name != *bridge::NAME || !self.has_bridge(cx.view, cx.client) {
            return Ok(Decision::Forward(call));
        }
        let chosen = match call.arguments.as_ref().map_or(0, |arguments| arguments.get().len()) {
            bytes if bytes > bridge::MAX_BYTES => {
                Err(Fault::InvalidParams(wording::too_large(bytes, bridge::MAX_BYTES)))
            }
            _ => self.update(cx, &bridge::choices(call.arguments()?, &cx.view.about().concerns)),
        };
        Ok(Decision::Answer(match chosen {
            Ok((fitting, answer)) => bridge::answer(&answer, fitting.tools().count()),
            Err(fault) => bridge::refusal(&fault.to_string()),
        }))
    }

    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawObject,
    ) -> Result<Option<RawObject>, Fault> {
        let declared = &cx.view.about().concerns;
        match method {
            // What it chose by may be declared no more.
            _ if declared.is_empty() && cx.noted.all().is_none() => Ok(None),
            LIST => Ok(Some(update::listed(cx.view))),
            UPDATE if cx.client.era == Era::Session => {
                cx.speaks_natively();
                Ok(Some(self.update(cx, update::choices_of(params)?)?.1))
            }
            _ => Ok(None),
        }
    }
}
