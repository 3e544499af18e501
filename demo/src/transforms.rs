//! Transforms: the discrete Fourier transform and convolution.

use std::f64::consts::PI;

use num_complex::Complex64;

use crate::error::spend;

/// Products of lengths up to here are convolved directly, which keeps integers exact.
const DIRECT: usize = 1 << 20;

/// Prime factors above this are dear enough to count as work.
const DEAR: usize = 64;

/// The discrete Fourier transform; the inverse divides by the length.
pub(crate) fn fft(values: &[Complex64], inverse: bool) -> Vec<Complex64> {
    let length = values.len() as f64;
    let (sign, divisor) = if inverse { (1.0, length) } else { (-1.0, 1.0) };
    let roots: Vec<Complex64> =
        (0..values.len()).map(|power| Complex64::cis(sign * 2.0 * PI * power as f64 / length)).collect();
    transformed(values, &roots, 0, 1).into_iter().map(|value| value / divisor).collect()
}

/// Cooley and Tukey's transform of every `step`-th value from the first one on, split by the smallest prime factor of their
/// number. A large prime is transformed by the definition, as far as the limit of work allows.
fn transformed(values: &[Complex64], roots: &[Complex64], first: usize, step: usize) -> Vec<Complex64> {
    let length = values.len() / step;
    if length == 1 {
        return vec![values[first]];
    }
    let divides = |factor: &usize| length.is_multiple_of(*factor);
    let factor = (2..).take_while(|factor| factor * factor <= length).find(divides).unwrap_or(length);
    if factor > DEAR {
        spend((length * factor / DEAR) as u64);
    }
    let part = |number: usize| transformed(values, roots, first + number * step, step * factor);
    let parts: Vec<Vec<Complex64>> = (0..factor).map(part).collect();
    let short = length / factor;
    let at = |place: usize| {
        let turned = |(number, part): (usize, &Vec<Complex64>)| {
            part[place % short] * roots[number * place % length * step]
        };
        parts.iter().enumerate().map(turned).sum()
    };
    (0..length).map(at).collect()
}

/// The full convolution, of length `a.len() + b.len() - 1`.
pub(crate) fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let length = a.len() + b.len() - 1;
    if a.len() * b.len() <= DIRECT {
        let mut result = vec![0.0; length];
        for (i, one) in a.iter().enumerate() {
            for (j, two) in b.iter().enumerate() {
                result[i + j] += one * two;
            }
        }
        return result;
    }
    let padded = |values: &[f64]| {
        let mut padded: Vec<Complex64> = values.iter().map(|value| Complex64::from(*value)).collect();
        padded.resize(length.next_power_of_two(), Complex64::ZERO);
        fft(&padded, false)
    };
    let product: Vec<Complex64> = padded(a).into_iter().zip(padded(b)).map(|(one, two)| one * two).collect();
    fft(&product, true).into_iter().take(length).map(|value| value.re).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_transformed_as_it_is_defined() {
        for length in [1, 3, 31, 32, 33, 64, 97, 100] {
            let values: Vec<Complex64> =
                (0..length).map(|n| Complex64::new((n * n % 7) as f64, (n % 5) as f64)).collect();
            let root = |power: usize| Complex64::cis(-2.0 * PI * (power % length) as f64 / length as f64);
            let defined: Vec<Complex64> = (0..length)
                .map(|k| values.iter().enumerate().map(|(n, value)| value * root(n * k)).sum())
                .collect();
            let transformed = fft(&values, false);
            let back = fft(&transformed, true);
            for (one, other) in transformed.iter().zip(&defined).chain(back.iter().zip(&values)) {
                assert!((one - other).norm() < 1e-9, "{length}: {one} {other}");
            }
        }
    }
}
