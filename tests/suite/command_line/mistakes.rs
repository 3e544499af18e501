//! What the program says to likely mistakes, and the texts that it makes of its command line.

use std::{fs, process::Command};

use super::{configured, refuses, refuses_file, rewrite, run, scratch, shown};

#[test]
fn w5_a_host_s_file_given_as_the_configuration_is_named() {
    for (name, text) in [
        ("mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#),
        ("settings.json", "{ // Zed\n \"context_servers\": {\"a\": {\"command\": \"a\"}},}"),
        ("config.yaml", "mcpServers:\n  - name: a\n    command: a\n"),
        ("config.toml", "[tools]\nweb_search = true\n[mcp_servers.a]\ncommand = \"a\"\n"),
    ] {
        let expected = ["FILE: this is the file of an MCP host, not disclosure.toml", "--mcp-config FILE"];
        refuses_file(name, text, "--config", 64, &expected);
    }
    let expected = ["this is JSON, and --config takes TOML", "export"];
    refuses_file("odd.json", "{\"a\": 1}", "--config", 64, &expected);
}

#[test]
fn w5_a_configuration_given_as_a_host_s_file_is_named() {
    let expected = ["FILE: no MCP servers found", "this is a disclosure.toml: --config FILE"];
    refuses_file("disclosure.toml", "[upstreams.a]\ncommand = \"a\"\n", "--mcp-config", 64, &expected);
    refuses_file("disclosure.toml", "[tools.a]\nhidden = true\n", "--mcp-config", 64, &expected);
    for (name, text, expected) in [
        ("config.toml", "[tools]\nweb_search = true\n", "expected servers under"),
        ("mcp.json", "{}", "no MCP servers found (hint: expected servers under mcpServers, servers,"),
        ("mcp.json", "{", "FILE:1:1: unterminated object"),
        ("mcp.json", "{\"mcpServers\": {}}", "no upstream is left"),
    ] {
        refuses_file(name, text, "--mcp-config", 64, &[expected]);
    }
}

#[test]
fn w5_s12_u14_a_mistake_in_a_file_is_named_at_its_place() {
    let upstream = "[upstreams.a]\nurl = \"http://a/mcp\"\n";
    let info = "(hint: did you mean 'info'?)";
    for (text, expected) in [
        ("[servers.a]\ncommand = \"a\"\n", &["FILE:1:2: unknown key servers", "'upstreams'?)"][..]),
        // A value of a wrong kind may be secret.
        ("[auth]\ntokens = [\"s3cret\"]\n", &["auth.tokens: expected a table, not a text (hint: docs/"]),
        ("serve.set = [\"search.hits=s3cret\"]\n", &["FILE:1:7: strategy.search.hits: ", "not a text (hint"]),
        ("[serve]\nsession_store = [\"s3cret\"]\n", &["serve.session_store: expected a text, not a list ("]),
        // One with a host's key is no host's file all the same.
        ("[upstreams.a]\ncommand = 3\n[mcp_servers.b]\n", &["unknown key mcp_servers"]),
        ("[upstreams.a\n", &["FILE:1:13"]),
        ("[pins]\ntool = [\"a\"]\n", &["FILE:2:1: unknown key pins.tool (hint: did you mean 'tools'?)"]),
        ("[serve]\n  strategy = \"inf\"\n", &["FILE:2:3: unknown strategy 'inf'", info]),
        ("\n[serve]\nfallback = \"concerns+inf\"\n", &["FILE:3:1: unknown strategy 'inf'", info]),
        ("[serve]\nstrategy = \"full+info\"\n", &["FILE:2:1: 'full+info' is not a valid stack"]),
        ("[serve]\nfallback = \"adaptiv\"\n", &["FILE:2:1: unknown strategy 'adaptiv'", "mean 'adaptive'?"]),
        ("serve.offer = [\"full\",\n \"inf\"]\n", &["FILE:1:7: unknown strategy 'inf'", info]),
        ("[strategy.info]\ntools = \"stub\"\n", &["FILE:2:1: strategy.info.tools: ", "mean 'stubs'?"]),
        (
            "demo = true\n\n[strategy.groups]\n\npgae = 3\n",
            &["FILE:5:1: strategy.groups.pgae: unknown field"],
        ),
        (
            "[limits]\naudit_wait = 7\n",
            &[
                "FILE:2:1: limits.audit_wait cannot be set any more: it is 5000 milliseconds, since",
                "leave it out)",
            ],
        ),
        (&format!("{upstream}type = \"htp\"\n"), &["FILE:3:8: upstreams.a.type", "mean 'http'?"]),
        (&format!("{upstream}request_timeout = 0\n"), &["FILE:3:19: upstreams.a.request_timeout: 0 is not"]),
        (&format!("{upstream}scope = \"all\"\n"), &["FILE:3:9: upstreams.a.scope: unknown variant `all`"]),
        (&format!("{upstream}prefix = \"a/\"\n"), &["FILE:3:1: upstream 'a': prefix contains '/', and"]),
        (
            &format!("{upstream}headers = {{ \"no header\" = \"x\" }}\n"),
            &["FILE:3:13: upstream 'a': headers: "],
        ),
        (
            &format!("{upstream}[upstreams.a.headers]\nx = \"${{NOT_SET_ANYWHERE}}\"\n"),
            &["FILE:4:1: upstream 'a': headers.x: "],
        ),
        (
            "demo = true\n[[principals]]\nname = \"p\"\nstrategies = [\"inf\"]\n",
            &["FILE:2:1: principal 'p': strategy 'inf' is not offered"],
        ),
    ] {
        refuses(text, expected);
    }
}

#[test]
fn w5_a_folder_given_for_a_file_and_the_reverse_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = shown(folder.path());
    run(&["serve", "--config", path]).says(64, &["this is a folder: give a file in it"]);
    run(&["serve", "--mcp-config", path]).says(64, &["this is a folder: give a file in it"]);
    let file = folder.path().join("disclosure.toml");
    fs::write(&file, "").unwrap();
    run(&["serve", "--config", path]).says(64, &[&format!("this is a folder: --config {}", shown(&file))]);
    for (path, reason, hint) in [
        (folder.path().join("none"), "No such file or directory", "give a directory that can be read"),
        (file, "Not a directory", "give the directory that it is in"),
    ] {
        let place = format!("{}: {reason}", path.display());
        run(&["serve", "--tool-descriptions", shown(&path)]).says(64, &[&place, hint]);
    }
}

