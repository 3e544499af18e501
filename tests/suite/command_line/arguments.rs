//! What the command line accepts, and the errors for everything else.

use std::net::TcpListener;

use super::{ODD, run, scratch, shown};

#[test]
fn help_and_version_end_well_and_speak_on_stdout() {
    run(&["--help"]).prints(0, &["serve", "Strategies: full, resource, describe, info"]);
    let version = run(&["--version"]);
    assert_eq!(version.says(0, &[]).stdout, format!("mcp-disclosure {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn w5_an_invalid_command_line_is_refused_with_2_and_what_was_meant_is_named() {
    let several =
        ["serve", "--upstream-url", "http://a/mcp", "--upstream-url", "http://b/mcp", "--name", "x"];
    for (arguments, expected) in [
        (&[][..], "Usage:"),
        (&["serve", "--stratagy", "full"], "--strategy"),
        (&["serve", "--bridge", "draw"], "possible values: auto, always, never"),
        (&["serve", "--upstream-url", "not a url"], "--upstream-url <URL>"),
        (
            &["serve", "--upstream-url", "ftp://example.org/mcp"],
            "--upstream-url: url: ftp is not spoken (hint: it begins with http",
        ),
        (&["serve", "--name", ""], "--name: the upstream name must not be empty"),
        (&several, "--name names the one upstream, but there are several (hint: leave --name out)"),
        (
            &["serve", "--hide-tool", "x", "--", "y"],
            "--hide-tool needs the upstream's name (hint: add --name NAME)",
        ),
        (&["serve", "--audit-strict"], "--audit-strict needs an audit log (hint: add --audit FILE)"),
        (&["serve", "--set", "info"], "NAME.KEY=VALUE"),
        (&["serve", "--hide-tool", "x", "--name", "y"], "there is no upstream whose tools could be switched"),
        (&["serve", "--upstream-header", "x", "--upstream-url", "http://a/mcp"], "expected NAME=VARIABLE"),
        (&["serve", "--upstream-header", "x=y", "--", "z"], "there is not one --upstream-url"),
        (
            &["serve", "--upstream-header", "x=NOT_SET_ANYWHERE", "--upstream-url", "http://a/mcp"],
            "--upstream-header: the environment variable NOT_SET_ANYWHERE is not set (hint: set it to the header's value)",
        ),
        (
            &["serve", "--upstream-header", "x=Bearer y", "--upstream-url", "http://a/mcp"],
            "expected NAME=VARIABLE",
        ),
        (
            &["login", "ftp://me:pw@example.org/?key=k"],
            "'example.org/' cannot be connected to: ftp is not spoken",
        ),
        (&["init", "--dry-run", "--yes"], "cannot be used with"),
        (&["compare", "--transcript", "--queries", "q.jsonl"], "cannot be used with"),
        (&["serve", "--log", "a=b=c"], "--log"),
        (&["prompt"], "--strategy <NAME>"),
        (&["serve", "--concern", "cost", "--", ODD], "it must be NAME=VALUE, such as cost=low"),
        (&["export"], "--out <DIR>"),
        (&["serve", "--transport", "htp"], "possible values: stdio, http"),
        (&["serve", "--limit", "massage_depth=3"], "'message_depth'"),
        (&["check", "--allow", "no-exampel"], "'no-example'"),
        (&["compare", "--tokenizer", "o200k"], "'o200k_base'"),
        (&["man", "serv"], "'serve'"),
        // Settings of strategies that are given as flags.
        (&["serve", "--receipts", "x"], "a setting of a strategy is given by: --set resource.receipts=VALUE"),
        (&["serve", "--info-tools", "x"], "--set info.tools=VALUE"),
    ] {
        assert_eq!(run(arguments).says(2, &[expected]).stdout, "", "{arguments:?}");
    }
}

#[test]
fn s11_w5_unknown_strategies_are_refused_with_64_and_all_named_with_what_was_meant() {
    run(&["serve", "--strategy", "nope", "--offer", "full,other", "--fallback", "third"]).says(
        64,
        &[
            "unknown strategy 'nope', expected one of: full, resource, describe, info",
            "unknown strategy 'other'",
            "unknown strategy 'third'",
            "mcp-disclosure strategies lists them",
        ],
    );
    run(&["serve", "--strategy", "resource+full"])
        .says(64, &["'resource+full' is not a valid stack", "concerns+describe"]);
    run(&["prompt", "--strategy", "nope"]).says(64, &["unknown strategy 'nope'"]);
    let serve = "(hint: it is for clients that request no strategy: --fallback adaptive)";
    let compare = "(hint: name what it selects: full, or what [serve] over_budget says (search by default))";
    for (given, meant) in [(["serve", "--strategy"], serve), (["compare", "--strategies"], compare)] {
        run(&[&given[..], &["adaptive"]].concat()).says(64, &["unknown strategy 'adaptive'", meant]);
    }
    // One that is part of several stacks is told once.
    let ended = run(&["serve", "--set", "search.hits=0"]);
    assert_eq!(
        ended.says(64, &["strategy.search.hits: "]).stderr.matches("search.hits").count(),
        1,
        "{ended:?}"
    );
    for (fallback, over) in [("adaptive", "nope"), ("full", "nope"), ("adaptive", "adaptive")] {
        run(&["serve", "--fallback", fallback, "--over-budget", over])
            .says(64, &[&format!("unknown strategy '{over}'")]);
    }
    for (line, near) in [
        (["serve", "--strategy", "inf"], "info"),
        (["serve", "--fallback", "adaptve"], "adaptive"),
        (["compare", "--strategies", "inf"], "info"),
    ] {
        let expected = [format!("unknown strategy '{}'", line[2]), format!("(hint: did you mean '{near}'?)")];
        run(&line).says(64, &expected.each_ref().map(String::as_str));
    }
}

#[test]
fn a_receipt_key_that_is_short_or_missing_is_refused_with_64_and_one_that_others_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, key) = scratch("key");
    let serve = ["serve", "--receipt-key-file", shown(&key)];
    let place = format!("--receipt-key-file {}: ", key.display());
    let hint = "head -c 32 /dev/urandom > FILE makes one";
    run(&serve).says(64, &[&place, "No such file", hint]);
    std::fs::write(&key, [7; 31]).unwrap();
    run(&serve).says(64, &[&place, "31 bytes are no key; it needs 32", hint]);
    std::fs::write(&key, [7; 32]).unwrap();
    let is_warned = |mode, warned| {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let ended = run(&serve);
        let hint = format!("chmod 600 {}", key.display());
        assert_eq!(ended.says(0, &["ready"]).stderr.contains(&hint), warned, "{mode:o}: {}", ended.stderr);
    };
    for (mode, warned) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
        is_warned(mode, warned);
    }
    // Of another user, as secrets of Kubernetes are: the group is this process's way to it. Only root can give files away.
    if std::os::unix::fs::chown(&key, Some(65534), None).is_ok() {
        is_warned(0o440, false);
        is_warned(0o444, true);
    }
}

