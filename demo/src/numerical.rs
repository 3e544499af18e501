//! Functions of real places: their integrals, minima and roots.

use crate::error::{Error, Result, spend};

/// Maximum number of intervals of the quadrature.
const MAX_INTERVALS: usize = 600;

/// Sweeps of the search for a minimum.
const SWEEPS: usize = 2000;
/// Values beyond these bounds count as an unbounded descent.
const UNBOUNDED_VALUE: f64 = -1e15;
const UNBOUNDED_PLACE: f64 = 1e9;

/// The nodes from the middle on, and the weights, of Gauss' rule with seven points.
const GAUSS: [(f64, f64); 4] = [
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_4, 0.279_705_391_489_276_67),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];

/// A definite integral with its error estimate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quadrature {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The integral of `f` from `a` to `b`, to the tolerance (relative where the value is above 1).
pub(crate) fn quadrature(f: &dyn Fn(f64) -> f64, a: f64, b: f64, tolerance: f64) -> Result<Quadrature> {
    let failed = |reason: &str| Error::no_convergence("numerical integration", reason);
    let mut parts = vec![(a, b, part(f, a, b))];
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
        parts.push((from, middle, part(f, from, middle)));
        parts.push((middle, to, part(f, middle, to)));
    }
}

/// The integral by the halves of an interval; the error is what differs from that by the whole of it.
fn part(f: &dyn Fn(f64) -> f64, a: f64, b: f64) -> Quadrature {
    spend(100);
    let middle = a + (b - a) / 2.0;
    let value = gauss(f, a, middle) + gauss(f, middle, b);
    Quadrature { value, error: (value - gauss(f, a, b)).abs() }
}

fn gauss(f: &dyn Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let (center, half) = (a + (b - a) / 2.0, (b - a) / 2.0);
    let pair =
        |node: f64| if node == 0.0 { f(center) } else { f(center - half * node) + f(center + half * node) };
    GAUSS.iter().map(|(node, weight)| weight * pair(*node)).sum::<f64>() * half
}

/// A local minimum near `start`.
pub(crate) fn minimum(f: &dyn Fn(&[f64]) -> f64, start: &[f64]) -> Result<Vec<f64>> {
    let failed = |reason: &str| Error::no_convergence("minimize", reason);
    if !f(start).is_finite() {
        return Err(failed("the expression has no real finite value at `start`; choose another start"));
    }
    let best = descent(f, start);
    if f(&best) < UNBOUNDED_VALUE || best.iter().any(|place| place.abs() > UNBOUNDED_PLACE) {
        return Err(failed("the expression is unbounded below near `start`"));
    }
    Ok(best)
}

/// Hooke and Jeeves' search: steps along each variable, and once more in the direction in which these led; longer ones
/// after a descent, shorter ones where there is none.
fn descent(f: &dyn Fn(&[f64]) -> f64, start: &[f64]) -> Vec<f64> {
    let value = |place: &[f64]| {
        spend(start.len() as u64 * 8);
        let value = f(place);
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let (mut best, mut least, mut step) = (start.to_vec(), value(start), 0.1);
    for _ in 0..SWEEPS {
        let before = best.clone();
        let mut attempt = |place: Vec<f64>, best: &mut Vec<f64>| {
            let reached = value(&place);
            if reached < least {
                (*best, least) = (place, reached);
            }
        };
        for axis in 0..best.len() {
            for length in [step, -step] {
                let mut place = best.clone();
                place[axis] += length * place[axis].abs().max(1.0);
                attempt(place, &mut best);
            }
        }
        let further = best.iter().zip(&before).map(|(now, then)| 2.0 * now - then).collect();
        attempt(further, &mut best);
        step *= if best == before { 0.5 } else { 2.0 };
        if step < 1e-9 || least < UNBOUNDED_VALUE {
            break;
        }
    }
    best
}

/// A root between two places where `f` has different signs, by bisection.
pub(crate) fn root(f: &dyn Fn(f64) -> f64, lower: f64, upper: f64) -> Result<f64> {
    let failed = |reason: String| Error::no_convergence("find_root", reason);
    let (mut a, mut b) = (lower, upper);
    let (left, right) = (f(a), f(b));
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
    loop {
        spend(10);
        let middle = a + (b - a) / 2.0;
        let value = f(middle);
        if value.is_nan() {
            return Err(failed(format!("the expression has no real value at {middle}")));
        }
        if value == 0.0 || middle == a || middle == b {
            // At a jump or a pole the sign changes too, but there is no root.
            let is_root = value.abs() <= 1e-6 * left.abs().max(right.abs()).max(1.0);
            let jump =
                || failed(format!("the sign changes at {middle} without a root, as at a pole or a jump"));
            return is_root.then_some(middle).ok_or_else(jump);
        }
        (a, b) = if value.signum() == left.signum() { (middle, b) } else { (a, middle) };
    }
}
