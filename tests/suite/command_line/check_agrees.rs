//! `check` says that `serve` would not start where it does not start, and nowhere else.

use std::process::Command;

use kit::{messages::tool, process::Process, scenario::Scenario};
use tempfile::TempDir;

use super::{ODD, played, playing, program, shown};
use crate::UPSTREAM;

const TOKEN: &str = "a-token-of-more-than-32-characters-0123";

/// The program with what the files of these tests name.
fn with_environment(arguments: &[&str]) -> Command {
    let mut command = program(arguments);
    command.env("OPERATOR_TOKEN", TOKEN);
    command
}

/// Whether `serve` starts with these arguments, whose clients come by HTTP or not at all.
fn starts(arguments: &[&str], is_http: bool) -> bool {
    let mut gateway = Process::start(&mut with_environment(&[&["serve"], arguments].concat()));
    if is_http {
        gateway.close_stdin();
        let listens = kit::process::until(|| {
            !gateway.is_running() || gateway.log().iter().any(|line| line.contains("listening on"))
        });
        assert!(listens, "{arguments:?}: {:?}", gateway.log());
        if gateway.is_running() {
            gateway.terminate();
        }
    }
    match gateway.finish().code {
        Some(0) => true,
        Some(1 | 64) => false,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

/// Asserts that both say the same of these arguments, and what they say.
#[track_caller]
fn agree(what: &str, arguments: &[&str], is_http: bool, expected: bool) {
    assert_eq!(starts(arguments, is_http), expected, "serve: {what}");
    let ended = Process::start(&mut with_environment(&[&["check"], arguments].concat())).finish();
    assert_eq!(ended.code != Some(64), expected, "check: {what}: {ended:?}");
    assert_eq!(ended.stderr.contains("serve would not start"), !expected, "{what}: {ended:?}");
}

/// Tools of which one has a name that `search` needs, and another the only name that is left to it.
fn clashing() -> (TempDir, String) {
    let named = |name: &str| {
        let description = format!("Does {name} with a first sentence that is longer than any brief may be.");
        tool(name, &description).to_string()
    };
    played(&Scenario::with_tools(["search_tools", "up__search_tools", "fine"].map(named)))
}

#[test]
fn w5_check_and_serve_agree_on_files() {
    let (directory, scenario) = clashing();
    let odd = format!("[upstreams.odd]\ncommand = {ODD:?}\n");
    let gone = "[upstreams.gone]\ncommand = \"/no/such/program\"\n";
    let up = playing("up", &scenario);
    let token = |variable: &str| format!("[auth]\ntokens = [{{ name = \"t\", env = {variable:?} }}]\n");
    let http = |listen: &str| format!("[serve]\ntransport = \"http\"\nlisten = \"{listen}:0\"\n");
    let principal = |strategy: &str| {
        format!("[[principals]]\nname = \"p\"\ntoken = \"t\"\nstrategies = [\"{strategy}\"]\n")
    };
    let auth = token("OPERATOR_TOKEN");
    let (rejecting, admin) =
        ("[strategy.describe]\nlong_briefs = \"reject\"\n", "[serve]\nadmin = \"0.0.0.0:0\"\n");
    let shared = "[serve]\ntransport = \"http\"\nlisten = \"127.0.0.1:9\"\nadmin = 9\n";
    let cases: &[(&str, &[&str], bool)] = &[
        ("an upstream", &[&odd], true),
        ("only an upstream that is not there", &[gone], true),
        ("no upstream", &[""], false),
        ("an unknown key", &["[server]\nnmae = \"x\"\n", &odd], false),
        ("an unknown strategy", &["[serve]\nstrategy = \"nope\"\n", &odd], false),
        ("a setting that is wrong", &["[strategy.describe]\nlong_briefs = \"x\"\n", &odd], false),
        ("names that are taken", &["[serve]\nstrategy = \"search\"\n", &up], true),
        ("briefs that the strategy refuses", &["[serve]\nstrategy = \"describe\"\n", rejecting, &up], true),
        ("operators from elsewhere", &[admin, &odd], false),
        ("operators with credentials", &[admin, &auth, &odd], true),
        ("clients from elsewhere", &[&http("0.0.0.0"), &odd], false),
        ("clients with credentials", &[&http("0.0.0.0"), &auth, &odd], true),
        ("clients of this machine", &[&http("127.0.0.1"), &odd], true),
        ("clients and operators at one address", &[shared, &odd], false),
        (
            "a store that cannot be meant",
            &["[serve]\ntransport = \"http\"\nsession_store = \"ftp://x\"\n", &odd],
            false,
        ),
        ("a key of receipts that is not there", &["[serve]\nreceipt_key_file = \"none\"\n", &odd], false),
        ("a token that is not set", &[&token("NO_SUCH_VARIABLE"), &odd], false),
        (
            "a principal's strategy that is not offered",
            &["[serve]\noffer = [\"info\"]\n", &auth, &principal("search"), &odd],
            false,
        ),
    ];
    for (number, (what, parts, expected)) in cases.iter().enumerate() {
        let text = parts.concat();
        let file = directory.path().join(format!("{number}.toml"));
        std::fs::write(&file, &text).unwrap();
        agree(what, &["--config", shown(&file)], text.contains("transport"), *expected);
    }
}

#[test]
fn w5_check_and_serve_agree_on_command_lines() {
    let (_directory, scenario) = clashing();
    let cases: &[(&str, &[&str], bool)] = &[
        ("one that is not there", &["--", "/no/such/program"], false),
        ("one that ends", &["--", ODD, "exits"], false),
        ("two, of which one is not there", &["--upstream-url", "http://127.0.0.1:9/mcp", "--", ODD], true),
        ("an unknown strategy", &["--strategy", "nope", "--", ODD], false),
        ("names that are taken", &["--strategy", "search", "--name", "up", "--", UPSTREAM, &scenario], false),
        (
            "briefs that the strategy refuses",
            &["--strategy", "describe", "--set", "describe.long_briefs=reject", "--", UPSTREAM, &scenario],
            false,
        ),
    ];
    for (what, arguments, expected) in cases {
        agree(what, arguments, false, *expected);
    }
}