#[test]
fn w5_a_strategy_that_a_flag_replaced_is_not_blamed() {
    let (_directory, file) = configured("demo = true\n[serve]\nstrategy = \"inf\"\n");
    run(&["serve", "--strategy", "resorce", "--config", shown(&file)])
        .says(64, &["unknown strategy 'resorce'", "did you mean 'resource'?"])
        .omits(&["disclosure.toml:"]);
}

#[test]
fn w5_s7_a_weight_that_is_no_number_is_named() {
    for weight in ["nan", "inf", "-inf", "-1.0", "1e39"] {
        let text = format!("[strategy.search]\nweights = {{ title = {weight} }}\n");
        let expected =
            ["FILE:2:1: strategy.search.weights: ", "weights.title must be a number from 0 to 1000"];
        refuses(&text, &expected);
    }
}

#[test]
fn w5_what_is_wrong_with_a_flag_in_a_file_is_said_at_its_key() {
    let reference = "docs/reference.md";
    for (line, expected, hint) in [
        ("  log_formt = \"json\"", "3: unknown key serve.log_formt", "did you mean 'log_format'?)"),
        ("mcp_config = [\"x\"]", "1: unknown key serve.mcp_config", "give it on the command line"),
        ("max_sessions = \"many\"", "16: serve.max_sessions: expected a whole number, not a text", reference),
        ("explain = 1", "11: serve.explain: expected true or false, not 1", "it is one of true, false"),
        ("offer = [\"full\", 7]", "9: serve.offer: expected a text, not 7", reference),
        ("drain = 0", "9: serve.drain: '0': a number of seconds", "it is written SECONDS"),
        ("drain = \"10s\"", "9: serve.drain: expected a number, not a text", reference),
        ("remember = false", "12: serve.remember: expected a text, not false", "it is one of on, off"),
        ("audit = \"\"", "9: serve.audit: it is empty", "it is written "),
        (
            "allow_host = [\"http://x\"]",
            "14: serve.allow_host: 'http://x': it must be a name",
            "it is written HOST",
        ),
        ("log = \"debg\"", "7: serve.log: 'debg' is not a level; did you mean 'debug'?", ""),
    ] {
        let (expected, hint) = (format!("FILE:2:{expected}"), format!("(hint: {hint}"));
        refuses(&format!("[serve]\n{line}\n"), &[&expected, &hint]);
    }
    // Flags that mean nothing together are a mistake of usage, told at the key that is one of them.
    for (text, expected, hint) in [
        (
            "[serve]\naudit_strict = true\n",
            "FILE:2:1: serve.audit_strict needs an audit log",
            "(hint: add --audit ",
        ),
        (
            "[serve]\ntransport = \"http\"\nprofile = \"p\"\n",
            "FILE:3:1: serve.profile is about the client on stdio",
            "(hint: over HTTP",
        ),
    ] {
        refuses_file("disclosure.toml", text, "--config", 2, &[expected, hint]);
    }
}

#[test]
fn w5_check_finds_keys_that_are_not_there_and_resources_that_nobody_lists() {
    let keys = "[auth.jwt]\nissuer = \"i\"\naudience = \"https://a\"\njwks_file = \"none\"\n";
    let (_directory, file) = configured(&format!("demo = true\n{keys}[resources]\nallow = [\"kit://x\"]\n"));
    run(&["check", "--config", shown(&file)]).prints(
        1,
        &[
            "error unreadable-keys (1): ",
            "disclosure.toml:2:2: keys cannot be read: ",
            "disclosure.toml:7:9: resources.allow: 'kit://x' matches none of the resources",
        ],
    );
}