#[test]
fn a_port_in_use_is_refused_with_1_and_a_hint() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (_directory, started) = scratch("pid");
    let serve =
        ["serve", "--transport", "http", "--listen", &address, "--", ODD, "ordinary", shown(&started)];
    run(&serve).says(1, &[&format!("cannot listen on {address}: "), "hint: choose another with --listen"]);
    assert!(!started.exists(), "nothing is started for an address that cannot be had");
}

#[test]
fn prompt_prints_the_guidance_for_hosts() {
    // R13.
    run(&["prompt", "--strategy", "resource"]).prints(0, &["resource:///tool_descriptions?tools="]);
    for (tools, expected) in
        [("stubs", "are listed with WHAT each does"), ("entry-only", "CALL it: invoke with")]
    {
        run(&["prompt", "--strategy", "info", "--set", &format!("info.tools={tools}")])
            .prints(0, &[expected]);
    }
    let full = run(&["prompt", "--strategy", "full", "--", ODD, "ordinary"]);
    assert_eq!(full.says(0, &["has no guidance"]).stdout, "");
    run(&["prompt", "--strategy", "resource", "--", "/no/such/program"]).says(1, &["/no/such/program"]);
}

#[test]
fn strategies_are_listed_with_summary_and_needs() {
    insta::assert_snapshot!(run(&["strategies"]).says(0, &[]).stdout, @r"
    adaptive   Complete definitions up to 4,000 tokens; above that, as search
               needs: nothing; it is the default
    full       Complete tool definitions, as any MCP server sends them
               needs: nothing
    resource   Minimal list; full descriptions from a resource, required before a call
               needs: reading resources, or the bridge tool describe_tools
    describe   Names and at most 60 characters; complete definitions by tools/describe
               needs: tools/describe, or the bridge tool describe_tools
    info       Three levels through one info tool: overview, category, tool
               needs: nothing: info is an ordinary tool
    search     Tools found by words: one tool that searches, one that calls
               needs: nothing: both are ordinary tools
    groups     Tools in groups: groups/list and groups/get, or one tool that shows a group and one that calls
               needs: the draft extension io.modelcontextprotocol/groups, or the bridge tool get_group
    concerns   Lists what fits the concerns that the host chose
               needs: nothing; a host that knows the declared concerns may choose
    ");
}
