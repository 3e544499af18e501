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

#[test]
fn u10_what_cannot_be_added_to_is_named() {
    let problem = with_blocks("tools = { t = { } }\n", &blocks()).unwrap_err().to_string();
    assert!(problem.contains("so \"kit/new\" cannot be added (hint: write tables"), "{problem}");
    assert!(with_blocks("concerns = [{ name = \"other\" }]\n", &blocks()).is_err());
    assert!(with_blocks("concerns = [{ name = \"cost\" }]\n", &blocks()).is_ok());
}

#[test]
fn u10_line_ends_byte_order_mark_and_schema_line_stay() {
    let existing = "\u{feff}# é\r\n[tools.t]\r\nbrief = \"T\"\r\n";
    let merged = with_blocks(existing, &blocks()).unwrap();
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
        let merged = with_blocks(&text, &blocks()).unwrap();
        prop_assert!(merged.starts_with(&text), "{text}\n---\n{merged}");
        let read: toml::Table = merged.parse().unwrap();
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
    "[tools.sub.concerns]\nmood = \"x\"\n",
    "[strategy.info]\ntools = \"entry-only\"\n",
    "[server.facts]\ntext = \"\"\"\n  many\n\n  [tools.t]\"\"\"\n",
];
