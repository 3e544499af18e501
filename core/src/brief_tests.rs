//! Briefs of descriptions of all kinds (docs/CONTRACT.md B1 to B3).

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    Snapshot, View,
    fixtures::{file, upstream, view_of},
};

/// What makes a description too long to be shown as a whole.
fn lengthened(description: &str) -> String {
    format!("{description}\n\n{}", "More is said of this here, at length. ".repeat(6))
}

#[test]
fn b1_the_first_sentence_is_shown_in_its_authors_words() {
    for (description, brief) in [
        ("It will never delete the source. Ask first.", "It will never delete the source."),
        ("Before v2 you had to call login_user. Now call this.", "Before v2 you had to call login_user."),
        ("Lists   the\nthings of\r\na project.", "Lists the things of a project."),
        (
            "Reads files, e.g. foo.md or https://x.org/a.b?c=1, at v1.5. Then more.",
            "Reads files, e.g. foo.md or https://x.org/a.b?c=1, at v1.5.",
        ),
        ("Wait... then go on! And more.", "Wait... then go on!"),
        ("Reads files, e.g. `a.txt` or `b`. `path` is absolute.", "Reads files, e.g. `a.txt` or `b`."),
        ("Gets U.S. stocks of U.S. Steel, max. 50. More.", "Gets U.S. stocks of U.S. Steel, max. 50."),
        ("Liste les fichiers (p. ex. « a.txt »). Voir aussi.", "Liste les fichiers (p. ex. « a.txt »)."),
        ("Ищет по имени, т.е. по шаблону. Ещё.", "Ищет по имени, т.е. по шаблону."),
        ("Löscht z. B. die Datei. Vorsicht.", "Löscht z. B. die Datei."),
        ("Is it up? Checks that.", "Is it up?"),
        ("Steps: 1. Read. 2. Write.", "Steps: 1. Read. 2. Write."),
        ("获取天气。返回温度。", "获取天气。"),
        ("天気を取得します！（東京のみ。）その後", "天気を取得します！"),
        ("मौसम बताता है। और भी।", "मौसम बताता है।"),
        ("يعرض الطقس؟ ثم المزيد.", "يعرض الطقس؟"),
        // Labels belong to it.
        ("UNSAFE: Runs code. Beware.", "UNSAFE: Runs code."),
        ("[DEPRECATED] Use x instead. More.", "[DEPRECATED] Use x instead."),
        ("**DEPRECATED**\n\nReads a file. More.", "DEPRECATED Reads a file."),
        ("Deprecated. Reads a file. More.", "Deprecated. Reads a file."),
        ("⚠️ DANGER!\nWipes it. More.", "⚠️ DANGER! Wipes it."),
        ("UNSAFE:\n\n# Wipe\n\nDeletes all data. More.", "UNSAFE: Deletes all data."),
        // Markdown is folded.
        (
            "**Reads** `a_b` and *one* [page](https://x.org/(a)) of ~~two~~ __it__. More.",
            "Reads `a_b` and one page of two it.",
        ),
        (
            "Matches `**/*.md`, *.txt and 2 * 3 * 4 of snake_case_names. More.",
            "Matches `**/*.md`, *.txt and 2 * 3 * 4 of snake_case_names.",
        ),
        (
            "See ![an image](x.png) at <https://x.org>, arr[0] and a\\_b. More.",
            "See an image at https://x.org, arr[0] and a_b.",
        ),
        ("Deletes **/node_modules/** and *.tmp files. More.", "Deletes **/node_modules/** and *.tmp files."),
        ("Sets arr[i](x) on f[0](y) by __init__.py. More.", "Sets arr[i](x) on f[0](y) by __init__.py."),
        ("Calls ?x=*1*&y=*2*. More.", "Calls ?x=*1*&y=*2*."),
        ("它**读取**文件。然后。", "它读取文件。"),
        ("**Deletes all of it.** More.", "Deletes all of it."),
        // Headings and sections are not meant.
        ("# Title\n\nReads it. More.", "Reads it."),
        ("Title\n=====\nReads it. More.", "Reads it."),
        ("Reads it.\n---\nMore.", "Reads it."),
        ("Args:\n    path: where\n    mode: how\n\nReads it. More.", "Reads it."),
        ("### Parameters\n- `a`: one\n- b\n\nReads it. More.", "Reads it."),
        ("Returns: a list of things.\n\nReads it. More.", "Reads it."),
        ("Returns a list of things. More.", "Returns a list of things."),
        ("Optional: tenant. Account.\n\nRequired: id.\n\nReads it. More.", "Reads it."),
        ("```json\n{\"a\": 1}\n```\n\nReads it. More.", "Reads it."),
        ("--all: every one\n\n:param x: y\n\n1. One.\n2. Two.\n\nReads it. More.", "Reads it."),
        ("Reads it\nArgs:\n  path: where. More.", "Reads it"),
        // A list that a colon leads in belongs to the sentence.
        ("Reads it:\n- one\n- two", "Reads it: - one - two"),
        ("Reads it\n- one\n- two", "Reads it"),
        ("Use it to:\n", "Use it to:"),
        // A line without a full stop is a sentence before one that ends with a colon or, if it is short, that begins with a capital.
        ("获取文档\n适用场景：\n没有", "获取文档"),
        ("Gets tasks\nEither 'id' or 'name' is needed. More.", "Gets tasks"),
        (
            "Reads a page with all that the user of it has written (of Google\nDrive). More.",
            "Reads a page with all that the user of it has written (of Google Drive).",
        ),
        (
            "Reads a page with all that the user of it has written, and more\nError Responses:\n404: none",
            "Reads a page with all that the user of it has written, and more",
        ),
    ] {
        let shown = |description: &str| Source { name: "name", title: None, description }.brief(LONGEST);
        assert_eq!(shown(&lengthened(description)), brief, "{description:?}");
        assert_eq!(shown(description), description.trim(), "what fits is not changed");
    }
}

