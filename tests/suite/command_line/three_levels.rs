//! The demonstration under `info`: the three levels of seed 004, and every example that they document.

use kit::process::Process;
use serde_json::{Value, json};

use super::opened;

/// The demonstration under `info`, initialized.
fn demonstration(flags: &[&str]) -> Process {
    opened(&[&["serve", "--strategy", "info"], flags].concat())
}

/// What a topic is answered.
#[track_caller]
fn ask(gateway: &mut Process, topic: &str) -> Value {
    let answer = gateway.call("info", json!({"topic": topic}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[test]
fn every_documented_example_runs_as_it_is_shown_i4_i7() {
    for (flags, invoked) in [(&[][..], false), (&["--set", "info.tools=entry-only"], true)] {
        let mut gateway = demonstration(flags);
        let (mut tools, mut examples) = (0, 0);
        let overview = ask(&mut gateway, "overview");
        for (category, described) in overview["categories"].as_object().unwrap() {
            let listed = ask(&mut gateway, category)["tools"].as_array().unwrap().clone();
            assert_eq!(described["count"], listed.len(), "{category}");
            for tool in listed {
                tools += 1;
                let name = tool["name"].as_str().unwrap();
                let described = ask(&mut gateway, name);
                let related = described["related"].as_array().unwrap();
                assert!(
                    related.iter().all(|other| ask(&mut gateway, other.as_str().unwrap())["tool"] == *other)
                );
                for example in described["examples"].as_array().unwrap() {
                    examples += 1;
                    let names = described["parameters"].as_object().unwrap();
                    let input = example["input"].as_object().unwrap();
                    assert!(input.keys().all(|key| names.contains_key(key)), "{name} {example}");
                    let answer = if invoked {
                        gateway.call("invoke", json!({"tool": name, "arguments": input}))
                    } else {
                        gateway.call(name, json!(input))
                    };
                    assert_eq!(answer["result"]["structuredContent"], example["output"], "{name} {example}");
                }
            }
        }
        assert_eq!(overview["total_tools"], tools);
        assert!(tools == 11 && examples > 11, "{tools} tools, {examples} examples");
    }
}
