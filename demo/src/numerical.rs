//! Numerical computing: quadrature, linear systems, eigenvalues.

use num_complex::Complex64;

use crate::error::{Error, Result};
use crate::matrix::{Factors, Matrix, eigenvalues_of};
use crate::work::spend;

/// Maximum number of intervals of the quadrature.
const MAX_INTERVALS: usize = 600;

/// Positive nodes of the 15-point Kronrod rule, the Gauss nodes at odd places.
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD_WEIGHTS: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_83,
];
const GAUSS_WEIGHTS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_67, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

/// A definite integral with its error estimate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quadrature {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The integral of `f` from `a` to `b`, to the tolerance (relative where the value is above 1).
pub(crate) fn quadrature(f: &dyn Fn(f64) -> f64, a: f64, b: f64, tolerance: f64) -> Result<Quadrature> {
    let failed =
        |reason: &str| Error::NoConvergence { tool: "numerical integration", reason: reason.to_owned() };
    let mut parts = vec![(a, b, kronrod(f, a, b))];
    loop {
        let value: f64 = parts.iter().map(|part| part.2.value).sum();
        let error: f64 = parts.iter().map(|part| part.2.error).sum();
        if !value.is_finite() {
            return Err(failed("the integrand has no real finite value somewhere between the bounds"));
        }
        if error <= tolerance * value.abs().max(1.0) {
            return Ok(Quadrature { value, error });
        }
        if parts.len() >= MAX_INTERVALS {
            return Err(failed("the integrand varies too fast or has a singularity between the bounds"));
        }
        let worst = (0..parts.len()).max_by(|one, two| parts[*one].2.error.total_cmp(&parts[*two].2.error));
        let (from, to, _) = parts.swap_remove(worst.unwrap_or(0));
        let middle = from + (to - from) / 2.0;
        parts.push((from, middle, kronrod(f, from, middle)));
        parts.push((middle, to, kronrod(f, middle, to)));
    }
}

fn kronrod(f: &dyn Fn(f64) -> f64, a: f64, b: f64) -> Quadrature {
    spend(100);
    let (center, half) = (a + (b - a) / 2.0, (b - a) / 2.0);
    let (mut fine, mut coarse) = (0.0, 0.0);
    for (index, node) in NODES.iter().enumerate() {
        let value = if *node == 0.0 { f(center) } else { f(center - half * node) + f(center + half * node) };
        fine += KRONROD_WEIGHTS[index] * value;
        if index % 2 == 1 {
            coarse += GAUSS_WEIGHTS[index / 2] * value;
        }
    }
    Quadrature { value: fine * half, error: ((fine - coarse) * half).abs() }
}

/// Solves a square system.
pub(crate) fn linear_solve(matrix: &Matrix, right: &[f64]) -> Result<Vec<f64>> {
    let factors = Factors::of(matrix);
    // Pivots this small are rounding errors of a singular matrix.
    if factors.smallest_pivot() <= matrix.largest() * 1e-13 * matrix.size() as f64 {
        return Err(Error::Singular);
    }
    let mut solution = factors.solve(right);
    // One step of iterative refinement corrects the last digits, so that rounding removes differences between machines.
    let rest: Vec<f64> =
        right.iter().zip(matrix.times(&solution)).map(|(wanted, reached)| wanted - reached).collect();
    solution.iter_mut().zip(factors.solve(&rest)).for_each(|(value, correction)| *value += correction);
    Ok(solution)
}

/// All eigenvalues, ascending by real and then imaginary part, and whether the matrix is symmetric.
pub(crate) fn eigenvalues(matrix: &Matrix) -> Result<(Vec<Complex64>, bool)> {
    let mut values = eigenvalues_of(matrix).ok_or_else(|| Error::NoConvergence {
        tool: "matrix_eigenvalues",
        reason: "the iteration did not converge; the matrix might be badly scaled".to_owned(),
    })?;
    let symmetric = matrix.is_symmetric();
    let scale = matrix.largest();
    for value in &mut values {
        if symmetric || value.im.abs() <= scale * 1e-12 {
            value.im = 0.0;
        }
    }
    let key = |value: f64| crate::number::rounded(value, 10);
    values.sort_by(|one, two| key(one.re).total_cmp(&key(two.re)).then(one.im.total_cmp(&two.im)));
    Ok((values, symmetric))
}
