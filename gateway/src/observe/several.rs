//! Several observers as one.

use std::sync::Arc;

use futures::TryFutureExt;
use mcp_disclosure_core::Note;
use mcp_disclosure_transport::Request;

use super::{Called, Observer, Recording, ToolChanges, Trace, Who};
use crate::catalogue::Page;

/// Observers that are called in this order. Without any, nothing is observed.
#[derive(Clone, Debug, Default)]
pub struct Several(pub Vec<Arc<dyn Observer>>);

/// Events that each of them gets.
macro_rules! pass_on {
    ($($event:ident($($value:ident: $kind:ty),*);)*) => {
        $(fn $event(&self, $($value: $kind),*) {
            self.0.iter().for_each(|observer| observer.$event($($value),*));
        })*
    };
}

impl Observer for Several {
    /// That of the first observer that makes one.
    fn fingerprint(&self, arguments: &str) -> Option<Box<str>> {
        self.0.iter().find_map(|observer| observer.fingerprint(arguments))
    }

    /// That of the first observer that follows it.
    fn begins(&self, who: &Who<'_>, request: &Request) -> Option<Arc<dyn Trace>> {
        self.0.iter().find_map(|observer| observer.begins(who, request))
    }

    fn before(&self, call: &Called<'_>) -> Option<Recording> {
        let recordings: Vec<Recording> = self.0.iter().filter_map(|observer| observer.before(call)).collect();
        let all = (!recordings.is_empty()).then(|| futures::future::try_join_all(recordings))?;
        Some(Box::pin(all.map_ok(drop)))
    }

    pass_on! {
        called(call: &Called<'_>);
        fetch_refused(who: &Who<'_>, code: &'static str);
        noted(who: &Who<'_>, note: Note);
        listed(who: &Who<'_>, page: &Arc<Page>, names: Option<&[String]>);
        turned_away(status: u16);
        connected(open: usize, most: usize);
        kept_old();
        tools_changed(changes: &ToolChanges<'_>);
        opened(who: &Who<'_>);
    }
}
