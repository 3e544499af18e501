//! Optimization: minima without and with derivatives, roots in an interval.

use crate::error::{Error, Result};
use crate::matrix::{Factors, Matrix};
use crate::work::spend;

/// Steps of the simplex per variable.
const STEPS_PER_VARIABLE: usize = 600;
/// Newton steps after the simplex.
const POLISH: usize = 30;
/// Values beyond this bound count as an unbounded descent.
const UNBOUNDED_VALUE: f64 = -1e15;
const UNBOUNDED_PLACE: f64 = 1e9;

/// The objective: the function, its gradient and its second derivatives.
pub(crate) struct Problem<'a> {
    pub(crate) value: &'a dyn Fn(&[f64]) -> f64,
    pub(crate) gradient: &'a dyn Fn(&[f64]) -> Vec<f64>,
    pub(crate) curvature: &'a dyn Fn(&[f64]) -> Vec<f64>,
}

/// A local minimum near `start`: a simplex descent, then Newton steps where derivatives exist.
pub(crate) fn minimize(problem: &Problem, start: &[f64]) -> Result<Vec<f64>> {
    let failed = |reason: &str| Error::NoConvergence { tool: "minimize", reason: reason.to_owned() };
    if !(problem.value)(start).is_finite() {
        return Err(failed("the expression has no real finite value at `start`; choose another start"));
    }
    let mut best = start.to_vec();
    // The simplex can collapse before the minimum; a new one continues from there.
    for _ in 0..3 {
        best = simplex(problem, &best);
    }
    let value = (problem.value)(&best);
    if value < UNBOUNDED_VALUE || best.iter().any(|place| place.abs() > UNBOUNDED_PLACE) {
        return Err(failed("the expression is unbounded below near `start`"));
    }
    Ok(polish(problem, best))
}

fn simplex(problem: &Problem, start: &[f64]) -> Vec<f64> {
    let count = start.len();
    let value = |at: &[f64]| {
        spend(count as u64 * 8);
        let value = (problem.value)(at);
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let mut corners: Vec<(f64, Vec<f64>)> = vec![(value(start), start.to_vec())];
    for index in 0..count {
        let mut corner = start.to_vec();
        corner[index] += 0.1 * corner[index].abs().max(1.0);
        corners.push((value(&corner), corner));
    }
    for _ in 0..STEPS_PER_VARIABLE * count {
        corners.sort_by(|one, two| one.0.total_cmp(&two.0));
        let (least, most) = (corners[0].0, corners[count].0);
        let width = (0..count).map(|at| (corners[count].1[at] - corners[0].1[at]).abs()).fold(0.0, f64::max);
        if (most - least <= 1e-15 * least.abs() && width < 1e-6) || width < 1e-12 || least < UNBOUNDED_VALUE {
            break;
        }
        let center: Vec<f64> = (0..count)
            .map(|at| corners[..count].iter().map(|corner| corner.1[at]).sum::<f64>() / count as f64)
            .collect();
        let towards = |factor: f64| -> (f64, Vec<f64>) {
            let place: Vec<f64> =
                (0..count).map(|at| center[at] + factor * (corners[count].1[at] - center[at])).collect();
            (value(&place), place)
        };
        let reflected = towards(-1.0);
        let next = if reflected.0 < least {
            let further = towards(-2.0);
            if further.0 < reflected.0 { further } else { reflected }
        } else if reflected.0 < corners[count - 1].0 {
            reflected
        } else {
            towards(if reflected.0 < most { -0.5 } else { 0.5 })
        };
        if next.0 < most {
            corners[count] = next;
            continue;
        }
        let anchor = corners[0].1.clone();
        for corner in &mut corners[1..] {
            corner.1.iter_mut().zip(&anchor).for_each(|(place, own)| *place = own + 0.5 * (*place - own));
            corner.0 = value(&corner.1);
        }
    }
    corners.sort_by(|one, two| one.0.total_cmp(&two.0));
    corners.swap_remove(0).1
}

/// Newton's method on the gradient, kept while the gradient shrinks and the value does not grow.
fn polish(problem: &Problem, mut best: Vec<f64>) -> Vec<f64> {
    let norm = |gradient: &[f64]| gradient.iter().map(|one| one * one).sum::<f64>().sqrt();
    let count = best.len();
    let mut gradient = (problem.gradient)(&best);
    for _ in 0..POLISH {
        spend(100);
        let curvature = (problem.curvature)(&best).chunks(count).map(<[f64]>::to_vec).collect();
        let step = Factors::of(&Matrix::of_rows(curvature)).solve(&gradient);
        let candidate: Vec<f64> = best.iter().zip(&step).map(|(place, move_by)| place - move_by).collect();
        let next = (problem.gradient)(&candidate);
        let value = (problem.value)(&best);
        let better = norm(&next) < norm(&gradient)
            && (problem.value)(&candidate) <= value + 1e-9 * value.abs().max(1.0);
        if !better {
            break;
        }
        (best, gradient) = (candidate, next);
    }
    best
}

/// A root between two places where `f` has different signs.
///
/// Bisection with regula falsi steps where they are better (the Illinois variant).
pub(crate) fn root(f: &dyn Fn(f64) -> f64, lower: f64, upper: f64) -> Result<f64> {
    let failed = |reason: String| Error::NoConvergence { tool: "find_root", reason };
    let (mut a, mut b) = (lower, upper);
    let (mut left, mut right) = (f(a), f(b));
    if !left.is_finite() || !right.is_finite() {
        return Err(failed("the expression has no real finite value at a bound".to_owned()));
    }
    if left == 0.0 || right == 0.0 {
        return Ok(if left == 0.0 { a } else { b });
    }
    if left.signum() == right.signum() {
        return Err(failed(format!(
            "the expression has the same sign at both bounds ({left:.4} at {a}, {right:.4} at {b}); expected bounds with \
             different signs"
        )));
    }
    let largest = left.abs().max(right.abs());
    for round in 0..400 {
        spend(10);
        let falsi = (a * right - b * left) / (right - left);
        // Every third step halves, so that the interval is sure to shrink.
        let inside = falsi > a.min(b) && falsi < a.max(b);
        let middle = if round % 3 == 2 || !inside { a + (b - a) / 2.0 } else { falsi };
        let value = f(middle);
        if value.is_nan() {
            return Err(failed(format!("the expression has no real value at {middle}")));
        }
        if value == 0.0 || (b - a).abs() <= 1e-15 * middle.abs().max(1e-3) || middle == a || middle == b {
            // At a jump or a pole the sign changes too, but there is no root.
            if value.abs() <= 1e-6 * largest.max(1.0) {
                return Ok(middle);
            }
            return Err(failed(format!(
                "the sign changes at {middle} without a root, as at a pole or a jump"
            )));
        }
        if value.signum() == left.signum() {
            (a, left) = (middle, value);
        } else {
            (b, right) = (middle, value);
        }
    }
    Err(failed("the interval did not shrink to one place".to_owned()))
}
