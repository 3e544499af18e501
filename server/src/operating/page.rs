//! The status as a page, by the names that its JSON has: no script, nothing from elsewhere, and readable on a phone.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use mcp_disclosure_core::printable::{grouped, lasting, one_line};
use serde_json::{Map, Value};

use super::state::Status;

/// The page is loaded again after this time, in seconds.
const REFRESH: u32 = 5;

/// How a key ends whose value is a time.
const SECONDS: &str = "_seconds";

/// No word is split but a name or an error that is longer than its column; a table that is wider than a phone scrolls.
const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --soft: #555; --good: #126b2e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --soft: #b4b4b4; --good: #7bd88f; --bad: #ff9d94; } }
html { background: #fff; color: #1b1b1b; }
@media (prefers-color-scheme: dark) { html { background: #161616; color: #eee; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0; }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; }
dt { color: var(--soft); }
dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
section { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th[scope=row] { font-weight: 500; min-width: 9rem; overflow-wrap: anywhere; }
@media (max-width: 30rem) { th, td { padding: .35rem .25rem; font-size: .9rem; } th[scope=row] { min-width: 7rem; } }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.ready { color: var(--good); }
.failing, .silent, .stopped, .down, .lost { color: var(--bad); }
";

/// The page of a status: its numbers, and a table of each part that has several.
pub(super) fn page(status: &Status) -> Markup {
    let ready = status.upstreams.iter().filter(|upstream| upstream.is_ready()).count();
    let title = format!("mcp-disclosure: {ready} of {} upstreams ready", status.upstreams.len());
    let said = serde_json::to_value(status).unwrap_or_default();
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let is_table = |value: &Value| value.is_object() || value.is_array();
    let shown = said.as_object().into_iter().flatten().filter(|(_, value)| !is_empty(value));
    let (tables, figures): (Vec<_>, Vec<_>) = shown.partition(|(_, value)| is_table(value));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="refresh" content=(REFRESH);
                // Browsers ask for an icon otherwise.
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "mcp-disclosure" }
                    dl {
                        @for (name, value) in figures {
                            div { dt { (words(name)) } dd class=[class(name, value)] { (text(name, value)) } }
                        }
                    }
                    @for (name, value) in tables {
                        section aria-labelledby=(name) { h2 id=(name) { (words(name)) } (table(value)) }
                    }
                }
            }
        }
    }
}

/// A row for each item, by its name, or for each member.
fn table(value: &Value) -> Markup {
    let items =
        value.as_array().into_iter().flatten().map(|item| (item["name"].as_str().unwrap_or_default(), item));
    let members = value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
    let rows: Vec<(&str, &Value)> = items.chain(members).collect();
    let mut columns: Vec<&String> = Vec::new();
    for name in rows.iter().filter_map(|(_, row)| row.as_object()).flat_map(Map::keys) {
        if name != "name" && !columns.contains(&name) {
            columns.push(name);
        }
    }
    let is_number = |column: &str| rows.iter().any(|(_, row)| row[column].is_number());
    html! {
        table {
            @if !columns.is_empty() {
                thead {
                    tr {
                        td {}
                        @for column in &columns {
                            th scope="col" class=[is_number(column).then_some("number")] { (words(column)) }
                        }
                    }
                }
            }
            tbody {
                @for (name, row) in &rows {
                    tr {
                        th scope="row" { (one_line(name)) }
                        @if !row.is_object() { td class=[class(name, row)] { (text(name, row)) } }
                        @for column in &columns {
                            @let value = &row[column.as_str()];
                            td class=[class(column, value)] { (text(column, value)) }
                        }
                    }
                }
            }
        }
    }
}

/// A key as people write it.
fn words(key: &str) -> String {
    key.trim_end_matches(SECONDS).replace('_', " ")
}

/// How a value looks: a state has its colour, and so have records that were lost.
fn class<'v>(key: &str, value: &'v Value) -> Option<&'v str> {
    match value {
        Value::String(state) => Some(state.as_str()).filter(|_| ["state", "store"].contains(&key)),
        Value::Number(count) if key == "lost" && count.as_u64() > Some(0) => Some("number lost"),
        Value::Number(_) => Some("number"),
        _ => None,
    }
}

fn text(key: &str, value: &Value) -> String {
    match (value, value.as_u64()) {
        (Value::Null, _) => String::new(),
        (Value::String(text), _) => one_line(text).into_owned(),
        (_, Some(seconds)) if key.ends_with(SECONDS) => lasting(seconds),
        (_, Some(number)) => grouped(number),
        (other, None) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::operating::{audit::Losses, state::UpstreamState};

    #[test]
    fn o1_the_page_escapes_what_upstreams_are_called_and_needs_nothing() {
        let upstream = UpstreamState {
            name: "<script>alert(1)</script>".to_owned(),
            state: "failing",
            tools: 3,
            restarts: 2,
            error: Some("<b>".to_owned()),
        };
        let status = Status {
            version: "1",
            uptime_seconds: 1,
            upstreams: vec![upstream],
            store: None,
            clients: [].into(),
            totals: json!({}),
            audit: Some(Losses::default().into()),
        };
        let page = page(&status).into_string();
        assert!(page.contains("&lt;script&gt;") && page.contains("&lt;b&gt;"), "{page}");
        for refused in ["<script", "http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(refused), "{refused}: {page}");
        }
    }
}
