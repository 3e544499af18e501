//! A model's vector of a text.

/// The direction of a text, in 8 bits for each component: finer ones find nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    components: Box<[i8]>,
    length: f32,
}

impl Embedding {
    /// That of these components; `None` if they have no direction, or are not all numbers.
    pub fn of(components: &[f32]) -> Option<Self> {
        let largest = components.iter().fold(0.0_f32, |largest, component| largest.max(component.abs()));
        let is_direction = largest > 0.0 && components.iter().all(|component| component.is_finite());
        // At most 127, as the largest one is.
        #[allow(clippy::cast_possible_truncation)]
        let quantized = |component: &f32| (component / largest * 127.0).round() as i8;
        is_direction.then(|| Self::of_quantized(components.iter().map(quantized).collect()))
    }

    /// That of what [`quantized`](Self::quantized) was.
    pub fn of_quantized(components: Box<[i8]>) -> Self {
        let squares: f32 = components.iter().map(|component| f32::from(*component).powi(2)).sum();
        Self { components, length: squares.sqrt().max(1.0) }
    }

    /// The components.
    pub fn quantized(&self) -> &[i8] {
        &self.components
    }

    /// The cosine of the angle to another one; `None` if it has other dimensions.
    pub fn cosine(&self, other: &Self) -> Option<f32> {
        let both = self.components.iter().zip(&other.components);
        let product: i32 = both.map(|(one, other)| i32::from(*one) * i32::from(*other)).sum();
        // Exact up to 1,000 dimensions, and near enough above.
        #[allow(clippy::cast_precision_loss)]
        let cosine = product as f32 / (self.length * other.length);
        (self.components.len() == other.components.len()).then_some(cosine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_directions_of_texts_are_compared_and_others_are_none() {
        let of = |components: &[f32]| Embedding::of(components);
        let near = |one: &[f32], other: &[f32]| of(one).unwrap().cosine(&of(other).unwrap());
        assert!((near(&[1.0, 2.0], &[10.0, 20.0]).unwrap() - 1.0).abs() < 1e-3);
        assert!((near(&[1.0, 0.0], &[1.0, 1.0]).unwrap() - 0.5_f32.sqrt()).abs() < 1e-2);
        assert_eq!(near(&[1.0, 0.0], &[0.0, 1.0]), Some(0.0));
        assert_eq!(near(&[1.0], &[1.0, 1.0]), None);
        for none in [&[][..], &[0.0, 0.0], &[1.0, f32::NAN], &[f32::INFINITY, 1.0]] {
            assert_eq!(of(none), None);
        }
    }
}
