//! What is wrong with a file, while it is read.

use mcp_disclosure_gateway::{Place, Problem};

/// Problems as they are found.
#[derive(Default)]
pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    pub(super) fn report(&mut self, place: &Place, message: impl Into<String>, hint: &str) {
        self.0.push(Problem::new(message).at(place.clone()).hint(hint));
    }
}