#[test]
fn b1_without_a_sentence_the_title_or_the_name_is_shown() {
    let section = format!("Args:\n{}", "  path: where it is\n".repeat(20));
    for (name, title, description, brief) in [
        ("get_data", None, "", "Get data"),
        ("getHTTPUser", None, " \n", "Get http user"),
        ("listPDFs", None, "***", "List pdfs"),
        ("read", Some("Read a\nfile"), section.as_str(), "Read a file"),
        ("read_it", Some(" "), section.as_str(), "Read it"),
        ("获取天气", None, "", "获取天气"),
        ("___", None, "", "___"),
        ("", None, "", "Unnamed tool"),
    ] {
        assert_eq!(Source { name, title, description }.brief(LONGEST), brief);
    }
}

/// The view of servers' tools, with an operator's files over them.
fn view<const N: usize>(servers: [(&str, Value); N], files: &[Value]) -> View {
    let tools = |tools: Value| tools.as_array().unwrap().clone();
    let lists = servers.map(|(name, listed)| upstream(name, tools(listed)));
    view_of(Snapshot::build(&lists, &files.iter().map(file).collect::<Vec<_>>()))
}

fn both<'v>(view: &'v View, name: &str) -> [&'v str; 2] {
    let tool = view.tool(name).unwrap();
    [tool.brief(), tool.short_brief()]
}

#[test]
fn b3_the_short_text_of_an_upstream_stays_the_brief_of_an_operators_longer_description() {
    let tools = json!([{"name": "a", "description": "Does a."}, {"name": "b", "description": "Does b."}]);
    let long = "At length, this does more than anything that can be said in one line of text. See below.";
    let file = |name: &str, brief: Option<&str>| {
        let mut file = json!({"name": name, "description": long, "inputSchema": {}});
        if let Some(brief) = brief {
            file["brief"] = brief.into();
        }
        file
    };
    let view = view([("u", tools)], &[file("a", None), file("b", Some("The operator's."))]);
    assert_eq!(both(&view, "a"), ["Does a."; 2]);
    assert_eq!(both(&view, "b"), ["The operator's."; 2]);
}

