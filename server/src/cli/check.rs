//! `check`.

use std::{io::IsTerminal, sync::Arc};

use mcp_disclosure_compare::Query;
use mcp_disclosure_core::{Principal, Settings, View};
use mcp_disclosure_gateway::Gateway;
use mcp_disclosure_ranking::Lexical;
use mcp_disclosure_strategy_search::{self as search, SearchConfig};

use super::{
    CheckArguments, Format, Program, StrategyArguments,
    compare::queries,
    login::{described, name},
    print, print_styled, runtime_for_one,
    serve::receipt_key,
    source::Source,
};
use crate::{
    check::{
        Findings, Report, Severity, SignInState, Subject, access, findable, left_out, objections, refusals,
        unreachable,
    },
    config::Named,
    failure::Failure,
};

/// Prints what `serve` would refuse, and what would mislead a model or a host.
///
/// # Errors
/// [`Failure::Findings`], after the report was printed: if `serve` would not start, for an error, and with `--strict` for
/// any finding.
pub fn check(program: &Program, arguments: CheckArguments) -> Result<(), Failure> {
    let CheckArguments { source, strategies, strict, queries, allow, format } = arguments;
    let queries = queries.as_deref().map(queries::read).transpose()?.unwrap_or_default();
    let source = source.resolve(program.own.as_ref());
    let sign_ins = source.as_ref().map(|source| sign_ins(source.upstreams())).unwrap_or_default();
    let mut findings =
        source.as_ref().map_or_else(|_| Findings::default(), |source| left_out(source.left_out()));
    let looked = source.and_then(|source| look(program, source, strategies, &queries));
    let refused = looked.is_err();
    let report = looked.unwrap_or_else(|failure| Report {
        tools: None,
        sign_ins: Vec::new(),
        findings: refusals(&failure),
    });
    findings.0.extend(report.findings.0);
    let report = Report { sign_ins, findings: findings.without(&allow), ..report };
    match format {
        Format::Json => print(&report.to_json())?,
        // It escapes what is not its own.
        Format::Text => print_styled(&report.to_text(is_coloured()))?,
    }
    let (errors, found) = (report.count(Severity::Error), report.findings.0.len());
    if refused || errors > 0 || (strict && found > 0) {
        return Err(Failure::Findings { refused, errors, found });
    }
    Ok(())
}

/// Starts what `serve` would start, and looks at what it would serve.
fn look(
    program: &Program,
    source: Source,
    strategies: StrategyArguments,
    queries: &[Query],
) -> Result<Report, Failure> {
    let options = strategies.over(&source);
    let ranker = ranker(&options.settings);
    let file = source.origin.config.as_ref().map(|config| Arc::clone(&config.first));
    let assembly = source.prepare(&program.registry, &options, receipt_key(None))?;
    let all: Vec<_> = assembly.strategies.all().cloned().collect();
    runtime_for_one()?.block_on(async {
        let started = Gateway::start(assembly).await?;
        let snapshot = started.gateway.backends().shared().catalogue().current().snapshot().clone();
        let mut findings = unreachable(&started.missing);
        let everything = View::of(snapshot.clone(), &Principal::anonymous());
        for strategy in all {
            findings.0.extend(objections(&strategy.profile().name, &strategy.objections(&everything)).0);
        }
        findings.0.extend(file.map(|file| access(&file, &everything).0).unwrap_or_default());
        let tools = Some(snapshot.tool_count());
        findings.0.extend(Subject::new(snapshot, started.gateway.limits().check()).look().0);
        findings.0.extend(findable(&everything, &ranker, queries).0);
        started.gateway.close().await;
        Ok(Report { tools, sign_ins: Vec::new(), findings: Findings(findings.0) })
    })
}

/// Which upstreams are signed in to, of those that are or are said to be.
fn sign_ins(upstreams: &[Named]) -> Vec<SignInState> {
    let state = |named: &Named| {
        let sign_in = named.sign_in()?;
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

/// What `search` ranks by with these settings. Invalid ones are refused elsewhere.
fn ranker(settings: &Settings) -> Lexical {
    let config = settings.get(search::NAME).cloned();
    let config: Option<SearchConfig> = config.and_then(|config| serde_json::from_value(config).ok());
    Lexical::new(&config.unwrap_or_default().ranking())
}

/// Whether stdout shows colours.
pub(super) fn is_coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
