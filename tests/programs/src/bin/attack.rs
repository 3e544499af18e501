//! Attacks the program, and prints how it went as a table.

use std::{process::ExitCode, time::Duration};

use clap::Parser;
use programs::{
    Programs,
    attack::{Attack, Lab, MEMORY, PING, all, table},
    log, print,
};

/// Attacks mcp-disclosure as clients and upstreams could, beside an honest client.
///
/// Prints a Markdown table; the exit code is 1 if anything did not hold.
#[derive(Debug, Parser)]
struct Arguments {
    /// Rules to attack, such as P7, and parts of attacks' names [default: all]
    only: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_named = |attack: &Attack| {
        let named =
            |text: &String| text.eq_ignore_ascii_case(attack.rule) || attack.name.contains(text.as_str());
        arguments.only.is_empty() || arguments.only.iter().any(named)
    };
    let attacks: Vec<Attack> = all().into_iter().filter(is_named).collect();
    let Some(programs) = Programs::found() else { return ExitCode::from(2) };
    let mut lab = Lab::new(programs);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    // An attack that panics has failed, and its row says so.
    std::panic::set_hook(Box::new(|_| {}));
    let mut rows = Vec::with_capacity(attacks.len());
    for (at, attack) in attacks.iter().enumerate() {
        log(&format!("[{}/{}] {} {}", at + 1, attacks.len(), attack.rule, attack.name));
        let row = runtime.block_on(lab.run(attack));
        log(&format!("        {row}"));
        rows.push(row);
    }
    let failed = rows.iter().filter(|row| !row.held()).count();
    print(&table(&rows));
    print(&format!(
        "{} attacks, {failed} not held. Allowed: {} MB of memory beside what the attack sends; an honest ping within {} ms \
         (judged by 5 times that).",
        rows.len(),
        MEMORY >> 20,
        PING.as_millis(),
    ));
    // Whatever an attack that was given up still waits for is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
