//! `compare`: its JSON is that of docs/CONTRACT.md, its figures are consistent, and no tool of a user's is run unasked.

mod figures;
mod queries;

use std::{fs, path::Path};

use kit::process::Ended;
use mcp_disclosure_compare::Tokenizer;
use serde_json::{Value, json};

use crate::{
    Described, UPSTREAM,
    command_line::{ODD, configured, program, shown, start},
};

/// Runs `compare` to its end.
#[track_caller]
fn compare(arguments: &[&str]) -> Ended {
    start(&[&["compare"], arguments].concat()).finish()
}

/// Its report as JSON.
#[track_caller]
fn report(arguments: &[&str]) -> Value {
    compare(&[&["--format", "json"], arguments].concat()).json()
}

/// The name by which the program was started.
fn started() -> String {
    let program = program(&[]);
    Path::new(program.get_program()).file_stem().unwrap().to_str().unwrap().to_owned()
}

/// What ordinary hosts give of tools to their models.
fn given(mut tools: Vec<Value>) -> String {
    for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
        tool.retain(|member, _| ["name", "description", "inputSchema"].contains(&&**member));
    }
    json!(tools).to_string()
}

/// What an ordinary host gives to its model of a gateway that serves by `describe`: its tools, and all in tokens.
fn described(flags: &[&str]) -> (String, u64) {
    let mut gateway = start(&[&["serve", "--strategy", "describe"], flags].concat());
    let instructions = gateway.initialize()["instructions"].as_str().unwrap_or_default().to_owned();
    let tools = given(gateway.tools());
    let tokens = [&tools, &instructions].map(|text| Tokenizer::O200kBase.count(text)).iter().sum();
    (tools, tokens)
}

fn strategies(report: &Value) -> impl Iterator<Item = &Value> {
    report["strategies"].as_array().unwrap().iter()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no whole number"))
}

