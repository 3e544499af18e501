//! Several observers as one.

use std::sync::Arc;

use mcp_disclosure_core::{Kind, Note};
use mcp_disclosure_transport::Request;

use super::{Called, Observer, Recording, ToolChanges, Trace, Who};
use crate::catalogue::Page;

/// Observers that are called in this order.
#[derive(Clone, Debug, Default)]
pub struct Several(pub Vec<Arc<dyn Observer>>);

impl Observer for Several {
    fn wants_fingerprints(&self) -> bool {
        self.0.iter().any(|observer| observer.wants_fingerprints())
    }

    /// That of the first observer that makes one.
    fn fingerprint(&self, arguments: &str) -> Option<Box<str>> {
        self.0.iter().find_map(|observer| observer.fingerprint(arguments))
    }

    /// That of the first observer that follows it.
    fn begins(&self, who: &Who<'_>, request: &Request) -> Option<Arc<dyn Trace>> {
        self.0.iter().find_map(|observer| observer.begins(who, request))
    }

    fn before(&self, call: &Called<'_>) -> Option<Recording> {
        let mut recordings: Vec<Recording> =
            self.0.iter().filter_map(|observer| observer.before(call)).collect();
        if recordings.len() < 2 {
            return recordings.pop();
        }
        let all = futures::future::try_join_all(recordings);
        Some(Box::pin(async move { all.await.map(drop) }))
    }

    fn called(&self, call: &Called<'_>) {
        self.0.iter().for_each(|observer| observer.called(call));
    }

    fn fetch_refused(&self, who: &Who<'_>, code: &'static str) {
        self.0.iter().for_each(|observer| observer.fetch_refused(who, code));
    }

    fn noted(&self, who: &Who<'_>, note: Note) {
        self.0.iter().for_each(|observer| observer.noted(who, note));
    }

    fn listed(&self, who: &Who<'_>, kind: Kind, page: &Arc<Page>) {
        self.0.iter().for_each(|observer| observer.listed(who, kind, page));
    }

    fn filtered(&self, who: &Who<'_>, page: &Arc<Page>, names: &[String]) {
        self.0.iter().for_each(|observer| observer.filtered(who, page, names));
    }

    fn turned_away(&self, status: u16) {
        self.0.iter().for_each(|observer| observer.turned_away(status));
    }

    fn connected(&self, open: usize, most: usize) {
        self.0.iter().for_each(|observer| observer.connected(open, most));
    }

    fn kept_old(&self) {
        self.0.iter().for_each(|observer| observer.kept_old());
    }

    fn tools_changed(&self, changes: &ToolChanges<'_>) {
        self.0.iter().for_each(|observer| observer.tools_changed(changes));
    }

    fn opened(&self, who: &Who<'_>) {
        self.0.iter().for_each(|observer| observer.opened(who));
    }
}
