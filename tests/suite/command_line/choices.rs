//! `--concern` and `[strategy.concerns] choices` (B11): what every client starts with, validated before anything starts.

use serde_json::json;

use super::{ODD, configured, refuses, run, serve, shown};

const DECLARED: &str = r#"
[[concerns]]
name = "cost"
values = ["low", "high", 3, true]
[[concerns]]
name = "delay"
values = { min = 0, max = 10 }
[upstreams.kit]
command = "ODD"
[tools.echo]
concerns = { cost = "high" }
"#;

fn with(choices: &str) -> String {
    format!("{DECLARED}\n[strategy.concerns]\nchoices = {{ {choices} }}\n")
}

#[test]
fn b11_a_flag_wins_over_the_file_name_by_name() {
    let (_directory, file) = configured(&with("cost = \"high\", delay = 2"));
    for (flags, expected) in [
        (vec![], json!({"cost": "high", "delay": 2})),
        (vec!["--concern", "cost=low"], json!({"cost": "low", "delay": 2})),
        (vec!["--concern", "cost=3", "--concern", "delay=1e1"], json!({"cost": 3, "delay": 10.0})),
        (vec!["--concern", "cost=low", "--concern", "cost=true"], json!({"cost": true, "delay": 2})),
    ] {
        let mut gateway = serve(&file, &flags);
        let told = gateway.request("listConcerns", json!({}));
        assert_eq!(told["result"]["effective"], expected);
        let listed = gateway.tool_names();
        assert_eq!(listed.contains(&"echo".to_owned()), expected["cost"] == "high", "{listed:?}");
    }
}

#[test]
fn b11_choices_that_are_not_declared_are_errors_with_their_place() {
    let (_directory, file) = configured(&with("cots = \"low\""));
    let expected = "strategy.concerns.choices.cots: no concern 'cots' is declared";
    for command in [&["serve"][..], &["check"], &["prompt", "--strategy", "full"], &["compare"]] {
        let ended = run(&[command, &["--config", shown(&file)]].concat());
        assert_eq!(ended.code, Some(64), "{command:?}");
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("disclosure.toml:14:") && said.contains(expected), "{said}");
    }
    run(&["serve", "--config", shown(&file)])
        .says(64, &[expected, "(hint: declared are cost, delay; did you mean 'cost'?)"]);
    let (_directory, file) = configured(DECLARED);
    run(&["serve", "--config", shown(&file), "--concern", "delay=soon"]).says(
        64,
        &["--concern delay=soon: concern 'delay' has no value \"soon\" (hint: its values are 0 to 10)"],
    );
    // Where nothing is declared, the upstream may declare it, but has to.
    run(&["serve", "--concern", "cost=low", "--", ODD]).says(
        64,
        &["no concern 'cost' is declared, but --concern or [strategy.concerns] choices names it (hint: none are declared;"],
    );
    // One of a file may come later.
    let (_directory, file) =
        configured("[strategy.concerns]\nchoices = { cost = \"low\" }\n[upstreams.kit]\ncommand = \"ODD\"\n");
    assert!(serve(&file, &[]).tool_names().contains(&"echo".to_owned()));
}

#[test]
fn b11_what_a_category_maps_must_be_declared() {
    let mapping =
        |said: &str| DECLARED.replace("[tools.echo]", "[categories.x]").replace("cost = \"high\"", said);
    let unknown = "categories.\"x\": unknown concern 'csot' (hint: did you mean 'cost'?)";
    refuses(&mapping("csot = \"high\""), &[unknown]);
    refuses(&mapping("cost = \"hgh\""), &["categories.\"x\": \"hgh\" is not a value of concern 'cost'"]);
}
