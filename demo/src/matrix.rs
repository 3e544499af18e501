//! Square matrices: systems of linear equations, and eigenvalues.

use num_complex::Complex64;

use crate::error::{Error, Result};
use crate::json::rounded;

/// Steps of the eigenvalue iteration for each eigenvalue.
const STEPS: usize = 100;

/// A square matrix of real numbers: its rows, each as long as there are rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) Vec<Vec<f64>>);

impl Matrix {
    pub(crate) fn size(&self) -> usize {
        self.0.len()
    }

    /// The largest absolute value.
    fn largest(&self) -> f64 {
        self.0.iter().flatten().fold(0.0, |largest, value| value.abs().max(largest))
    }

    fn is_symmetric(&self) -> bool {
        (0..self.size()).all(|row| (0..row).all(|column| self.0[row][column] == self.0[column][row]))
    }

    /// The solution for a right-hand side, by Gaussian elimination with partial pivoting; `None` if the matrix is singular,
    /// or has values that are not finite. A pivot as small as rounding errors is one of a singular matrix.
    pub(crate) fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        let size = self.size();
        let tiny = self.largest() * 1e-13 * size as f64;
        let mut rows: Vec<Vec<f64>> =
            self.0.iter().zip(right).map(|(row, right)| [row, &[*right][..]].concat()).collect();
        for at in 0..size {
            let size_of = |row: &usize| rows[*row][at].abs();
            let best = (at..size).max_by(|one, two| size_of(one).total_cmp(&size_of(two)))?;
            rows.swap(at, best);
            let (above, below) = rows.split_at_mut(at + 1);
            let pivots = &above[at];
            if !pivots[at].is_finite() || pivots[at].abs() <= tiny {
                return None;
            }
            for row in below {
                let factor = row[at] / pivots[at];
                row.iter_mut().zip(pivots).skip(at).for_each(|(cell, pivot)| *cell -= factor * pivot);
            }
        }
        let mut solution = vec![0.0; size];
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|column| rows[row][column] * solution[column]).sum();
            solution[row] = (rows[row][size] - known) / rows[row][row];
        }
        Some(solution)
    }

    /// All eigenvalues, ascending by real and then imaginary part, and whether the matrix is symmetric.
    pub(crate) fn eigenvalues(&self) -> Result<(Vec<Complex64>, bool)> {
        let failed = || Error::no_convergence("matrix_eigenvalues", "the matrix might be badly scaled");
        let mut values = self.complex_eigenvalues().ok_or_else(failed)?;
        let symmetric = self.is_symmetric();
        let tiny = self.largest() * 1e-12;
        for value in values.iter_mut().filter(|value| symmetric || value.im.abs() <= tiny) {
            value.im = 0.0;
        }
        let key = |value: f64| rounded(value, 10);
        values.sort_by(|one, two| key(one.re).total_cmp(&key(two.re)).then(one.im.total_cmp(&two.im)));
        Ok((values, symmetric))
    }

    /// All eigenvalues in no order, by the QR iteration with Wilkinson's shifts; `None` if it does not converge.
    fn complex_eigenvalues(&self) -> Option<Vec<Complex64>> {
        let (mut cells, mut found) = (hessenberg(self), Vec::new());
        while let Some(last) = cells.len().checked_sub(1) {
            let mut steps = 1..=STEPS;
            // Until the last row is zero but for its diagonal, which then is an eigenvalue.
            while let first = first_of_block(&cells, last)
                && first < last
            {
                let shift = match steps.next()? % 10 {
                    // A matrix that a shift maps to itself needs another one, now and then.
                    0 => cells[last][last] + cells[last][last - 1].norm(),
                    _ => shift(&cells, last),
                };
                step(&mut cells, first, last, Some(shift).filter(|shift| shift.is_finite())?);
            }
            found.push(cells[last][last]);
            cells.truncate(last);
        }
        Some(found)
    }
}

