//! Transforms: the discrete Fourier transform and convolution.

use std::f64::consts::PI;

use num_complex::Complex64;

/// Products of lengths up to here are convolved directly, which keeps integers exact.
const DIRECT: usize = 1 << 20;

/// Values up to this number are transformed by the definition.
const SHORT: usize = 32;

/// The discrete Fourier transform; the inverse divides by the length.
pub(crate) fn fft(values: Vec<Complex64>, inverse: bool) -> Vec<Complex64> {
    if !inverse {
        return forward(values);
    }
    let length = values.len() as f64;
    let conjugates = values.iter().map(Complex64::conj).collect();
    forward(conjugates).iter().map(|value| value.conj() / length).collect()
}

fn forward(values: Vec<Complex64>) -> Vec<Complex64> {
    match values.len() {
        0..=SHORT => defined(&values),
        length if length.is_power_of_two() => halved(values),
        _ => chirped(&values),
    }
}

/// The `count` first powers of the root of 1 with this order that is nearest to 1, clockwise.
fn roots(order: usize, count: usize) -> Vec<Complex64> {
    (0..count).map(|power| Complex64::cis(-2.0 * PI * power as f64 / order as f64)).collect()
}

/// By the definition.
fn defined(values: &[Complex64]) -> Vec<Complex64> {
    let length = values.len();
    let roots = roots(length, length);
    let at =
        |place: usize| values.iter().enumerate().map(|(n, value)| value * roots[n * place % length]).sum();
    (0..length).map(at).collect()
}

/// For lengths that are powers of two: Cooley and Tukey's transform in place.
fn halved(mut values: Vec<Complex64>) -> Vec<Complex64> {
    let length = values.len();
    let roots = roots(length, length / 2);
    for place in 0..length {
        let reversed = place.reverse_bits() >> (usize::BITS - length.trailing_zeros());
        if place < reversed {
            values.swap(place, reversed);
        }
    }
    let mut half = 1;
    while half < length {
        for part in values.chunks_exact_mut(2 * half) {
            let (even, odd) = part.split_at_mut(half);
            for ((one, two), root) in even.iter_mut().zip(odd).zip(roots.iter().step_by(length / (2 * half)))
            {
                let turned = *two * root;
                (*one, *two) = (*one + turned, *one - turned);
            }
        }
        half *= 2;
    }
    values
}

/// For any length: Bluestein's convolution with a chirp.
fn chirped(values: &[Complex64]) -> Vec<Complex64> {
    let length = values.len();
    let roots = roots(2 * length, 2 * length);
    let chirp = |n: usize| roots[n * n % (2 * length)];
    let padded = (2 * length - 1).next_power_of_two();
    let mut turned = vec![Complex64::ZERO; padded];
    let mut filter = vec![Complex64::ZERO; padded];
    for (n, value) in values.iter().enumerate() {
        turned[n] = value * chirp(n);
        filter[n] = chirp(n).conj();
        filter[(padded - n) % padded] = filter[n];
    }
    let product = halved(turned).into_iter().zip(halved(filter)).map(|(one, two)| one * two).collect();
    fft(product, true).into_iter().take(length).enumerate().map(|(n, value)| value * chirp(n)).collect()
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
        fft(padded, false)
    };
    let product = padded(a).into_iter().zip(padded(b)).map(|(one, two)| one * two).collect();
    fft(product, true).into_iter().take(length).map(|value| value.re).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_transformed_as_it_is_defined() {
        for length in [0, 1, 3, 31, 32, 33, 64, 97, 100] {
            let values: Vec<Complex64> =
                (0..length).map(|n| Complex64::new((n * n % 7) as f64, (n % 5) as f64)).collect();
            let defined = defined(&values);
            let transformed = fft(values.clone(), false);
            let back = fft(transformed.clone(), true);
            for (one, other) in transformed.iter().zip(&defined).chain(back.iter().zip(&values)) {
                assert!((one - other).norm() < 1e-9, "{length}: {one} {other}");
            }
        }
    }
}
