//! Lets a model work behind a strategy or another front, and scores it by what reached the upstreams (docs/accuracy.md).

use std::{
    fs,
    io::BufRead,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};
use mcp_disclosure_compare::Tokenizer;
use programs::{
    accuracy::{Conversation, Failure, Front, Host, Model, Score, Task, record, replay, table},
    log, print,
};

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
    /// Serve a recorded list (`run` and tests/rivals start upstreams with this)
    #[command(hide = true)]
    Replay {
        /// The name in the journal
        name: String,
        /// The recorded list
        recording: PathBuf,
        /// The file that every call is appended to
        journal: PathBuf,
    },
    /// Count the o200k_base tokens of JSON strings on stdin, one a line (tests/rivals counts with this)
    #[command(hide = true)]
    Count,
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

    /// The folder for what was done: a file of JSON lines, one a task, for each row
    #[arg(long, value_name = "DIR")]
    transcripts: Option<PathBuf>,

    /// The gateway [default: mcp-disclosure next to this program]
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,

    /// Arguments for `mcp-disclosure serve`, one row each [default without --server: every built-in way of disclosing]
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    behind: Vec<String>,

    /// Another program that serves MCP over stdio, one row each: a shell command, which gets a file with "mcpServers", the
    /// recorded servers, as its last argument
    #[arg(long, value_name = "LABEL=COMMAND", value_parser = Front::parse)]
    server: Vec<Front>,
}

/// The rows of docs/accuracy.md.
const ROWS: [&str; 5] = [
    "--strategy full",
    "--strategy resource",
    "--strategy describe",
    "--strategy info",
    "--strategy info --set info.tools=entry-only",
];

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Record { config, folder } => list(&config, &folder),
        Command::Run(run) => run.go(),
        Command::Replay { name, recording, journal } => {
            replay(&name, &recording, &journal).map(|()| ExitCode::SUCCESS)
        }
        Command::Count => count(),
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

fn count() -> Result<ExitCode, Failure> {
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        print(&Tokenizer::O200kBase.count(&text).to_string());
    }
    Ok(ExitCode::SUCCESS)
}

impl Run {
    fn go(&self) -> Result<ExitCode, Failure> {
        let mut tasks = Task::read(&self.tasks)?;
        tasks.truncate(self.first.unwrap_or(usize::MAX));
        let mut scores = Vec::new();
        for front in self.fronts()? {
            scores.push(self.row(&front, &tasks)?);
        }
        let rows = table(&scores);
        // A model on stdout would read it.
        if self.model == Model::HERE {
            log(&rows)
        } else {
            print(&rows)
        }
        Ok(if scores.iter().all(Score::is_perfect) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// What makes a row: gateways first.
    fn fronts(&self) -> Result<Vec<Front>, Failure> {
        let bin = match &self.bin {
            Some(bin) => bin.clone(),
            None => std::env::current_exe()?.with_file_name("mcp-disclosure"),
        };
        let gateways: Vec<&str> = match &*self.behind {
            [] if self.server.is_empty() => ROWS.into(),
            behind => behind.iter().map(|arguments| &**arguments).collect(),
        };
        let gateways = gateways.into_iter().map(|arguments| Front::gateway(&bin, arguments));
        Ok(gateways.chain(self.server.iter().cloned()).collect())
    }

    /// Gives all tasks to the model behind this front.
    fn row(&self, front: &Front, tasks: &[Task]) -> Result<Score, Failure> {
        let label = front.label();
        let mut host = Host::start(front, &self.recordings, tasks)?;
        let seen = host.seen();
        let mut judged = Vec::with_capacity(tasks.len());
        let mut conversation = Conversation::new(&mut host, Model::start(&self.model));
        for (at, batch) in tasks.chunks(self.batch.max(1)).enumerate() {
            if at > 0 && self.fresh {
                conversation.end()?;
                conversation = Conversation::new(&mut host, Model::start(&self.model));
            }
            judged.extend(conversation.give(batch)?);
            for task in &judged[judged.len() - batch.len()..] {
                log(&format!("{label} [{}/{}] {}: {}", judged.len(), tasks.len(), task.task, task.verdict));
            }
        }
        conversation.end()?;
        if let Some(folder) = &self.transcripts {
            let lines = judged.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
            fs::create_dir_all(folder)?;
            let name = label.replace("--", "").replace([' ', '/'], "-");
            fs::write(folder.join(format!("{name}.jsonl")), lines.join("\n") + "\n")?;
        }
        Ok(Score::of(label, &seen, &judged))
    }
}
