//! `check`.

use std::{io::IsTerminal, path::PathBuf, sync::Arc, time::Duration};

use clap::{Args, ValueEnum, builder::PossibleValuesParser};
use mcp_disclosure_compare::Query;
use mcp_disclosure_core::{Principal, View};
use mcp_disclosure_gateway::{Assembly, Gateway, backend::clashes};

use super::{
    Program, Source,
    compare::{files, progress::Progress},
    described, door, folded_text, name, print_styled, print_text, runtime_for_one, session_store,
};
use crate::{
    check::{
        CODES, Findings, LEFT_OUT, NO_KEYS, NOT_SERVED, Report, Seen, Severity, SignInState, Subject, access,
        callers, findable, objections, refusals, unpassed, unreachable,
    },
    config::{Named, unreadable as unreadable_access},
    failure::Failure,
    flags::{Given, SessionStoreArguments, SourceArguments, StrategyArguments},
    strategies::ranker,
};

/// The flags of `serve` that `check` takes.
#[derive(Debug, Args)]
pub struct CheckedArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// The choice of strategies.
    #[command(flatten)]
    pub strategies: StrategyArguments,

    /// As serve --allow-anonymous: listening beyond loopback without tokens is meant
    #[arg(long, help_heading = "Access")]
    pub allow_anonymous: bool,

    /// The store of sessions.
    #[command(flatten)]
    pub session_store: SessionStoreArguments,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// What serve would be told.
    #[command(flatten)]
    pub flags: Given<CheckedArguments>,

    /// Show what this principal sees and pays, by its name in the file
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub principal: Option<String>,

    /// Exit with 1 if anything is found; notes count with --notes
    #[arg(long, help_heading = "Findings")]
    pub strict: bool,

    /// Show notes, too: what could be better in the texts of upstreams, for example
    #[arg(long, help_heading = "Findings")]
    pub notes: bool,

    /// Queries, to see which tools their words do not find
    ///
    /// JSON lines of {"query", "tools"}, labelled with the tools that are right, as for compare
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    pub queries: Option<PathBuf>,

    /// Ignore findings with these codes
    #[arg(
        long, value_name = "CODES", value_delimiter = ',', help_heading = "Findings",
        value_parser = PossibleValuesParser::new(CODES), hide_possible_values = true
    )]
    pub allow: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Findings")]
    pub format: Format,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Grouped, worst first.
    #[default]
    Text,
    /// One object, with every finding.
    Json,
}

/// How long upstreams are waited for: each has time-outs of its own.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Prints what `serve` would refuse, and what would mislead a model or a host.
///
/// # Errors
/// [`Failure::Findings`], after the report was printed: if `serve` would not start, for an error, and with `--strict` for
/// any finding.
pub fn check(program: &Program, arguments: CheckArguments) -> Result<(), Failure> {
    let CheckArguments { flags, principal, strict, notes, queries, allow, format } = arguments;
    let queries = queries.as_deref().map(files::queries).transpose()?.unwrap_or_default();
    let source =
        flags.as_served(program.own.as_ref()).and_then(|source| source.seen_by(principal.as_deref()));
    let sign_ins = source.as_ref().map(|source| sign_ins(source.upstreams())).unwrap_or_default();
    let mut findings = Findings::default();
    if let Ok(Source { contents: Ok(contents), .. }) = &source {
        findings.of_problems(LEFT_OUT, &contents.found.left_out);
    }
    let looked = source.and_then(|source| {
        let places = source.places.clone();
        look(program, source, &queries, &mut findings).map_err(|failure| places.placed(failure))
    });
    let refused = looked.is_err();
    let (tools, seen) = match looked {
        Ok((tools, seen)) => (Some(tools), seen),
        Err(failure) => {
            refusals(&failure, &mut findings);
            (None, None)
        }
    };
    findings.0.retain(|finding| !allow.iter().any(|code| code == finding.rule.code));
    findings.dedup();
    let all = findings.0.len();
    findings.0.retain(|finding| notes || finding.rule.severity != Severity::Note);
    let notes_left_out = all - findings.0.len();
    let report = Report { tools, seen, sign_ins, findings, notes_left_out };
    match format {
        Format::Json => print_text(&report.to_json())?,
        // It escapes what is not its own.
        Format::Text => print_styled(&folded_text(&report.to_text(is_coloured())))?,
    }
    let (errors, found) = (report.count(Severity::Error), report.findings.0.len());
    if refused || errors > 0 || (strict && found > 0) {
        return Err(Failure::Findings { refused, errors, found });
    }
    Ok(())
}

