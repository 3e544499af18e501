//! Tables on the page.

use maud::{Markup, html};

use crate::output::sheet::{Column, Sheet};

/// A table that is scrolled sideways where it is wider than the page.
pub(super) fn table(sheet: &Sheet) -> Markup {
    html! {
        div.scrolls tabindex="0" role="region" aria-label=(sheet.title) {
            table {
                thead { tr { @for column in &sheet.columns { th scope="col" class=[class(column)] { (column.title) } } } }
                tbody {
                    @for row in &sheet.rows {
                        tr {
                            @for (at, (cell, column)) in row.iter().zip(&sheet.columns).enumerate() {
                                @if at == 0 { th scope="row" { (cell) } } @else { td class=[class(column)] { (cell) } }
                            }
                        }
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
        div.scrolls tabindex="0" role="region" aria-label=(sheet.title) { table.blocks role="table" {
            thead role="rowgroup" {
                tr role="row" {
                    @for (at, column) in sheet.columns.iter().enumerate() {
                        th role="columnheader" scope="col" class=[class(column)] { (column.title) }
                        @if let (0, Some((bars, _))) = (at, bars) { th.wide role="columnheader" scope="col" { (bars) } }
                    }
                }
            }
            tbody role="rowgroup" {
                @for (number, row) in sheet.rows.iter().enumerate() {
                    tr.recommended[sheet.recommended == Some(number)] role="row" {
                        @for (at, (cell, column)) in row.iter().zip(&sheet.columns).enumerate() {
                            @if at == 0 {
                                th role="rowheader" scope="row" { (cell) }
                                @if let Some(bar) = bar(number) { td.wide role="cell" { (bar) } }
                            } @else {
                                td role="cell" class=[class(column)] data-label=(column.title) { (cell) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

fn class(column: &Column) -> Option<&'static str> {
    column.is_figure.then_some("figure")
}
