//! Vectors on disk: a file for each model in the user's cache folder, readable by the user only.
//!
//! The number of dimensions in 4 bytes, little-endian; for each text its digest of 32 bytes, and a byte for each component.

use std::{collections::HashMap, fs, io, path::PathBuf, sync::Arc};

use mcp_disclosure_core::{Digest, digest::hex};
use mcp_disclosure_ranking::Embedding;

use crate::{files::write_newest, remember::cache_folder};

/// The number of models whose vectors are kept; those written longest ago are forgotten.
const MOST: usize = 8;

/// Vectors by the digests of texts.
pub(super) type Vectors = HashMap<Digest, Arc<Embedding>>;

/// A model's file.
#[derive(Debug)]
pub(super) struct File(PathBuf);

impl File {
    /// That of a model, by a digest of what it is; `None` if the system has no cache folder.
    pub(super) fn of_user(model: Digest) -> Option<Self> {
        let name = format!("{}.vectors", hex(&model.as_bytes()[..16]));
        Some(Self(cache_folder("embeddings")?.join(name)))
    }

    /// What is kept: nothing, if the file is not as it was written.
    pub(super) fn read(&self) -> io::Result<Vectors> {
        let bytes = fs::read(&self.0)?;
        let (dimensions, vectors) = bytes.split_first_chunk().ok_or(io::ErrorKind::InvalidData)?;
        let length = 32 + u32::from_le_bytes(*dimensions) as usize;
        let vectors = vectors.chunks_exact(length).filter_map(|vector| {
            let (digest, components) = vector.split_first_chunk()?;
            let components = components.iter().map(|component| component.cast_signed()).collect();
            Some((Digest::from_bytes(*digest), Arc::new(Embedding::of_quantized(components))))
        });
        Ok(vectors.collect())
    }

    /// Replaces what is kept.
    pub(super) fn write(&self, vectors: &Vectors) -> io::Result<()> {
        let dimensions = vectors.values().next().map_or(0, |vector| vector.quantized().len());
        let mut bytes = u32::try_from(dimensions).map_err(io::Error::other)?.to_le_bytes().to_vec();
        for (digest, vector) in vectors {
            bytes.extend_from_slice(digest.as_bytes());
            bytes.extend(vector.quantized().iter().map(|component| component.cast_unsigned()));
        }
        write_newest(&self.0, &bytes, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_vectors_are_kept_for_few_models() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: usize| File(folder.path().join("made").join(format!("{name}.vectors")));
        let vector = |text: &str, at: f32| (Digest::of(text), Arc::new(Embedding::of(&[1.0, at]).unwrap()));
        let vectors = Vectors::from([vector("a", 0.5), vector("b", -1.0)]);
        assert!(file(0).read().is_err());
        for name in 0..=MOST {
            file(name).write(&vectors).unwrap();
            assert_eq!(file(name).read().unwrap(), vectors);
        }
        assert_eq!(fs::read_dir(folder.path().join("made")).unwrap().count(), MOST);
        // A file that was cut, or is something else.
        for other in [&[2, 0, 0, 0, 7][..], b"", b"{}", &[255; 4]] {
            fs::write(file(1).0, other).unwrap();
            assert!(file(1).read().unwrap_or_default().is_empty(), "{other:?}");
        }
    }
}
