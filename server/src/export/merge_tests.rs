//! Tests of merging.

use proptest::prelude::*;

use super::*;

fn block(table: &str, name: &str) -> Block {
    let text = match table {
        "concerns" => format!("\n[[concerns]]\nname = \"{name}\"\nvalues = [1]\n"),
        _ => format!("\n# New.\n[{table}.\"{name}\"]\nnew = true\n"),
    };
    Block { table: table.to_owned(), name: Some(name.to_owned()), text }
}

fn blocks() -> Vec<Block> {
    let named = [("upstreams", "kit"), ("upstreams", "more"), ("concerns", "cost"), ("tools", "kit/new")];
    named.map(|(table, name)| block(table, name)).into()
}

fn record(section: &str) -> Record {
    Record {
        section: section.to_owned(),
        made_from: r#"{ definition = "now" }"#.to_owned(),
        derived: Some("Does it.".to_owned()),
    }
}

/// With the blocks above, and a record in the section `t`.
fn merge(existing: &str) -> Result<String, Problem> {
    let text = with_blocks(existing, &blocks())?;
    with_records(&text, &[record("t")]).map(|(text, without)| {
        assert!(without.is_empty(), "{without:?}");
        text
    })
}

#[test]
fn u10_what_is_missing_is_added_behind_what_is_there() {
    let existing =
        "# Mine.\n[upstreams]\nkit = {command=\"mine\"}# short\n[[concerns]]\nname = \"cost\"\n# end";
    let merged = with_blocks(existing, &blocks()).unwrap();
    assert_eq!(
        merged,
        format!(
            "{existing}\n\n# New.\n[upstreams.\"more\"]\nnew = true\n\n# New.\n[tools.\"kit/new\"]\nnew = true\n"
        )
    );
    assert_eq!(with_blocks(&merged, &blocks()).unwrap(), merged);
    let nameless = Block { table: "serve".to_owned(), name: None, text: "[serve]\n".to_owned() };
    assert_eq!(with_blocks("", &[nameless]).unwrap(), "");
}

#[test]
fn u10_a_record_stands_where_its_section_is() {
    for (existing, expected) in [
        (
            "[tools.t]\n# derived brief: \"Old.\"\nmade_from = {definition = \"old\"} # then\nhidden = false\n",
            "[tools.t]\n# derived brief: \"Does it.\"\nmade_from = { definition = \"now\" } # then\nhidden = false\n",
        ),
        (
            "[tools.t]\n# mine\nmade_from = { definition = \"old\" }",
            "[tools.t]\n# mine\n# derived brief: \"Does it.\"\nmade_from = { definition = \"now\" }",
        ),
        (
            "[ tools . t ]  # header\nbrief = \"\"\"\nT\"\"\" # last\n# of t\n\n[tools.u]\n",
            "[ tools . t ]  # header\nbrief = \"\"\"\nT\"\"\" # last\n# derived brief: \"Does it.\"\nmade_from = { definition = \"now\" }\n# of t\n\n[tools.u]\n",
        ),
        (
            "[tools.t] # header",
            "[tools.t] # header\n# derived brief: \"Does it.\"\nmade_from = { definition = \"now\" }\n",
        ),
        (
            "[tools.t]\n[tools.t.concerns]\ncost = 1\n",
            "[tools.t]\n# derived brief: \"Does it.\"\nmade_from = { definition = \"now\" }\n[tools.t.concerns]\ncost = 1\n",
        ),
        (
            "[tools]\nt = { brief = \"T\" } # short\n",
            "[tools]\nt = { brief = \"T\", made_from = { definition = \"now\" } } # short\n",
        ),
        (
            "[tools.t.concerns]\ncost = 1",
            "[tools.t.concerns]\ncost = 1\n\n[tools.t]\n# derived brief: \"Does it.\"\nmade_from = { definition = \"now\" }\n",
        ),
        ("tools.t = {}\n", "tools.t = { made_from = { definition = \"now\" }}\n"),
        (
            "tools = { t = { made_from = { definition = \"old\" }, brief = \"T\" } }",
            "tools = { t = { made_from = { definition = \"now\" }, brief = \"T\" } }",
        ),
    ] {
        let (merged, without) = with_records(existing, &[record("t")]).unwrap();
        assert_eq!((&*merged, without.len()), (expected, 0));
        assert_eq!(with_records(&merged, &[record("t")]).unwrap().0, merged, "twice is the same as once");
    }
}

#[test]
fn u10_what_cannot_be_added_to_is_named() {
    for existing in ["tools.t.brief = \"T\"\n", "[tools.t.made_from]\ndefinition = \"old\"\n"] {
        let (text, without) = with_records(existing, &[record("t")]).unwrap();
        assert_eq!((&*text, without), (existing, vec!["t".to_owned()]));
    }
    let problem = with_blocks("tools = { t = { } }\n", &blocks()).unwrap_err().to_string();
    assert!(problem.contains("so \"kit/new\" cannot be added (hint: write tables"), "{problem}");
    assert!(with_blocks("concerns = [{ name = \"other\" }]\n", &blocks()).is_err());
    assert!(with_blocks("concerns = [{ name = \"cost\" }]\n", &blocks()).is_ok());
}

#[test]
fn u10_line_ends_byte_order_mark_and_schema_line_stay() {
    let existing = "\u{feff}# é\r\n[tools.t]\r\nbrief = \"T\"\r\n";
    let merged = merge(existing).unwrap();
    assert!(merged.starts_with(existing), "{merged:?}");
    assert_eq!(merged.matches('\n').count(), merged.matches("\r\n").count());
    assert_eq!(with_key(existing, "k", "v"), format!("\u{feff}k = \"v\"\r\n{}", &existing[3..]));
    assert_eq!(with_key("#:schema x\na = 1", "k", "v"), "#:schema x\nk = \"v\"\na = 1");
    assert_eq!(with_key("# a\n", "k", "v"), "k = \"v\"\n# a\n");
}

proptest! {
    #[test]
    fn u10_no_byte_is_lost(order in Just((0..SECTIONS.len()).collect::<Vec<_>>()).prop_shuffle(), count in 0..SECTIONS.len()) {
        let sections = order.into_iter().take(count).map(|at| SECTIONS[at]);
        let text: String = sections.chain(["[tools.t]\nbrief = \"T\""]).collect();
        let merged = merge(&text).unwrap();
        prop_assert!(merged.starts_with(&text), "{text}\n---\n{merged}");
        let read: toml::Table = merged.parse().unwrap();
        prop_assert_eq!(read["tools"]["t"]["made_from"]["definition"].as_str(), Some("now"));
        prop_assert!(read["tools"]["kit/new"]["new"].as_bool() == Some(true));
        prop_assert_eq!(read["upstreams"].as_table().unwrap().len(), 2);
    }
}

/// Sections in odd forms; each may stand anywhere.
const SECTIONS: &[&str] = &[
    "[tools.\"kit/a\"]   \nbrief = \"A\"   # why\n\n\n",
    "\t[ tools . b ]\n\t hidden=true\n",
    "# about upstreams\n[upstreams.kit]\ncommand='x'\nargs = [\n  \"a\", # one\n  \"b\",\n]\n",
    "[categories.c]\ntools = [ ]\n\n# between\n\n",
    "[serve]\nstrategy = \"info\"\n",
    "[[concerns]]\nname = \"mood\"\nvalues = [\"good\"]\n",
    "[tools.sub.made_from]\ndefinition = \"x\"\n",
    "[strategy.info]\ntools = \"entry-only\"\n",
    "[server.facts]\ntext = \"\"\"\n  many\n\n  [tools.t]\"\"\"\n",
];
