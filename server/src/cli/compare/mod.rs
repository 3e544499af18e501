//! `compare`.

mod arguments;
mod contestants;
mod progress;
mod script;
mod stage;
mod stand_in;
mod subject;

use std::{path::Path, sync::Arc};

pub use arguments::CompareArguments;
use mcp_disclosure_compare::{Comparison, Error, LinkFactory, Report, Work};
use mcp_disclosure_gateway::Problem;
use tracing::subscriber::NoSubscriber;

use self::{arguments::Use, contestants::Contestants, progress::Bar, stage::Stage};
use super::{Program, print, runtime_for_one};
use crate::failure::Failure;

/// Compares strategies on the tools of a source.
///
/// # Errors
/// Like `serve`, for the source and the strategies; [`Failure::OverBudget`] once the report is written.
pub fn compare(program: &Program, arguments: CompareArguments) -> Result<(), Failure> {
    let tokenizer = arguments.tokenizer;
    // Decoding the vocabulary takes about as long as starting upstreams.
    std::thread::spawn(move || tokenizer.count(""));
    let (format, detail, out) = (arguments.format, arguments.detail, arguments.out.clone());
    let budget = arguments.fail_over;
    let (report, asked) = runtime_for_one()?.block_on(run(program, arguments))?;
    let text = format.write(&report, detail);
    match out {
        Some(path) => write(&path, &text)?,
        None => print(&text)?,
    }
    budget.map_or(Ok(()), |most| within(most, &report, &asked))
}

/// The report, and the names of the requested strategies.
async fn run(program: &Program, arguments: CompareArguments) -> Result<(Report, Vec<String>), Failure> {
    let source = arguments.source.resolve(program.own.as_ref())?;
    source.warn();
    let declared = source.read().map_err(Failure::Configuration)?.declared;
    let problems = source.choice_problems(&arguments.settings.clone().over(source.settings.clone()));
    if !problems.is_empty() {
        return Err(Failure::Configuration(problems));
    }
    let settings = (arguments.settings, source.settings.clone());
    let mut contestants = Contestants::build(&program.registry, &arguments.strategies, settings)?;
    let script = arguments.script.as_deref().map(script::read).transpose()?;
    let real = Stage::real(&source, declared.clone(), &contestants).await?;
    let read = real.read().await;
    let (subject, stand_ins) = match read {
        Ok(read) => read,
        Err(failure) => {
            real.close().await;
            return Err(failure);
        }
    };
    contestants.examine(real.gateway());
    let disclosing = stage::disclosing(real.gateway());
    if let Some(tasks) = &script {
        script::warn(tasks.len(), contestants.names().len());
    } else {
        real.close().await;
    }
    // Warnings about stand-ins repeat those about the source.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let stages =
        Stage::stand_ins(&source, &declared, stand_ins, &mut contestants, arguments.transport).await?;
    let flag = if script.is_some() { "--script" } else { "--use" };
    let work = match (script, arguments.used) {
        (Some(tasks), _) => Work::Script { tasks, links: real.links() },
        (None, Use::Count(count)) => Work::Sample(count),
        (None, Use::Names(names)) => Work::Names(names),
    };
    let comparison = Comparison {
        subject,
        strategies: contestants.names(),
        links: links(&stages),
        work,
        tokenizer: arguments.tokenizer,
        turns: arguments.turns,
        repeats: arguments.repeat,
        omits_schemas: arguments.omit_input_schema,
        lessons: contestants.lessons(),
        transport: arguments.transport.to_string(),
    };
    let bar = Bar::new();
    let report = comparison.run(&|done, total, what| bar.show(done, total, what)).await;
    drop(bar);
    for stage in &stages {
        stage.close().await;
    }
    real.close().await;
    let mut report = report.map_err(|error| message(error, flag))?;
    report.notes.splice(0..0, contestants.notes().into_iter().chain(disclosing));
    Ok((report, contestants.asked()))
}

/// Links to the stage of each strategy.
fn links(stages: &[Stage]) -> LinkFactory {
    let links: Vec<(String, LinkFactory)> =
        stages.iter().map(|stage| (stage.name().to_owned(), stage.links())).collect();
    Arc::new(move |strategy| match links.iter().find(|(name, _)| name == strategy) {
        Some((_, links)) => links(strategy),
        None => Err(stage::left_out(strategy)),
    })
}

/// The failure of a comparison; `flag` is the one that named tools.
fn message(error: Error, flag: &str) -> Failure {
    match error {
        Error::UnknownTools { .. } => {
            let problem = |line: &str| Problem::new(format!("{flag}: {line}"));
            Failure::Usage(error.to_string().lines().map(problem).collect())
        }
        error => Failure::Comparison(error),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|source| Failure::Write { path: path.to_owned(), source })
}

/// # Errors
/// [`Failure::OverBudget`] with every strategy over the budget.
fn within(most: u64, report: &Report, asked: &[String]) -> Result<(), Failure> {
    let over: Vec<_> = report.over(most, asked).collect();
    if over.is_empty() {
        return Ok(());
    }
    let message = over.iter().map(|strategy| {
        let tokens = strategy.total_tokens.unwrap_or(strategy.initial_tokens);
        Problem::new(format!("strategy '{}' costs {tokens} tokens; --fail-over allows {most}", strategy.name))
    });
    Err(Failure::OverBudget(message.collect()))
}
