//! A source that has been started, read and closed again: what is compared, and the gateways on which that is done.

use std::sync::Arc;

use mcp_disclosure_compare::{
    self as compare, Error, HostKind, Subject, Tokenizer,
    transcript::{Assignment, Play, Transcript},
};
use mcp_disclosure_core::Principal;
use mcp_disclosure_gateway::Problem;
use tracing::{dispatcher::DefaultGuard, subscriber::NoSubscriber};

use super::{
    command::Command,
    contestants::Contestants,
    progress::Progress,
    stage::{self, Stages},
    stand_in::{self, StandIn},
};
use crate::{
    cli::{Program, source::Source},
    failure::Failure,
    flags::{Given, SetSource, Transport},
};

/// A source that has been read.
pub(in crate::cli) struct Prepared<'a> {
    program: &'a Program,
    pub(in crate::cli) contestants: Contestants<'a>,
    /// The tools of the source.
    pub(in crate::cli) subject: Subject,
    progress: Option<Arc<Progress>>,
    source: Source,
    stand_ins: Vec<StandIn>,
    /// Which upstreams are missing, or disclose progressively themselves.
    notes: Vec<String>,
    /// Warnings about stand-ins repeat those about the source.
    _quiet: DefaultGuard,
}

impl<'a> Prepared<'a> {
    /// Builds the strategies, and reads the tools of the source, as a principal sees them if one is named. `rows` are the flag that
    /// names them, and what it says: `all`, or a list of them; `started` is how the command begins that serves the source.
    ///
    /// # Errors
    /// Like `serve`, for the source and the strategies; what is wrong with rows.
    pub(in crate::cli) async fn of(
        program: &'a Program,
        flags: Given<SetSource>,
        principal: Option<String>,
        rows: (&'static str, &str),
        started: String,
        progress: Option<Progress>,
    ) -> Result<Self, Failure> {
        let source = flags.resolve(program.own.as_ref())?.seen_by(principal.as_deref())?;
        source.warn();
        let problems = source.problems(&source.options().settings);
        if !problems.is_empty() {
            return Err(Failure::Configuration(problems));
        }
        // Over HTTP a client's token says who it is.
        let is_over_stdio = source.serve.transport == Transport::Stdio;
        let command = Command::of(started, &flags, principal.filter(|_| is_over_stdio));
        let mut contestants = Contestants::build(&program.registry, rows, &source, &command)?;
        let progress = progress.map(Arc::new);
        let (real, mut notes) = stage::real(&source, &contestants, progress.clone()).await?;
        let read = stage::read(&real, &contestants);
        let examined = contestants.examine(&real, source.caller.as_ref(), &command);
        let seen_by = source.caller.as_ref().and_then(Principal::id);
        notes.extend(seen_by.map(|id| format!("What {id} sees and pays.")));
        notes.extend(stage::disclosing(&real));
        real.close().await;
        let (subject, stand_ins) = read?;
        examined?;
        let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
        Ok(Self { program, contestants, subject, progress, source, stand_ins, notes, _quiet })
    }

    /// Whether the only upstream is the one that the program has of its own.
    pub(super) fn is_own(&self) -> bool {
        let own = self.program.own.as_ref().map(|(target, _)| target);
        self.source.upstreams().iter().all(|upstream| Some(&upstream.target) == own)
    }

    /// Does some work with a task on gateways in front of stand-ins, one for each row; `flag` is the one that names tools.
    ///
    /// # Errors
    /// If a gateway cannot be started, or why the work cannot be done.
    pub(super) async fn on_stages<T>(
        &mut self,
        assignment: Assignment,
        (tokenizer, host, omits_schemas): (Tokenizer, HostKind, bool),
        flag: &str,
        work: impl AsyncFnOnce(Play<'_>, &Contestants<'_>, compare::Progress<'_>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let (upstreams, reached) = stand_in::scripted(&self.stand_ins, &assignment);
        let stages = Stages::start(&self.source, upstreams, &mut self.contestants).await?;
        let (subject, links) = (&self.subject, stages.links());
        let play = Play { subject, assignment, tokenizer, host, omits_schemas, links, reached };
        let progress = &|done, total, what: &str| {
            self.progress.iter().for_each(|progress| progress.step(done, total, what));
        };
        let done = work(play, &self.contestants, progress).await;
        stages.close().await;
        done.map_err(|error| message(error, flag))
    }

    /// Plays a task under each of the rows that were requested; `flag` is the one that names tools.
    ///
    /// # Errors
    /// If a gateway cannot be started, or why the task cannot be played.
    pub(in crate::cli) async fn play(
        &mut self,
        assignment: Assignment,
        (tokenizer, host): (Tokenizer, HostKind),
        flag: &str,
    ) -> Result<Transcript, Failure> {
        self.on_stages(assignment, (tokenizer, host, false), flag, async |play, contestants, progress| {
            play.run(&contestants.requested(), progress).await
        })
        .await
    }

    /// Notes for readers, about the rows and the source.
    pub(super) fn notes(&self) -> Vec<String> {
        [&self.contestants.notes[..], &self.notes].concat()
    }
}

/// The failure of a comparison; `flag` is the one that named tools.
pub(super) fn message(error: Error, flag: &str) -> Failure {
    let problems = |flag: &str, lines: Vec<String>| {
        lines.iter().map(|line| Problem::new(format!("{flag} {line}"))).collect()
    };
    match error {
        Error::UnknownTools(lines) => Failure::Usage(problems(&format!("{flag}:"), lines)),
        Error::UnknownLabels(lines) => Failure::Configuration(problems("--queries", lines)),
        error => Failure::Comparison(error),
    }
}
