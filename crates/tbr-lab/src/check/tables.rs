//! The checks as tables, the paper's figures in brackets.

use super::{CalibratedCheck, Comparison, DetjRow, FoliationRow, VjpRow};
use tbr_io::table::{Table, cells};

/// A small figure of ours, and the paper's in brackets.
fn power(figure: Comparison) -> String {
    format!("{:.1e} ({:.1e})", figure.measured, figure.paper)
}

/// The same in per cent.
fn percent(figure: Comparison) -> String {
    format!("{:.1} % ({:.1} %)", figure.measured, figure.paper)
}

/// `tab:detj` as a table.
pub fn detj(rows: &[DetjRow]) -> Table {
    let mut table = vec![cells([&"property", &"from", &"float32", &"float64"])];
    for row in rows {
        let from = format!("{} r", row.from_half_widths);
        table.push(cells([&row.property, &from, &power(row.single), &power(row.double)]));
    }
    Table::new(
        "Numerical verification (tab:detj), largest over 200000 points outside a capsule of\n\
         l = 0.10, r = 0.03, from the given distance on; the paper's figures in brackets",
        table,
    )
}

/// The adjoints' errors as a table.
pub fn vjp(rows: &[VjpRow]) -> Table {
    let mut table = vec![cells([&"adjoint", &"dual numbers", &"central differences"])];
    for row in rows {
        let name = format!("{} {}", row.operator, row.map);
        table.push(cells([&name, &power(row.dual), &power(row.difference)]));
    }
    Table::new(
        "Adjoints in float64: largest relative error in point and stroke; the paper's in brackets",
        table,
    )
}

/// `tab:foliation` as a table.
pub fn foliation(rows: &[FoliationRow]) -> Table {
    let mut table =
        vec![cells([&"l/r", &"capsule, line source", &"drops, line source", &"capsule, drops"])];
    for row in rows {
        table.push(cells([
            &row.aspect,
            &percent(row.capsule_line),
            &percent(row.drops_line),
            &percent(row.capsule_drops),
        ]));
    }
    Table::new(
        "Displacement discrepancy D (tab:foliation), on the curve at 2 r; the paper's in brackets",
        table,
    )
}

/// The calibrated operator's errors as a table.
pub fn calibrated(check: &CalibratedCheck) -> Table {
    let mut table = vec![cells([
        &"l/r",
        &"D capsule",
        &"D calibrated",
        &"bound",
        &"edge capsule",
        &"edge calibrated",
        &"far capsule",
        &"far calibrated",
        &"rms fitted",
        &"held out",
    ])];
    for row in &check.rows {
        table.push(cells([
            &row.aspect,
            &format!("{:.1} %", row.capsule_percent),
            &format!("{:.1} %", row.calibrated_percent),
            &format!("{:.1} %", row.bound_percent),
            &format!("{:.3} r", row.edge_capsule),
            &format!("{:.3} r", row.edge_calibrated),
            &format!("{:.1} %", row.far_capsule_percent),
            &format!("{:.1} %", row.far_calibrated_percent),
            &format!("{:.4} r", row.fitted.rms),
            &format!("{:.4} r", row.held_out.rms),
        ]));
    }
    let p = &check.paper;
    let caption = format!(
        "The calibrated operator against the line source: D at 2 r with the least that a map\n\
         which keeps v can reach, error of the deposit's edge, D at 8 r (what short strokes lose\n\
         far away), error of the fit on its points and on held-out ones. The paper, at l/r = {}:\n\
         D {} % and {} %, bound {} %, edge {} r and {} r",
        p.aspect,
        p.capsule_percent,
        p.calibrated_percent,
        p.bound_percent,
        p.edge_capsule,
        p.edge_calibrated,
    );
    Table::new(caption, table)
}