/// `4483` as `4,483`, as figures below a million are shown.
pub(crate) fn grouped(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

/// The keys of an object, in order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_json_is_the_contracts() {
    let report = report(&["--use", "symbolic_solve,fft"]);
    for key in ["source", "tools", "tokenizer", "used", "strategies"] {
        assert!(!report[key].is_null(), "{key}");
    }
    assert_eq!((&report["tools"], &report["tokenizer"]), (&json!(11), &json!("o200k_base")));
    assert_eq!(report["used"], json!(["symbolic_solve", "fft"]));
    let names: Vec<_> = strategies(&report).map(|strategy| strategy["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["full", "resource", "describe", "info", "info(entry-only)", "search", "groups"]);
    let contract = [
        "name",
        "initial_tokens",
        "discovery_tokens",
        "total_tokens",
        "initial_saving",
        "total_saving",
        "round_trips",
        "wire_bytes",
        "break_even_tools",
    ];
    for strategy in strategies(&report) {
        assert!(contract.iter().all(|key| strategy.get(key).is_some()), "{strategy}");
    }
}

/// What is the same in every run.
#[test]
fn the_demonstrations_table_and_markdown() {
    let table = compare(&[]).says(0, &[]).stdout.clone();
    insta::assert_snapshot!("compare_table", table);
    insta::assert_snapshot!("compare_table_40", compare(&["--width", "40"]).says(0, &[]).stdout);
    insta::assert_snapshot!("compare_markdown", compare(&["--format", "markdown"]).says(0, &[]).stdout);
}

#[test]
fn q7_tables_fit_the_width_and_mark_one_row() {
    let rows = "resource,info(entry-only),search,groups,concerns(precision=exact)+info";
    for (width, detail) in [("40", &[][..]), ("60", &["--detail"]), ("100", &[]), ("200", &["--detail"])] {
        let flags = [&["--strategies", rows, "--width", width], detail].concat();
        let text = compare(&flags).says(0, &[]).stdout.clone();
        // The command is there to be copied.
        let lines = text.lines().filter(|line| !line.contains(" serve "));
        let longest = lines.map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width.parse().unwrap(), "{width}:\n{text}");
        let has = |name: &str| text.split_whitespace().any(|word| word == name);
        for name in ["info(entry-only)", "concerns(precision=exact)+info", "resource"] {
            assert!(has(name), "{width}:\n{text}");
        }
        assert_eq!(has("native"), has("native:"), "what is shown is explained: {width}:\n{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("▸ ")).count(), 1, "{text}");
    }
}

#[test]
fn nothing_of_the_users_is_run() {
    let directory = tempfile::tempdir().unwrap();
    let calls = directory.path().join("calls");
    let ended = compare(&["--use", "echo,wait", "--", ODD, "records", calls.to_str().unwrap()]);
    let report = &ended.says(0, &[]).stdout;
    assert!(report.contains("2 tools of odd, used echo, wait; o200k_base tokens"), "{report}");
    assert_eq!(fs::read_to_string(&calls).unwrap(), "", "{}", ended.stderr);
}

/// Gateways before stand-ins find the same once more for each row.
#[test]
fn a_source_is_listed_once_and_what_is_odd_about_it_said_once() {
    compare(&["--", ODD, "lists-once"]).says(0, &[]);
    let ended = compare(&["--", ODD, "twice"]);
    assert_eq!(ended.says(0, &[]).stderr.matches("lists 'echo' twice").count(), 1, "{}", ended.stderr);
}

#[test]
fn a_budget_is_guarded_by_the_exit_code() {
    let written = |flags: &[&str], code| {
        let ended = compare(&[&["--format", "json", "--fail-over"], flags].concat());
        ended.says(code, &[]);
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        (report, ended.stderr)
    };
    let (report, stderr) = written(&["1"], 1);
    for strategy in strategies(&report) {
        let [name, tokens] = ["name", "total_tokens"].map(|key| strategy[key].to_string());
        let expected =
            format!("strategy '{}' costs {tokens} tokens; --fail-over allows 1", name.trim_matches('"'));
        assert!(stderr.contains(&expected), "{stderr}");
    }
    let describe = report["strategies"][2]["total_tokens"].to_string();
    // The baseline is measured, but was not asked for.
    let (_, stderr) = written(&[&describe, "--strategies", "describe"], 0);
    assert!(!stderr.contains("costs"), "{stderr}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_remedy() {
    compare(&["--use", "symbolic_solv,fft,nothing"]).says(
        2,
        &["--use: unknown tool 'symbolic_solv'; did you mean 'symbolic_solve'?", "unknown tool 'nothing'"],
    );
    compare(&["--use", "0"]).says(2, &["at least one tool"]);
    compare(&["--tokenizer", "words"]).says(2, &["o200k_base, chars/4"]);
    compare(&["--format", "pdf"]).says(2, &["table, json, markdown, html"]);
    compare(&["--strategies", "nope,full+full"])
        .says(64, &["unknown strategy 'nope'", "'full+full' is not a valid stack"]);
    let (_folder, config) = configured("demo = true\n[[principals]]\nname = \"ann\"\ntools = 5\n");
    compare(&["--principal", "ann", "--config", shown(&config)]).says(64, &["tools"]);
    compare(&["--strategies", "concerns+adaptive"]).says(64, &["hint: name what it selects: full, or"]);
    compare(&["--host", "some"]).says(2, &["possible values: ordinary, verbatim"]);
    // It is said before anything is started.
    for place in ["/no/such/place", "/dev"] {
        let line = ["--out", place, "--", "/no/such/program"];
        compare(&line).says(1, &[&format!("cannot write {place}: ")]);
    }
    compare(&["--", "/no/such/program"]).says(1, &["/no/such/program"]);
}

#[test]
fn q2_a_strategy_that_serve_would_not_offer_is_marked_in_its_row() {
    let long =
        "Echoes a text back to whoever sent it, which is good for seeing whether anything works at all.";
    let files = Described::by([&json!({"name": "echo", "description": "Echoes.", "brief": long})]);
    let ended = compare(&["--tool-descriptions", files.path(), "--", ODD, "ordinary"]);
    let stdout = &ended.says(0, &[]).stdout;
    assert!(
        stdout.contains("† describe is compared, but serve would not offer it here")
            && stdout.contains("'echo'"),
        "{stdout}"
    );
    assert!(stdout.lines().any(|line| line.starts_with("  describe †")), "{stdout}");
}

#[test]
fn a_sample_larger_than_the_source_is_all_of_it_and_that_is_said() {
    let report = report(&["--use", "5", "--detail", "--", ODD, "ordinary"]);
    assert_eq!((&report["used"], &report["tools"]), (&json!(["wait", "echo"]), &json!(2)));
    assert_eq!(report["notes"], json!(["The source has 2 tools; all of them are used."]));
    compare(&["--format", "html", "--", ODD, "no-tools"]).prints(0, &["The source has no tools."]);
}

#[test]
fn q4_a_source_that_discloses_already_is_recognized() {
    let direct = report(&["--use", "echo", "--name", "odd", "--", ODD, "ordinary"]);
    let gateway = program(&[]).get_program().to_str().unwrap().to_owned();
    for strategy in ["resource", "info"] {
        let inner = [&*gateway, "serve", "--strategy", strategy, "--", ODD, "ordinary"];
        let behind = report(&[&["--use", "echo", "--detail", "--name", "odd", "--"], &inner[..]].concat());
        let note = behind["notes"][0].as_str().unwrap_or_else(|| panic!("{behind}"));
        assert!(
            note.starts_with("upstream 'odd' discloses progressively already (it is mcp-disclosure)"),
            "{note}"
        );
        for (expected, seen) in strategies(&direct).zip(strategies(&behind)) {
            assert_eq!(expected["initial_tokens"], seen["initial_tokens"], "{}", expected["name"]);
        }
    }
}

#[test]
fn q2_variants_and_choices_are_rows_and_what_changes_nothing_is_said() {
    let rows =
        "describe,concerns+describe,concerns(precision=exact)+describe,info(entry-only),info(tools=stubs)";
    let report = report(&["--strategies", rows]);
    let [full, describe, chosen, exact, entry, stubs] =
        [0, 1, 2, 3, 4, 5].map(|at| number(&report["strategies"][at]["initial_tokens"]));
    // Where concerns is named, models have a tool to choose by.
    assert!(exact < chosen && describe < chosen && describe < full && entry < stubs, "{report}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("concerns(precision=exact)+describe: it does not list linear_solve"), "{notes}");
}

#[test]
fn q2_an_ordinary_host_is_in_front_and_a_negotiating_client_beside_it() {
    let report = report(&["--strategies", "describe"]);
    let describe = &report["strategies"][1];
    let [plain, native] = ["/initial_tokens", "/negotiating/initial_tokens"]
        .map(|path| number(describe.pointer(path).unwrap()));
    // The bridge is listed, and permissive schemas.
    assert!(native < plain, "{describe}");
    assert_eq!(describe["initial_tokens"], json!(described(&[]).1));
}

#[test]
fn q3_one_strategy_is_recommended_with_its_reason_and_its_command() {
    let (_folder, config) = configured("demo = true\n[serve]\nbudget = 1000\n");
    let small = ["--config", shown(&config)];
    let command = |words: &str| format!("{} {words} {}", started(), small.join(" "));
    // What clients get who request nothing.
    let over = report(&[&["--strategies", "info,search"], &small[..]].concat());
    let recommended = &over["recommendation"];
    assert_eq!(recommended["strategy"], "search");
    let best = strategies(&over).find(|strategy| strategy["name"] == "search").unwrap();
    let reason = recommended["reason"].as_str().unwrap();
    let saved = format!("it saves {:.1} %", best["conversation_saving"].as_f64().unwrap() * 100.0);
    let because = "clients get it without --strategy, since the complete list of ";
    assert!(reason.starts_with(because) && reason.contains(&saved), "{recommended}");
    assert_eq!(recommended["command"], command("serve"));
    // Else the cheapest.
    let other = report(&[&["--strategies", "info", "--set", "info.tools=entry-only"], &small[..]].concat());
    let recommended = &other["recommendation"];
    assert!(recommended["reason"].as_str().unwrap().starts_with("it saves "), "{recommended}");
    assert_eq!(recommended["command"], command("serve --strategy info --set info.tools=entry-only"));

    let small = report(&["--", ODD, "ordinary"]);
    let recommended = &small["recommendation"];
    assert_eq!(recommended["strategy"], "full");
    assert!(recommended["reason"].as_str().unwrap().starts_with(because), "{recommended}");
    let command = format!("{} serve -- {ODD} ordinary", started());
    assert_eq!(recommended["command"], command);
    let table = compare(&["--", ODD, "ordinary"]).stdout;
    assert!(table.contains(&command), "{table}");
}

#[test]
fn q2_calls_carry_the_receipts_that_were_learned() {
    let report = report(&["--strategies", "resource", "--set", "resource.receipts=signed", "--detail"]);
    let resource = &report["strategies"][1];
    assert_eq!(resource["detail"]["calls"]["failed"], 0, "{resource}");
}

#[test]
fn q2_what_the_operator_chooses_is_what_is_compared() {
    let report = report(&["--concern", "precision=exact"]);
    assert_eq!(report["tools"], 4);
    assert!(report["strategies"].as_array().unwrap().len() > 4, "{report}");
}

#[test]
fn q2_clients_are_served_as_the_configuration_says() {
    let (_folder, config) = configured("demo = true\n[serve]\nbridge = \"never\"\n");
    let config = ["--config", shown(&config)];
    let report = report(&[&["--strategies", "describe"], &config[..]].concat());
    let (tools, tokens) = described(&config);
    assert!(!tools.contains(r#""name":"describe_tools""#), "{tools}");
    assert_eq!(report["strategies"][1]["initial_tokens"], json!(tokens));
}

#[test]
fn q2_a_principal_is_shown_what_it_can_have_whatever_its_limits() {
    let principal = "demo = true\n[[principals]]\nname = \"ann\"\nstrategies = [\"search\"]\n\
                     limits = { calls_per_minute = 1, fetches_per_minute = 1, concurrent_calls = 1 }\n";
    let (_folder, config) = configured(principal);
    let report = report(&["--principal", "ann", "--use", "3", "--config", shown(&config)]);
    let is_had = |strategy: &&Value| strategy["not_offered"].is_null();
    let had: Vec<&Value> = strategies(&report).filter(is_had).map(|strategy| &strategy["name"]).collect();
    assert_eq!(had, ["search"], "{report:#}");
    assert_eq!(report["recommendation"]["strategy"], "search", "{report:#}");
}

/// A source with this many tools of the same kind.
fn many(count: usize) -> tempfile::NamedTempFile {
    let tool = |at: usize| {
        let text = json!({"type": "string", "description": "Words that the remarks must contain"});
        let schema = json!({"type": "object", "properties": {"text": text}, "required": ["text"]});
        let description = format!("Find measurements of station {at}");
        json!({"name": format!("find_{at}"), "description": description, "inputSchema": schema}).to_string()
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    let scenario = kit::scenario::Scenario::with_tools((0..count).map(tool));
    fs::write(file.path(), serde_json::to_string(&scenario).unwrap()).unwrap();
    file
}

/// More fetches than a session may make in a minute.
#[test]
fn q4_the_number_of_tools_is_not_limited_by_our_own_rates() {
    let source = many(700);
    let flags = ["--strategies", "resource,info(entry-only)", "--format", "json", "--name", "kit"];
    let ended = compare(&[&flags[..], &["--", UPSTREAM, source.path().to_str().unwrap()]].concat());
    let report = ended.json();
    assert_eq!(report["tools"], 700);
    let [full, resource, entry] = [0, 1, 2].map(|at| &report["strategies"][at]);
    assert!(resource["break_even_tools"].as_u64().unwrap() > 60, "{resource}");
    assert!(number(&entry["total_tokens"]) < number(&full["total_tokens"]) / 5, "{entry}");
}
