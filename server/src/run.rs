//! The whole program: parse the arguments, then run the command.

use std::process::ExitCode;

use clap::CommandFactory;
use mcp_disclosure_core::Registry;
use mcp_disclosure_gateway::{EXPLANATIONS, catalogue::Declared, upstream::Target};
use mcp_disclosure_transport::child::guard;

use crate::{
    cli::{self, Arguments, Command, Program},
    demonstration,
    flags::{LOG, LogArguments},
    log,
};

/// Runs the program with these strategies, on the process's arguments and streams. If no upstream is named it serves the
/// demonstration, if that was built in.
pub fn run(registry: Registry) -> ExitCode {
    let command = || {
        if cfg!(feature = "demo") { Arguments::command() } else { Arguments::without_demonstration("Source") }
    };
    start(registry, demonstration, command)
}

/// Runs the program around your own server, which is served if the arguments name no upstream.
///
/// ```no_run
/// # use mcp_disclosure_gateway::rmcp::ServerHandler;
/// # #[derive(Clone, Default)]
/// # struct Notes;
/// # impl ServerHandler for Notes {}
/// use mcp_disclosure_gateway::{builtin, upstream::Target};
///
/// fn main() -> std::process::ExitCode {
///     mcp_disclosure_server::run_with(builtin(), Target::handler(Notes::default()))
/// }
/// ```
///
/// The program also starts itself as a guard of its child processes, so call this before anything with side effects.
pub fn run_with(registry: Registry, target: Target) -> ExitCode {
    start(
        registry,
        || Some((target, Declared::default())),
        || Arguments::without_demonstration("Source (none: this program's own server)"),
    )
}

/// Blocks from this size on go back to the system as soon as they are freed, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 1024 * 1024;

/// Keeps glibc from raising the size from which it does so to that of the largest block that was freed, up to 32 MB: a few
/// large messages would then leave a heap with holes, of three times what is in use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "there is no safe interface to the system's allocator")]
fn return_large_blocks() {
    // SAFETY: it sets a number, for which glibc takes the lock of the heap.
    let _is_set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

fn start(
    registry: Registry,
    own: impl FnOnce() -> Option<(Target, Declared)>,
    command: impl Fn() -> clap::Command,
) -> ExitCode {
    if guard::is_asked_for() {
        guard::stand();
        return ExitCode::SUCCESS;
    }
    guard::enable();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    return_large_blocks();
    let program = Program { registry, own: own() };
    let names: Vec<String> = program.registry.profiles().map(|profile| profile.name.to_string()).collect();
    let command = || cli::of_two_lengths(command()).after_help(format!("Strategies: {}", names.join(", ")));
    let arguments = match cli::parse(&mut command(), std::env::args_os(), &program.registry) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    // The file may say how the log is written.
    let told = match &arguments.command {
        Command::Serve(given) => Some(given.told()),
        _ => None,
    };
    let serve = told.as_ref().and_then(|told| Some(&told.as_ref().ok()?.serve));
    let LogArguments { log: filter, log_format } = serve.map_or(&arguments.log, |serve| &serve.log);
    let filter = match serve.is_some_and(|serve| serve.explain) {
        true => format!("{filter},{EXPLANATIONS}=debug"),
        false => quiet(&arguments.command, filter),
    };
    log::to_stderr(&filter, *log_format);
    let done = match arguments.command {
        Command::Serve(given) => cli::serve(&program, told.unwrap_or_else(|| given.told())),
        Command::Check(check) => cli::check(&program, check),
        Command::Export(export) => cli::export(&program, export),
        Command::Accept(accept) => cli::accept(&program, accept),
        Command::Compare(compare) => cli::compare(&program, *compare),
        Command::Demo(demo) => cli::demo(&Program { own: demonstration(), ..program }, demo),
        Command::Init(init) => cli::init(&program, init),
        Command::Undo(undo) => cli::undo(undo),
        Command::ClientConfig(config) => cli::client_config(&program, config),
        Command::Login(login) => cli::login(&program, login),
        Command::Logout(logout) => cli::logout(&program, logout),
        Command::Prompt(prompt) => cli::prompt(&program, prompt),
        Command::Strategies => cli::strategies(&program),
        Command::Completions { shell } => cli::completions(command(), shell, &names),
        Command::Man(man) => cli::man(command(), &man),
    };
    log::finish();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            log::report(&failure.to_string(), failure.hint().as_deref());
            ExitCode::from(failure.exit_code())
        }
    }
}

/// The filter of the log for a command: those that print reports of their own log less.
fn quiet(command: &Command, filter: &str) -> String {
    let filter = match command {
        Command::Serve(_) | Command::Prompt(_) => filter,
        _ if filter != LOG => filter,
        Command::Check(_) | Command::Accept(_) => "error",
        _ => "warn",
    };
    filter.to_owned()
}
