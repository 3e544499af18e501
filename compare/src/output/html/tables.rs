//! Tables on the page.

use maud::{Markup, html};

use crate::output::sheet::{Cell, Column, Sheet};

/// A table that can be scrolled sideways, and sorted if it `sorts`.
pub(super) fn table(sheet: &Sheet, sorts: bool) -> Markup {
    html! {
        div.scrolls tabindex="0" role="region" aria-label=(sheet.title) {
            table.sorts[sorts] {
                thead {
                    tr { @for column in &sheet.columns { th scope="col" class=[class(column)] { (title(column, sorts)) } } }
                }
                tbody {
                    @for row in &sheet.rows {
                        tr { @for (at, (cell, column)) in row.iter().zip(&sheet.columns).enumerate() { (shown(at, cell, column)) } }
                    }
                }
            }
        }
    }
}

/// A table whose rows become blocks where there is no room for a line. `bars` is the title of a column behind the name,
/// and what stands there. Roles are given, since blocks are not read as a table.
pub(super) fn blocks(sheet: &Sheet, bars: Option<(&str, &[Markup])>) -> Markup {
    let bar = |row: usize| bars.and_then(|(_, bars)| bars.get(row));
    html! {
        table.blocks role="table" aria-label=(sheet.title) {
            thead role="rowgroup" {
                tr role="row" {
                    @for (at, column) in sheet.columns.iter().enumerate() {
                        th role="columnheader" scope="col" class=[class(column)] { (title(column, false)) }
                        @if let (0, Some((bars, _))) = (at, bars) { th.wide role="columnheader" scope="col" { (bars) } }
                    }
                }
            }
            tbody role="rowgroup" {
                @for (number, row) in sheet.rows.iter().enumerate() {
                    tr role="row" {
                        @for (at, (cell, column)) in row.iter().zip(&sheet.columns).enumerate() {
                            @if at == 0 {
                                th role="rowheader" scope="row" { (cell.text) }
                                @if let Some(bar) = bar(number) { td.wide role="cell" { (bar) } }
                            } @else {
                                td role="cell" class=[class(column)] data-label=(column.title) { (cell.text) }
                            }
                        }
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

fn shown(at: usize, cell: &Cell, column: &Column) -> Markup {
    html! {
        @if at == 0 {
            th scope="row" data-number=[cell.number] { (cell.text) }
        } @else {
            td class=[class(column)] data-number=[cell.number] { (cell.text) }
        }
    }
}

fn class(column: &Column) -> Option<&'static str> {
    column.basis.map(|_| "figure")
}
