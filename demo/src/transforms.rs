//! Transforms: the discrete Fourier transform and convolution.

use std::sync::Arc;

use rustfft::{
    Fft, FftDirection,
    algorithm::{BluesteinsAlgorithm, Dft, Radix4},
    num_complex::Complex64,
};

/// Products of lengths up to here are convolved directly, which keeps integers exact.
const DIRECT: usize = 1 << 20;

/// Values up to this number are transformed by the definition.
const SHORT: usize = 32;

/// The discrete Fourier transform; the inverse divides by the length.
pub(crate) fn fft(mut values: Vec<Complex64>, inverse: bool) -> Vec<Complex64> {
    let length = values.len();
    plan(length, if inverse { FftDirection::Inverse } else { FftDirection::Forward }).process(&mut values);
    if inverse {
        values.iter_mut().for_each(|value| *value /= length as f64);
    }
    values
}

/// How values of this length are transformed. The crate's planner knows a faster way for many lengths, and each is code.
fn plan(length: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
    match length {
        0..=SHORT => Arc::new(Dft::new(length, direction)),
        _ if length.is_power_of_two() => Arc::new(Radix4::new(length, direction)),
        _ => {
            let inner = Radix4::new((2 * length - 1).next_power_of_two(), direction);
            Arc::new(BluesteinsAlgorithm::new(length, Arc::new(inner)))
        }
    }
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
            let mut defined = values.clone();
            Dft::new(length, FftDirection::Forward).process(&mut defined);
            let transformed = fft(values.clone(), false);
            let back = fft(transformed.clone(), true);
            for (one, other) in transformed.iter().zip(&defined).chain(back.iter().zip(&values)) {
                assert!((one - other).norm() < 1e-9, "{length}: {one} {other}");
            }
        }
    }
}