/// A similar matrix that is zero below its first subdiagonal.
fn hessenberg(matrix: &Matrix) -> Vec<Vec<Complex64>> {
    let mut cells: Vec<Vec<Complex64>> =
        matrix.0.iter().map(|row| row.iter().copied().map(Complex64::from).collect()).collect();
    for column in 0..cells.len() {
        for row in (column + 2..cells.len()).rev() {
            let turn = turn_rows(&mut cells, row - 1, column, matrix.size());
            turn_columns(&mut cells, row - 1, turn);
        }
    }
    cells
}

/// Where the block that ends in the last row begins: above it there are only zeros, but for rounding errors.
fn first_of_block(cells: &[Vec<Complex64>], last: usize) -> usize {
    let is_first = |row: &usize| {
        let beside = cells[*row][*row].l1_norm() + cells[*row - 1][*row - 1].l1_norm();
        cells[*row][*row - 1].l1_norm() <= f64::EPSILON * beside
    };
    (1..=last).rev().find(is_first).unwrap_or(0)
}

/// The eigenvalue of the last 2 × 2 cells that is nearest to the last one.
fn shift(cells: &[Vec<Complex64>], last: usize) -> Complex64 {
    let [a, b, c, d] = [(1, 1), (1, 0), (0, 1), (0, 0)].map(|(row, column)| cells[last - row][last - column]);
    let half = (a - d) / 2.0;
    let root = (half * half + b * c).sqrt();
    let far = if (half + root).norm() >= (half - root).norm() { half + root } else { half - root };
    if far == Complex64::ZERO { d } else { d - b * c / far }
}

/// One QR step of the block from `first` to `last`: `RQ + shift`, where `QR` is the block less the shift.
fn step(cells: &mut [Vec<Complex64>], first: usize, last: usize, shift: Complex64) {
    (first..=last).for_each(|at| cells[at][at] -= shift);
    let turns: Vec<_> = (first..last).map(|at| turn_rows(cells, at, at, last + 1)).collect();
    for (at, turn) in (first..).zip(turns) {
        turn_columns(&mut cells[first..=last.min(at + 1)], at, turn);
    }
    (first..=last).for_each(|at| cells[at][at] += shift);
}

/// Rotates this row and the next (Givens), so that the second becomes zero in the first of these columns.
fn turn_rows(cells: &mut [Vec<Complex64>], at: usize, column: usize, end: usize) -> [Complex64; 2] {
    let [one, two] = [cells[at][column], cells[at + 1][column]];
    let length = one.norm().hypot(two.norm());
    let [one, two] =
        if length == 0.0 { [Complex64::ONE, Complex64::ZERO] } else { [one / length, two / length] };
    let (above, below) = cells.split_at_mut(at + 1);
    for (upper, lower) in above[at][column..end].iter_mut().zip(&mut below[0][column..end]) {
        (*upper, *lower) = (one.conj() * *upper + two.conj() * *lower, one * *lower - two * *upper);
    }
    [one, two]
}

/// Rotates this column and the next back.
fn turn_columns(rows: &mut [Vec<Complex64>], at: usize, [one, two]: [Complex64; 2]) {
    for row in rows {
        let [left, right] = [row[at], row[at + 1]];
        [row[at], row[at + 1]] = [left * one + right * two, right * one.conj() - left * two.conj()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that look like noise, the same in each run.
    fn noise(size: usize, mut seed: u64) -> Matrix {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / f64::from(1 << 30) - 1.0
        };
        Matrix((0..size).map(|_| (0..size).map(|_| next()).collect()).collect())
    }

    fn times(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
        matrix.0.iter().map(|row| row.iter().zip(vector).map(|(cell, value)| cell * value).sum()).collect()
    }

    #[test]
    fn a_solution_solves() {
        for size in [1, 2, 5, 40, 200] {
            let matrix = noise(size, size as u64);
            let wanted: Vec<f64> = (0..size).map(|at| at as f64 - 3.0).collect();
            let solution = matrix.solve(&times(&matrix, &wanted)).unwrap();
            for (one, other) in solution.iter().zip(&wanted) {
                assert!((one - other).abs() < 1e-9, "{size}: {one} {other}");
            }
        }
        let singular = Matrix(vec![vec![1.0, 2.0], vec![2.0, 4.0]]);
        assert_eq!(singular.solve(&[1.0, 1.0]), None);
    }
}
