//! One page of HTML: it loads nothing, and reads well wide and narrow, in light and dark.

mod bars;
mod lines;
mod page;
mod scale;
mod tables;

use crate::Report;

pub(super) fn write(report: &Report) -> String {
    page::page(report).into_string()
}
