//! Pins, and rules in an old form.

use kit::messages::tool;
use serde_json::{Value, json};

use super::{findings, has, with_tools};
use crate::{
    UPSTREAM,
    command_line::{configured, playing, run, shown},
};

#[test]
fn s12_pins_that_are_many_alike_or_idle_are_found() {
    let names = ["read_file", "read_text_file", "list", "stat", "copy", "move", "link"];
    let tools = names.map(|name| tool(name, &format!("Does {name}.")));
    let (_directory, scenario) = with_tools(&tools);
    let finds = |pins: Value, code: &str, expected: &[(&str, &str)]| {
        let (_directory, file) =
            configured(&format!("{}[pins]\ntools = {pins}\n", playing("kit", &scenario)));
        let allow =
            "no-example,no-returns,no-related,repeated-description,description-repeats-name,poor-brief";
        let ended = run(&["check", "--format", "json", "--allow", allow, "--config", shown(&file)]);
        let found = findings(&ended.says(0, &[]).stdout);
        assert_eq!(found.len(), expected.len(), "{pins}: {found:?}");
        has(&found, code, expected);
    };
    finds(json!(["kit/list", "kit/stat", "c*", "move", "link"]), "", &[]);
    finds(json!(["*"]), "many-pins", &[("", "7 pins, about ")]);
    finds(json!(["read_file"]), "pin-look-alike", &[("read_file", "'read_text_file'")]);
    // Both are pinned.
    finds(json!(["read_*"]), "", &[]);
    let idle = [("", "disclosure.toml:4:2: pins.tools: "), ("", "did you mean 'kit/list'?")];
    finds(json!(["kit/lst", "x*"]), "matches-nothing", &idle);
}

#[test]
fn w4_a_rule_in_an_old_form_is_refused_with_its_place_and_new_form() {
    let (directory, scenario) = with_tools(&[tool("one", "Finds one."), tool("two", "Finds two.")]);
    let file = directory.path().join("disclosure.toml");
    let upstream = |more: &str| format!("{}{more}\n", playing("a", &scenario));
    let rules = [
        ("[tools.\"a__one\"]\nhidden = true\n", "'a__one' is now written 'a/one'"),
        ("[tools.\"a__*\"]\nconcerns = {}\n", "'a__*' is now written 'a/*'"),
        ("[pins]\ntools = [\"a__two\"]\n", "'a__two' is now written 'a/two'"),
        (
            "[categories.main]\ndescription = \"Main\"\ntools = [\"a__two\"]\n",
            "'a__two' is now written 'a/two'",
        ),
    ];
    let refused = |of_a: &str, rest: &str, expected: &[&str]| {
        std::fs::write(&file, format!("{}{rest}\n", upstream(of_a))).unwrap();
        run(&["serve", "--config", shown(&file)]).says(64, expected);
        run(&["check", "--config", shown(&file)]).prints(64, expected);
    };
    for (rule, said) in rules {
        refused("", rule, &["disclosure.toml:5:", said]);
    }
    for (of_a, rest, said) in [
        (r#"hidden = ["a/one"]"#, "", "'a/one' is now written 'one'"),
        (r#"allow = ["a__*"]"#, "", "'a__*' is now written '*'"),
        ("", "[resources.\"a__kit://doc\"]\nhidden = true", "'a__kit://doc' is now written 'a/kit://doc'"),
        ("", "[resources]\nallow = [\"a__*\"]", "resources.allow: 'a__*' is now written 'a/*'"),
        ("", "[profiles.p]\ntools = [\"a__one\"]", "write \"a/one\""),
        ("", "[profiles.p]\nresources = [\"a__kit://doc\"]", "write \"a/kit://doc\""),
    ] {
        refused(of_a, rest, &[said]);
    }
    // All at once, with what else may be meant; and in their new forms.
    let all = upstream("") + &rules.map(|(rule, _)| rule).concat();
    std::fs::write(&file, &all).unwrap();
    run(&["check", "--config", shown(&file)]).says(64, &["errors: 4"]).prints(64, &["'*/a__one'"]);
    std::fs::write(&file, all.replace("a__", "a/")).unwrap();
    run(&["check", "--config", shown(&file)]).says(0, &[]);
    let flags = ["serve", "--name", "a", "--hide-tool", "a/one", "--", UPSTREAM, &scenario];
    run(&flags).says(64, &["'a/one' is now written 'one'"]);
    // What the upstream calls itself is not known yet.
    std::fs::write(&file, "[resources.\"its-own__kit://doc\"]\nhidden = true\n").unwrap();
    let flags = ["serve", "--config", shown(&file), "--", UPSTREAM, &scenario];
    run(&flags).says(64, &["'its-own__kit://doc' is now written 'its-own/kit://doc'"]);
    // What is served like that, and what names an upstream already.
    let named = upstream("prefix = \"a__\"\nhidden = [\"a__one\"]");
    std::fs::write(&file, format!("{named}[tools.\"*/a__two\"]\nhidden = true\n")).unwrap();
    run(&["check", "--config", shown(&file)]).says(0, &[]);
}