/// Starts what `serve` would start, which refuses what `serve` would refuse, and looks at what it would serve once all upstreams
/// were tried. How many tools there are, and what one caller sees of them, if that was asked for.
fn look(
    program: &Program,
    source: Source,
    queries: &[Query],
    findings: &mut Findings,
) -> Result<(usize, Option<Seen>), Failure> {
    drop(session_store(&source.serve)?);
    source.serve.operating.check_key()?;
    let (options, key_file) = (source.options(), source.serve.receipt_key_file.clone());
    let ranker = ranker(&options.settings);
    let (contents, caller) = (source.contents.clone(), source.caller.clone());
    let assembly = Assembly {
        wait_for_upstreams: PATIENCE,
        witness: Some(Arc::new(Progress::of_waiting())),
        ..source.prepare(&program.registry, &options, key_file.as_deref())?
    };
    // What is wrong with files was reported by `prepare`, with the rest.
    let contents = contents.map_err(Failure::Configuration)?;
    let all: Vec<_> = assembly.strategies.all().cloned().collect();
    runtime_for_one()?.block_on(async {
        if let Err(error) = door(&contents, &assembly.strategies)?.read_keys().await {
            findings.of_problems(NO_KEYS, &unreadable_access(&contents.file, &[error]));
        }
        let started = Gateway::start(assembly).await?;
        let backend = started.gateway.backends().shared();
        backend.settled().await;
        let missing: Vec<_> = backend.slots().iter().filter_map(|slot| slot.status().error).collect();
        let snapshot = backend.catalogue().current().snapshot().clone();
        unreachable(&missing, findings);
        findings.of_problems(NOT_SERVED, &clashes(&all, &snapshot));
        unpassed(&backend.slots(), findings);
        let everything = View::of(snapshot.clone(), &Principal::anonymous());
        for strategy in all {
            let name = &strategy.profile().name;
            let is_required = started.gateway.strategies().is_required(name);
            objections(name, is_required, &strategy.objections(&everything), findings);
        }
        access(&contents.file, &snapshot, findings);
        callers(&contents.file, findings);
        let tools = snapshot.tool_count();
        let seen = caller.map(|caller| Seen::by(&caller, &snapshot, &everything));
        findings.0.extend(Subject::new(snapshot).look().0);
        findable(&everything, &ranker, queries, findings);
        started.gateway.close().await;
        Ok((tools, seen))
    })
}

/// Which upstreams are signed in to, of those that are or are said to be.
fn sign_ins(upstreams: &[Named]) -> Vec<SignInState> {
    let state = |named: &Named| {
        let sign_in = named.sign_in.as_ref()?;
        let (is_signed_in, detail) = match sign_in.signed_in() {
            Ok(Some(signed_in)) => (true, described(&signed_in)),
            Ok(None) if sign_in.is_of_service() => {
                (false, "it signs in by itself when it is served".to_owned())
            }
            Ok(None) if named.oauth == Default::default() => return None,
            Ok(None) => (false, format!("run '{}'", sign_in.command())),
            Err(error) => (false, error.to_string()),
        };
        Some(SignInState { upstream: name(named), is_signed_in, detail })
    };
    upstreams.iter().filter_map(state).collect()
}

/// Whether stdout shows colours.
pub(crate) fn is_coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
