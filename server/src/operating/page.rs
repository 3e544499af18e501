//! The status as a page: no script, nothing from elsewhere, and readable on a phone.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use mcp_disclosure_core::printable::{grouped, one_line};

use super::state::Status;

/// The page is loaded again after this time, in seconds.
const REFRESH: u32 = 5;

/// No word is split but a name or an error that is longer than its column; a table that is wider than a phone scrolls.
const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --soft: #555; --good: #126b2e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --soft: #b4b4b4; --good: #7bd88f; --bad: #ff9d94; } }
html { background: #fff; color: #1b1b1b; }
@media (prefers-color-scheme: dark) { html { background: #161616; color: #eee; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
p { margin: .25rem 0; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0; }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; }
dt { color: var(--soft); }
dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
section { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th[scope=row] { font-weight: 500; min-width: 9rem; overflow-wrap: anywhere; }
@media (max-width: 30rem) { th, td { padding: .35rem .25rem; font-size: .9rem; } th[scope=row] { min-width: 7rem; } }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.ready { color: var(--good); }
.failing, .silent, .stopped, .lost { color: var(--bad); }
small { display: block; color: var(--soft); }
";

/// The page of a status.
pub(super) fn page(status: &Status) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="refresh" content=(REFRESH);
                // Browsers ask for an icon otherwise.
                link rel="icon" href="data:,";
                title { (title(status)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "mcp-disclosure" }
                    p { "Version " (status.version) ", up for " (duration(status.uptime_seconds)) "." }
                    (figures(status))
                    (upstreams(status))
                    (clients(status))
                }
            }
        }
    }
}

fn title(status: &Status) -> String {
    let ready = status.upstreams.iter().filter(|upstream| upstream.is_ready()).count();
    format!("mcp-disclosure: {ready} of {} upstreams ready", status.upstreams.len())
}

fn figures(status: &Status) -> Markup {
    let totals = &status.totals;
    let figures = html! {
        dl {
            (figure("calls", totals.calls))
            (figure("refusals", totals.refusals))
            (figure("descriptions fetched", totals.fetches))
            (figure("tokens listed", totals.tokens_listed))
            (figure("tokens of complete lists", totals.tokens_full))
            (figure("searches that missed", totals.searches_missed))
            (figure("failed reloads", totals.reload_failures))
            @if totals.http_connections_limit > 0 {
                div {
                    dt { "connections" }
                    dd { (totals.http_connections) " of " (totals.http_connections_limit) }
                }
            }
            @if let Some(store) = status.store {
                div { dt { "session store" } dd class=[(store == "down").then_some("lost")] { (store) } }
            }
            @if let Some(audit) = &status.audit {
                (figure("audit records", audit.written()))
                div {
                    dt { "audit records lost" }
                    dd class=[(audit.lost() > 0).then_some("lost")] { (grouped(audit.lost())) }
                }
            }
        }
    };
    section("since", "Since the start", &figures)
}

fn figure(name: &str, value: u64) -> Markup {
    html! { div { dt { (name) } dd { (grouped(value)) } } }
}

fn upstreams(status: &Status) -> Markup {
    let rows = html! {
        @for upstream in &status.upstreams {
            @let (calls, bad) = status.totals.calls_of(&one_line(&upstream.name));
            tr {
                th scope="row" {
                    (one_line(&upstream.name))
                    @if let Some(error) = &upstream.error { small { (one_line(error)) } }
                }
                td class=(upstream.state) { (upstream.state) }
                @for count in [upstream.tools as u64, upstream.restarts, calls, bad] {
                    td class="number" { (grouped(count)) }
                }
            }
        }
    };
    let columns = (&["name", "state"][..], &["tools", "restarts", "calls", "errors"][..]);
    section("upstreams", "Upstreams", &table(columns, &rows))
}

fn clients(status: &Status) -> Markup {
    let served: Vec<_> = status.clients.iter().filter(|(_, count)| **count > 0).collect();
    if served.is_empty() {
        return section("clients", "Clients", &html! { p { "No session is open." } });
    }
    let rows = html! {
        @for (strategy, count) in served {
            tr { th scope="row" { (strategy) } td class="number" { (count) } }
        }
    };
    section("clients", "Clients", &table((&["strategy"], &["sessions"]), &rows))
}

fn section(id: &str, heading: &str, content: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (heading) }
            (content)
        }
    }
}

fn table((texts, numbers): (&[&str], &[&str]), rows: &Markup) -> Markup {
    html! {
        table {
            thead {
                tr {
                    @for name in texts { th scope="col" { (name) } }
                    @for name in numbers { th scope="col" class="number" { (name) } }
                }
            }
            tbody { (rows) }
        }
    }
}

fn duration(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operating::{
        audit::Losses,
        state::{Totals, UpstreamState},
    };

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
            uptime_seconds: 90_061,
            upstreams: vec![upstream],
            store: Some("down"),
            clients: [("full".to_owned(), 1)].into(),
            totals: Totals { calls: 1_234_567, ..Totals::default() },
            audit: Some(Losses::default().into()),
        };
        let page = page(&status).into_string();
        for expected in ["&lt;script&gt;", "1 d 1 h", "1,234,567", "0 of 1 upstreams ready", "&lt;b&gt;"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        for refused in ["<script", "http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(refused), "{refused}: {page}");
        }
    }
}
