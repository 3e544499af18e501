//! One HTML page without external resources, for wide and narrow screens, paper, light and dark.

mod bars;
mod page;
mod tables;

use crate::Report;

pub(super) fn write(report: &Report, transcripts: Option<&str>) -> String {
    page::page(report, transcripts).into_string()
}
