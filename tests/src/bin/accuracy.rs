//! Lets a model work behind a strategy, and scores it by what reached the upstreams (docs/accuracy.md).

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};
use kit::accuracy::{Conversation, Failure, Host, Model, Score, Task, record, replay, table};

/// Measures whether a model chooses the right tools behind a strategy.
///
/// First `record` the lists of real servers; then `run` a model on labelled tasks. Upstreams are replays of the
/// recorded lists, so no tool runs.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tools of every server of a host's file into a folder
    Record {
        /// A file with "mcpServers", such as docs/eight-servers.json
        config: PathBuf,
        /// The folder, which gets one file for each server
        folder: PathBuf,
    },
    /// Give labelled tasks to a model
    Run(Run),
    /// Serve a recorded list (`run` starts its upstreams with this)
    #[command(hide = true)]
    Replay {
        /// The name in the journal
        name: String,
        /// The recorded list
        recording: PathBuf,
        /// The file that every call is appended to
        journal: PathBuf,
    },
}

#[derive(Debug, Args)]
struct Run {
    /// The folder of recorded lists
    #[arg(long, value_name = "DIR")]
    recordings: PathBuf,

    /// Labelled tasks, as JSON lines
    #[arg(long, value_name = "FILE", default_value = "tests/data/tasks.jsonl")]
    tasks: PathBuf,

    /// A shell command that is the model: it reads one JSON line a turn and writes one; '-' is this program's stdin and
    /// stdout
    #[arg(long, value_name = "COMMAND")]
    model: String,

    /// How many tasks the model is given at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: usize,

    /// A new conversation for each batch, so that nothing learned for one task helps another
    #[arg(long)]
    fresh: bool,

    /// Give only the first N tasks
    #[arg(long, value_name = "N")]
    first: Option<usize>,

    /// The file for what was done, one JSON line a task
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,

    /// The gateway [default: mcp-disclosure next to this program]
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,

    /// Arguments for `mcp-disclosure serve`, such as --strategy describe; also the row's label
    #[arg(last = true)]
    serve: Vec<String>,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Record { config, folder } => list(&config, &folder),
        Command::Run(run) => run.go(),
        Command::Replay { name, recording, journal } => {
            replay(&name, &recording, &journal).map(|()| ExitCode::SUCCESS)
        }
    };
    done.unwrap_or_else(|error| {
        log(&format!("error: {error}"));
        ExitCode::from(2)
    })
}

fn list(config: &Path, folder: &Path) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let recorded = runtime.block_on(record(config, folder))?;
    for (name, tools) in &recorded {
        log(&format!("{name}: {tools} tools"));
    }
    log(&format!("{} tools", recorded.iter().map(|(_, tools)| tools).sum::<usize>()));
    Ok(ExitCode::SUCCESS)
}

impl Run {
    fn go(&self) -> Result<ExitCode, Failure> {
        let mut tasks = Task::read(&self.tasks)?;
        tasks.truncate(self.first.unwrap_or(usize::MAX));
        let bin = match &self.bin {
            Some(bin) => bin.clone(),
            None => std::env::current_exe()?.with_file_name("mcp-disclosure"),
        };
        let mut host = Host::start(&bin, &self.serve, &self.recordings, &tasks)?;
        let seen = host.seen();
        let mut judged = Vec::with_capacity(tasks.len());
        let mut conversation = Conversation::new(&mut host, Model::start(&self.model)?);
        for (at, batch) in tasks.chunks(self.batch.max(1)).enumerate() {
            if at > 0 && self.fresh {
                conversation.end()?;
                conversation = Conversation::new(&mut host, Model::start(&self.model)?);
            }
            judged.extend(conversation.give(batch)?);
            for task in &judged[judged.len() - batch.len()..] {
                log(&format!("[{}/{}] {}: {}", judged.len(), tasks.len(), task.task, task.verdict));
            }
        }
        conversation.end()?;
        if let Some(path) = &self.transcript {
            let lines = judged.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
            fs::write(path, lines.join("\n") + "\n")?;
        }
        let score = Score::of(&self.serve.join(" "), &seen, &judged);
        let is_perfect = score.is_perfect();
        log(&table(&[score]));
        Ok(if is_perfect { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn log(text: &str) {
    // The reader may have closed it.
    let _gone = writeln!(std::io::stderr(), "{text}");
}
