//! Whatever a file says: nothing but our entries changes, twice is the same as once, and undo gives back the bytes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn text() -> impl Strategy<Value = String> {
    let words = ["npx", "-y", "~", "a b", "--", "${env:X}", "mcp-disclosure", "serve", "\u{7f}é\"\\"];
    prop_oneof![proptest::sample::select(words.to_vec()).prop_map(str::to_owned), ".{0,6}",]
}

fn entry() -> impl Strategy<Value = Value> {
    let args = proptest::option::of(proptest::collection::vec(text(), 0..4));
    let more =
        proptest::collection::btree_map("[a-z]{1,4}|autoApprove|type|url|disabled", any::<bool>(), 0..3);
    (text(), args, more).prop_map(|(command, args, more)| {
        let mut entry = json!({"command": command});
        if let Some(args) = args {
            entry["args"] = json!(args);
        }
        more.into_iter().for_each(|(key, value)| entry[key] = json!(value));
        entry
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), any::<i32>().prop_map(Into::into), text().prop_map(Into::into), entry()]
}

const ROOTS: &[(&str, &str)] =
    &[("mcp.json", "mcpServers"), (".vscode/mcp.json", "servers"), ("zed/settings.json", "context_servers")];

/// A file in one of the ways in which programs and people write them.
fn laid_out(value: &Value, layout: u8) -> String {
    match layout % 4 {
        0 => value.to_string(),
        1 => format!("{value:#}\n"),
        2 => format!("\u{feff}{}", format!("{value:#}\n").replace('\n', "\r\n")),
        _ => format!("// mine\n{value:#}").replace("  ", "\t").replace("{\n", "{ // here\n"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn w1_undo_gives_back_the_bytes_and_nothing_else_changes(
        servers in proptest::collection::btree_map("[a-z]{1,3}", prop_oneof![4 => entry(), 1 => any_value()], 0..4),
        others in proptest::collection::btree_map("[x-z]{1,3}", any_value(), 0..3),
        root in 0..ROOTS.len(), layout in any::<u8>(), gather in any::<bool>(),
    ) {
        let (path, key) = ROOTS[root];
        let mut value = json!({key: servers});
        others.into_iter().for_each(|(key, other)| value[key] = other);
        let text = laid_out(&value, layout);
        let project = Project::of(path, &text);
        let plan = if gather { project.gather() } else { project.plan() };
        let step = project.apply(&plan);
        let after = crate::config::hosts::Document::parse(&project.file, &project.text(), Path::new("/now")).unwrap();
        let before = crate::config::hosts::Document::parse(&project.file, &text, Path::new("/now")).unwrap();
        prop_assert!(before.root.is_same_but(&after.root, Some(&before.root), &[key]), "only servers change");
        for (name, _) in &plan.left {
            let of = |document: &crate::config::hosts::Document| document.root.get(key).unwrap().get(name).map(|node| {
                document.text[node.at..node.end].to_owned()
            });
            prop_assert_eq!(of(&before), of(&after), "what is left has its bytes");
        }
        let again = if gather { project.gather() } else { project.plan() };
        prop_assert!(!again.changes(), "{}", again.change.after);
        prop_assert_eq!(&project.undo(std::slice::from_ref(&step)).text, &text);
        // As it is after its host wrote it anew, with more in it.
        if let (Ok(mut now), Ok(mut before)) = (serde_json::from_str::<Value>(&project.text()), serde_json::from_str::<Value>(&text)) {
            for value in [&mut now, &mut before] {
                value[key]["added"] = json!({"command": "added"});
                value["more"] = json!(1);
            }
            fs::write(&project.file, laid_out(&now, layout % 4 + 1)).unwrap();
            let undone = project.undo(&[step]);
            let read: Value = serde_json::from_str(undone.text.trim_start_matches('\u{feff}')).unwrap();
            prop_assert_eq!(read, before, "{:?}", undone.left);
        }
    }

    #[test]
    fn w1_no_text_makes_init_or_undo_panic(text in "[-\\[\\]{}:,\"'a \n#&*$=<|]{0,60}", path in 0..3usize) {
        let project = Project::of(["mcp.json", "config.yaml", "config.toml"][path], &text);
        let _any_result = plan(project.place(), Path::new("/now"), &front(), None, vec![]);
    }
}
