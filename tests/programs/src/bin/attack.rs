//! Attacks the program, and prints how it went as a table.

use std::{env, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use programs::{
    attack::{Attack, Lab, MEMORY, PING, all, table, upstream},
    beside, log, print,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Attacks mcp-disclosure as clients and upstreams could, beside an honest client.
///
/// Prints a Markdown table; the exit code is 1 if anything did not hold.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program [default: mcp-disclosure next to this one]
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,

    /// Rules to attack, such as P1,P7 [default: all]
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    only: Vec<String>,

    /// Attacks whose name holds this text
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,

    /// List the attacks, and make none
    #[arg(long)]
    list: bool,

    /// Judge pings by their bound, not by a multiple of it; for a machine that does nothing else
    #[arg(long)]
    strict: bool,
}

fn main() -> ExitCode {
    // The program under attack starts this one again, for an upstream.
    let mut arguments = env::args().skip(1);
    if arguments.next().is_some_and(|role| role == upstream::ROLE) {
        upstream::serve(arguments);
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::parse();
    let wanted = |attack: &Attack| {
        let rules = arguments.only.is_empty()
            || arguments.only.iter().any(|rule| rule.eq_ignore_ascii_case(attack.rule));
        rules && arguments.name.as_ref().is_none_or(|text| attack.name.contains(text.as_str()))
    };
    let attacks: Vec<Attack> = all().into_iter().filter(wanted).collect();
    if arguments.list {
        attacks.iter().for_each(|attack| print(&format!("{}  {}", attack.rule, attack.name)));
        return ExitCode::SUCCESS;
    }
    let gateway = arguments.bin.unwrap_or_else(|| beside("mcp-disclosure"));
    let Ok(upstream) = env::current_exe() else {
        log("this program cannot find itself");
        return ExitCode::from(2);
    };
    if !gateway.is_file() {
        let build = "cargo build --release -p mcp-disclosure-server";
        log(&format!("no {}: build it with {build}, or name it with --bin", gateway.display()));
        return ExitCode::from(2);
    }
    allow_many_files();
    let lab = Lab::new(gateway, upstream, arguments.strict);
    attack_with(lab, &attacks)
}

fn attack_with(mut lab: Lab, attacks: &[Attack]) -> ExitCode {
    // An attack that panics has failed, and its row says so.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            log(&format!("no runtime: {error}"));
            return ExitCode::from(2);
        }
    };
    let mut rows = Vec::with_capacity(attacks.len());
    for (at, attack) in attacks.iter().enumerate() {
        log(&format!("[{}/{}] {attack:?}", at + 1, attacks.len()));
        let row = runtime.block_on(lab.run(attack));
        log(&format!("        {row}"));
        rows.push(row);
    }
    let failed = rows.iter().filter(|row| !row.held()).count();
    let pings = if lab.strict { "judged by that" } else { "judged by 5 times that" };
    print(&table(&rows));
    print(&format!(
        "{} attacks, {failed} not held. Allowed: {} MB of memory beside what the attack sends; an honest ping within {} ms \
         ({pings}).",
        rows.len(),
        MEMORY >> 20,
        PING.as_millis(),
    ));
    // Whatever an attack that was given up still waits for is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Attacks open more connections than a process may have by default.
fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it cannot be raised, attacks are made with as many as there may be.
    let _refused = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}
