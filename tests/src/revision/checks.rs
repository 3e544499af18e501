//! What a revision demands of each request over HTTP.

use axum::http::{Method, header};

use super::Revision;
use crate::http_server::Received;

/// The header with the negotiated revision.
pub(super) const VERSION: &str = "mcp-protocol-version";
/// The header with the session's id.
pub(super) const SESSION: &str = "mcp-session-id";

impl Received {
    /// Whether it asks which era the server speaks, and is in the other one.
    pub(super) fn is_probe(&self, revision: Revision) -> bool {
        let probe = if revision.has_sessions() { "server/discover" } else { "initialize" };
        self.rpc_method() == probe
    }

    /// What it lacks in this revision. `session` is the id that the server gave out, if it keeps sessions.
    pub(super) fn faults(&self, revision: Revision, session: Option<&str>) -> Vec<String> {
        let mut faults = self.faults_of_http();
        match revision.has_sessions() {
            true => self.check_session(revision, session, &mut faults),
            false => self.check_stateless(revision, &mut faults),
        }
        let what = format!("{} {}", self.method, self.rpc_method());
        faults.into_iter().map(|fault| format!("{}: {fault}", what.trim())).collect()
    }

    fn faults_of_http(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let accept = self.header(header::ACCEPT.as_str()).unwrap_or_default();
        let wanted: &[&str] = match self.method {
            Method::POST => &["application/json", "text/event-stream"],
            Method::GET => &["text/event-stream"],
            _ => &[],
        };
        let missing = wanted.iter().filter(|kind| !accept.contains(**kind));
        faults.extend(missing.map(|kind| format!("accept is {accept:?}, without {kind}")));
        if self.method == Method::POST {
            let kind = self.header(header::CONTENT_TYPE.as_str());
            expect("content-type", kind, Some("application/json"), &mut faults);
            expect("jsonrpc", self.message["jsonrpc"].as_str(), Some("2.0"), &mut faults);
        }
        faults
    }

    /// What was negotiated is known from the answer to `initialize` on, so that every later request has it. Servers of
    /// 2025-03-26 know no such header and ignore it.
    fn check_session(&self, revision: Revision, session: Option<&str>, faults: &mut Vec<String>) {
        let (version, session) = match self.rpc_method() {
            "initialize" => (None, None),
            _ => (Some(revision.name()), session),
        };
        expect(VERSION, self.header(VERSION), version, faults);
        expect(SESSION, self.header(SESSION), session, faults);
        if self.rpc_method() == "initialize" {
            let params = &self.message["params"];
            let is_complete = params["protocolVersion"].is_string()
                && params["capabilities"].is_object()
                && params["clientInfo"]["name"].is_string();
            if !is_complete {
                faults.push(format!("params are {params}"));
            }
            // Servers that speak both eras take it for a request of the stateless one.
            if !params["_meta"].is_null() {
                faults.push(format!("_meta is {}", params["_meta"]));
            }
        }
    }

    fn check_stateless(&self, revision: Revision, faults: &mut Vec<String>) {
        if self.method != Method::POST {
            faults.push("there is nothing but POST".to_owned());
        }
        expect(VERSION, self.header(VERSION), Some(revision.name()), faults);
        expect("mcp-method", self.header("mcp-method"), Some(self.rpc_method()), faults);
        expect(SESSION, self.header(SESSION), None, faults);
        let params = &self.message["params"];
        let named = match self.rpc_method() {
            "tools/call" | "prompts/get" => params["name"].as_str(),
            "resources/read" => params["uri"].as_str(),
            _ => None,
        };
        expect("mcp-name", self.header("mcp-name"), named, faults);
        let meta = |key: &str| &params["_meta"][format!("io.modelcontextprotocol/{key}")];
        expect("protocolVersion in _meta", meta("protocolVersion").as_str(), Some(revision.name()), faults);
        for key in ["clientCapabilities", "clientInfo"] {
            if !meta(key).is_object() {
                faults.push(format!("{key} in _meta is {}", meta(key)));
            }
        }
    }
}

fn expect(what: &str, is: Option<&str>, expected: Option<&str>, faults: &mut Vec<String>) {
    if is != expected {
        faults.push(format!("{what} is {is:?}, not {expected:?}"));
    }
}
