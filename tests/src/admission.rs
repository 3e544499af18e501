//! An [`Admission`] that identifies callers by a header.

use std::collections::BTreeMap;

use async_trait::async_trait;
use mcp_disclosure_core::{Grant, Permits, Principal};
use mcp_disclosure_gateway::dispatch::{Admission, Admittance, Arriving, Denied};

/// Names the caller.
pub const HEADER: &str = "x-test-principal";

/// Has some principals and what each may use. Everyone else may use everything, as may the client on stdio unless it is
/// [named](Self::on_stdio).
#[derive(Clone, Debug, Default)]
pub struct HeaderAdmission {
    known: BTreeMap<String, Principal>,
    on_stdio: Option<String>,
}

impl HeaderAdmission {
    /// The same with this principal, who may use these tools.
    pub fn knowing(self, name: &str, tools: &[&str]) -> Self {
        let tools = tools.iter().map(|tool| format!("*/{tool}")).collect();
        self.granting(name, Grant { tools: Some(tools), ..Grant::default() })
    }

    /// The same with this principal, who may use what is granted.
    pub fn granting(mut self, name: &str, grant: Grant) -> Self {
        self.known.insert(name.to_owned(), Principal::new(name, Permits::of([grant])));
        self
    }

    /// The client on stdio is this principal.
    pub fn on_stdio(mut self, name: &str) -> Self {
        self.on_stdio = Some(name.to_owned());
        self
    }

    fn called(&self, name: Option<&str>) -> Principal {
        name.and_then(|name| self.known.get(name)).cloned().unwrap_or_default()
    }
}

#[async_trait]
impl Admission for HeaderAdmission {
    async fn admit(&self, request: &Arriving<'_>) -> Result<Admittance, Denied> {
        if let Some(name) = request.profile {
            return Err(Denied::unknown_profile(name));
        }
        Ok(self.called(request.headers.get(HEADER).and_then(|name| name.to_str().ok())).into())
    }

    fn on_stdio(&self) -> Principal {
        self.called(self.on_stdio.as_deref())
    }
}
