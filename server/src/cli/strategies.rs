//! The commands `strategies` and `prompt`, and building the strategies of a command.

use clap::Args;
use mcp_disclosure_core::{Era, Memory, Notes, Permits, Principal, Registry, Settings, adaptive};
use mcp_disclosure_gateway::{
    Offer, Problem,
    negotiation::{Bridge, Strategies, StrategyOptions},
};
use serde_json::Value;

use super::{Program, folded, print_text, visited};
use crate::{
    config::DisclosureFile,
    failure::Failure,
    files::Contents,
    flags::{Given, SetSource},
    strategies::{CHOICES, NARROWING, misfits},
};

/// Prints each strategy's name, summary and requirements.
///
/// # Errors
/// If stdout cannot be written.
pub fn strategies(program: &Program) -> Result<(), Failure> {
    let line = |name: &str, text: &str| format!("{}\n", folded(&format!("{name:<10} {text}"), 11));
    let default = build(&program.registry, &StrategyOptions::default()).map_err(Failure::Configuration)?;
    let default = default.all().find(|strategy| strategy.profile().name.ends_with(adaptive::NAME));
    let default = default.map(|strategy| (adaptive::NAME, strategy.profile(), "nothing; it is the default"));
    let all = program.registry.profiles().map(|profile| (&*profile.name, profile, &*profile.needs));
    default.into_iter().chain(all).try_for_each(|(name, profile, needs)| {
        print_text(&(line(name, &profile.summary) + &line("", &format!("needs: {needs}"))))
    })
}

/// `prompt`.
#[derive(Debug, Args)]
pub struct PromptArguments {
    /// What serve would be told.
    #[command(flatten)]
    pub flags: Given<SetSource>,

    /// The strategy to give guidance for
    #[arg(long, value_name = "NAME")]
    pub strategy: String,
}

/// Prints a strategy's guidance for a host's system prompt.
///
/// # Errors
/// Like `serve`, for the source and the strategy.
pub fn prompt(program: &Program, arguments: PromptArguments) -> Result<(), Failure> {
    let source = arguments.flags.resolve(program.own.as_ref())?;
    source.warn();
    // A host that adds guidance to its prompt speaks the strategy's native channel.
    let options = StrategyOptions {
        pinned: Some(arguments.strategy),
        bridge: Bridge::Never,
        settings: source.options().settings,
        ..StrategyOptions::default()
    };
    let assembly = source.prepare(&program.registry, &options, None)?;
    let guidance = visited(assembly, |started| {
        let gateway = &started.gateway;
        let choice = gateway.strategies().choose(None, &Permits::all(), &Offer::default(), Era::Session);
        let page = gateway.backends().shared().catalogue().current().page(
            &Principal::anonymous(),
            &choice,
            &Memory::default(),
        );
        page.instructions.clone()
    })?;
    match guidance {
        Some(guidance) => print_text(&format!("{guidance}\n")),
        None => {
            tracing::info!("this strategy has no guidance");
            Ok(())
        }
    }
}

/// The strategies that the options name.
///
/// # Errors
/// Every name that is unknown and every setting that is wrong, with a hint.
pub(crate) fn build(registry: &Registry, options: &StrategyOptions) -> Result<Strategies, Vec<Problem>> {
    Strategies::build(registry, options).map_err(|problems| problems.0.into_iter().map(hinted).collect())
}

/// Adds a hint to a problem with a strategy that has none.
pub(crate) fn hinted(problem: Problem) -> Problem {
    match problem.remedy() {
        Some(_) => problem,
        None => problem.hint("mcp-disclosure strategies lists them"),
    }
}

/// Everything that is wrong with the choices in `settings`, by what is declared without upstreams. If that is nothing,
/// upstreams may declare what is chosen, and the strategy objects at the start if they do not.
pub(crate) fn choice_problems(settings: &Settings, contents: &Contents) -> Vec<Problem> {
    let (declared, file) = (&contents.declared.about.concerns, &contents.file);
    let wrong = choices(settings).into_iter().flatten().flat_map(|(name, value)| {
        let alone = Notes::from([(name.clone(), value.clone())]);
        let misfits = misfits(declared, &alone, !declared.is_empty()).into_iter();
        misfits.map(move |misfit| at(file, name, value, &misfit.message).hint(misfit.hint))
    });
    wrong.collect()
}

/// The operator's choices of concerns in `settings`.
pub(crate) fn choices(settings: &Settings) -> Option<&serde_json::Map<String, Value>> {
    settings.get(NARROWING)?.get(CHOICES)?.as_object()
}

/// A problem with a choice where it is written: in the file, unless a flag replaced it.
fn at(file: &DisclosureFile, name: &str, value: &Value, message: &str) -> Problem {
    let is_in_file = choices(&file.strategy).and_then(|choices| choices.get(name)) == Some(value);
    let place = file.places.of(&["strategy", NARROWING, CHOICES, name]).filter(|_| is_in_file);
    match (place, value) {
        (Some(place), _) => {
            Problem::new(format!("strategy.{NARROWING}.{CHOICES}.{name}: {message}")).at(place.clone())
        }
        (None, Value::String(value)) => Problem::new(format!("--concern {name}={value}: {message}")),
        (None, value) => Problem::new(format!("{NARROWING}.{CHOICES}.{name} = {value}: {message}")),
    }
}