#[test]
fn b13_marks_come_from_annotations_alone_and_are_never_cut() {
    let long = "Removes the repository with all of its branches, tags, issues and everything else that belongs to it";
    let tools = json!([
        {"name": "cut", "description": long, "annotations": {"destructiveHint": true}},
        {"name": "reads", "description": "Reads.", "annotations": {"destructiveHint": true, "readOnlyHint": true}},
        {"name": "says", "description": "Deletes it, [destructive].", "annotations": {"destructiveHint": true}},
        {"name": "plain", "description": "Deletes all of it. This cannot be undone."},
        {"name": "owned", "description": "x", "annotations": {"destructiveHint": true}},
        {"name": "lines", "description": "Tracker | Deletes a block\nError Responses:\n400: Bad request",
            "annotations": {"destructiveHint": true}},
    ]);
    let file = json!({"name": "owned", "description": "x", "inputSchema": {}, "brief": "The operator's."});
    let view = view([("u", tools)], &[file]);
    assert_eq!(
        both(&view, "cut"),
        [&*format!("{long} [destructive]"), "Removes the repository with all of its… [destructive]"]
    );
    assert_eq!(both(&view, "reads"), ["Reads."; 2]);
    assert_eq!(both(&view, "says"), ["Deletes it, [destructive]."; 2]);
    assert_eq!(both(&view, "plain"), ["Deletes all of it. This cannot be undone."; 2]);
    assert_eq!(both(&view, "owned"), ["The operator's. [destructive]"; 2]);
    assert_eq!(both(&view, "lines")[1], "Tracker | Deletes a block [destructive]");
    assert_eq!(view.tool("cut").unwrap().tool().brief(), long, "the author's text has no mark");
}

#[test]
fn b2_only_tools_of_several_servers_that_would_read_the_same_are_named_after_them() {
    let long = "Gets a thing by all that is known of it, wherever it may be found";
    let tool = |name: &str, description: &str| json!({"name": name, "description": description});
    let one =
        json!([tool("a", "Gets a thing."), tool("b", long), tool("c", "Gets c."), tool("c2", "Gets c.")]);
    let two = json!([tool("d", "Gets a thing."), tool("e", long), tool("f", "Gets f.")]);
    let view = view([("one", one), ("two", two)], &[]);
    assert_eq!(both(&view, "a"), ["one: Gets a thing."; 2]);
    assert_eq!(both(&view, "d"), ["two: Gets a thing."; 2]);
    let short = "one: Gets a thing by all that is known of it, wherever it…";
    assert_eq!(both(&view, "b"), [&*format!("one: {long}"), short]);
    for (name, brief) in [("c", "Gets c."), ("c2", "Gets c."), ("f", "Gets f.")] {
        assert_eq!(both(&view, name), [brief; 2]);
    }
    // What is not listed has no influence.
    let narrow = view
        .narrow(|primitive| matches!(primitive, crate::Primitive::Tool(tool) if **tool.upstream() == *"one"));
    assert_eq!(both(&narrow, "a"), ["Gets a thing."; 2]);
}

proptest! {
    #[test]
    fn b1_every_brief_is_a_part_of_its_description(
        description in "([A-Z][a-z]{2,9}([ ,.!]|\\. |\n|\n\n|e\\.g\\. |。|\\*\\*[a-z]{1,6}\\*\\* |`[a-z_]{1,6}` |- |# |Args:\n|```\n)){0,60}",
        name in "[a-zA-Z_-]{0,20}",
    ) {
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<Vec<_>>();
        for cap in [LONGEST, SHORT] {
            let brief = Source { name: &name, title: None, description: &description }.brief(cap);
            prop_assert!(cap.holds(&brief) && !brief.is_empty());
            let mut all = letters(&description).into_iter();
            let is_part = letters(&brief).into_iter().all(|letter| all.any(|other| other == letter));
            let is_part = is_part || brief == cap.shorten(&spoken(&name));
            prop_assert!(is_part, "{:?} of {:?}", brief, description);
        }
    }

    #[test]
    fn no_description_breaks_anything(description in "\\PC{0,300}", marks in "[*_`\\[\\]()#<>~\\\\ a\n]{0,300}") {
        for description in [&description, &marks] {
            for cap in [LONGEST, SHORT] {
                let brief = Source { name: "n", title: None, description }.brief(cap);
                prop_assert!(cap.holds(&brief) && !brief.is_empty());
            }
        }
    }
}

#[test]
fn long_and_nested_marks_take_no_long_time() {
    for part in ["[", "*a ", "**", "`", "![", "_a ", "(", "> ", "\\"] {
        let _ = first_sentence(&part.repeat(1_000_000));
    }
}