#[test]
fn w5_check_fails_on_errors() {
    let good = "[upstreams.good]\ncommand = \"ODD\"\n";
    let (_directory, file) = configured(good);
    run(&["check", "--config", shown(&file)]).says(0, &[]);
    rewrite(&file, &format!("{good}[upstreams.gone]\ncommand = \"/no/such/program\"\n"));
    let check = run(&["check", "--config", shown(&file)]);
    check.says(1, &["errors: 1"]).prints(1, &["/no/such/program", "2 tools: 1 error, "]);
    assert!(check.stdout.starts_with("error unreachable-upstream (1): "), "{check:?}");
    run(&["check", "--config", shown(&file), "--allow", "unreachable-upstream"]).says(0, &[]);
    // It lists the same problems as `serve`: those of upstreams, and those of strategies.
    rewrite(&file, "[upstreams.a]\n[serve]\nfallback = \"nope\"\n");
    run(&["check", "--config", shown(&file)])
        .prints(64, &["unknown strategy 'nope'", "has neither command nor url"]);
}

#[test]
fn w3_help_is_a_subcommand() {
    let help = run(&["help"]);
    assert_eq!(help.says(0, &[]).stdout, run(&["--help"]).stdout);
    for asked in [&["help", "serve"][..], &["help", "serve", "-h"]] {
        assert_eq!(run(asked).says(0, &[]).stdout, run(&["serve", "--help"]).stdout);
    }
}

#[test]
fn w3_completions_know_commands_flags_and_values() {
    for (shell, expected) in [
        ("bash", "--upstream-scope"),
        ("zsh", "#compdef mcp-disclosure"),
        ("fish", "complete -c mcp-disclosure"),
        ("elvish", "edit:completion"),
    ] {
        run(&["completions", shell]).prints(0, &[expected, "serve", "compare", "strategies"]);
    }
}

#[test]
fn w3_bash_completes_a_value() {
    let (_folder, script) = scratch("completions");
    fs::write(&script, run(&["completions", "bash"]).stdout).unwrap();
    let complete = r#"source "$0"
        function=$(complete -p mcp-disclosure | sed 's/.* -F \([^ ]*\) .*/\1/')
        COMP_WORDS=(mcp-disclosure "$1" "$2" "$3") COMP_CWORD=3
        "$function" mcp-disclosure "$3" "$2"
        echo "${COMPREPLY[@]}""#;
    for (words, expected) in [
        (["serve", "--remember", ""], "on off"),
        (["serve", "--fallback", "a"], "adaptive"),
        (["init", "--strategy", "a"], "auto"),
        (["init", "--host", "c"], "claude-desktop claude-code cursor cline continue codex"),
        (["compare", "--strategies", "a"], "all"),
        (["prompt", "--strategy", "a"], ""),
    ] {
        let output = Command::new("bash").args(["-c", complete]).arg(&script).args(words).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected, "{words:?} {output:?}");
    }
}

#[test]
fn w3_manual_pages_are_printed_and_written() {
    let parts =
        [".TH mcp-disclosure 1", "\\fBmcp\\-disclosure\\fR [", "mcp\\-disclosure\\-serve(1)", "\\-\\-log"];
    run(&["man"]).prints(0, &parts);
    let serve = run(&["man", "serve"]);
    // A flag with and one without a place in `-h`.
    let texts = ["Everything in one file", "How clients connect", "Pass the whole environment to programs"];
    serve.prints(0, &[".TH mcp-disclosure-serve 1", "\\-\\-upstream\\-scope"]).prints(0, &texts);
    let init = run(&["man", "init"]).stdout;
    let version = concat!("\"mcp-disclosure ", env!("CARGO_PKG_VERSION"), "\"");
    assert!(
        init.lines().any(|line| line.starts_with(".TH mcp-disclosure-init 1") && line.contains(version)),
        "{init}"
    );
    let (folder, out) = scratch("man1");
    run(&["man", "--out", shown(&out)]).says(0, &[]);
    let mut written: Vec<String> =
        fs::read_dir(&out).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    written.sort();
    assert!(written.contains(&"mcp-disclosure.1".to_owned()), "{written:?}");
    assert!(written.contains(&"mcp-disclosure-serve.1".to_owned()), "{written:?}");
    assert!(!written.iter().any(|name| name.contains("help")), "{written:?}");
    assert_eq!(fs::read_to_string(out.join("mcp-disclosure-serve.1")).unwrap().trim_end(), serve.stdout);
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    run(&["man", "--out", shown(&blocked)]).says(1, &["cannot write"]);
}
