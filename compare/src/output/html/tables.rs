//! Tables on the page.

use maud::{Markup, html};

use crate::output::sheet::{Cell, Column, Sheet};

pub(super) fn table(sheet: &Sheet, sorts: bool) -> Markup {
    html! {
        div.scrolls tabindex="0" role="region" aria-label=(sheet.title) {
            table.sorts[sorts] {
                thead {
                    tr { @for column in &sheet.columns { th scope="col" class=[class(column)] { (title(column, sorts)) } } }
                }
                tbody {
                    @for row in &sheet.rows {
                        tr { @for (cell, column) in row.iter().zip(&sheet.columns) { (shown(cell, column)) } }
                    }
                }
            }
        }
    }
}

fn title(column: &Column, sorts: bool) -> Markup {
    let words = html! {
        (column.title)
        @if let Some(basis) = column.basis { abbr title=(basis) { (basis.mark()) } }
    };
    html! { @if sorts { button type="button" { (words) } } @else { (words) } }
}

fn shown(cell: &Cell, column: &Column) -> Markup {
    html! {
        td class=[class(column)] data-number=[cell.number] {
            @match cell.bar {
                Some(share) => {
                    span.with-bar {
                        svg.bar aria-hidden="true" { rect width=(format!("{:.1}%", share * 100.0)) height="100%" {} }
                        (cell.text)
                    }
                }
                None => (cell.text),
            }
        }
    }
}

fn class(column: &Column) -> Option<&'static str> {
    column.basis.map(|_| "figure")
}
