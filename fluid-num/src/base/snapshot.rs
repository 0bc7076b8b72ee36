//! The state of a simulation as plain data: to save it, to send it, to go back to it.
//!
//! A snapshot holds named arrays of scalars and named arrays of whole numbers. Scalars are finite
//! and are kept as they are, so that a text format that writes them exactly brings the same bits
//! back; what may be infinite is kept as bits among the whole numbers. Memory and layout of a
//! simulation leave no trace: fields are their values alone, x fastest, without ghosts and padding.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::error::check;
use crate::{Error, Real};

/// The state of a simulation, from [`Simulation::snapshot`](crate::Simulation::snapshot).
///
/// With the feature `serde` it can be written in any format of that family. JSON needs care for two
/// things: `serde_json` reads the last bit right only with its feature `float_roundtrip`, and
/// readers in other languages may round whole numbers beyond 2⁵³.
///
/// ```
/// use fluid_num::{Grid2, Simulation, Stam2003, Stam2003Params};
/// let grid = Grid2::new([16, 16], 1.0_f64 / 16.0)?;
/// let mut fluid = Stam2003::new(grid, Stam2003Params::default())?;
/// fluid.add_force([0.5, 0.5], 0.2, [3.0, 1.0])?;
/// fluid.step(0.02)?;
/// let saved = fluid.snapshot();
/// assert_eq!((saved.scheme(), saved.dimension(), saved.time()), ("stam2003", 2, 0.02));
/// assert_eq!(saved.values("density")?.len(), 16 * 16);
///
/// let mut twin = Stam2003::new(grid, Stam2003Params::default())?;
/// twin.restore(&saved)?;
/// for _ in 0..3 {
///     fluid.step(0.02)?;
///     twin.step(0.02)?;
/// }
/// assert_eq!(twin.digest(), fluid.digest()); // the same bits
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot<T> {
    scheme: Cow<'static, str>,
    dimension: usize,
    time: T,
    values: BTreeMap<Cow<'static, str>, Vec<T>>,
    words: BTreeMap<Cow<'static, str>, Vec<u64>>,
}

/// Writing, for schemes.
impl<T: Real> Snapshot<T> {
    /// A snapshot without arrays of a scheme in so many dimensions, at `time` seconds.
    pub fn new(scheme: &'static str, dimension: usize, time: T) -> Self {
        let (values, words) = Default::default();
        Self { scheme: Cow::Borrowed(scheme), dimension, time, values, words }
    }

    /// Adds scalars under a name; only finite ones come back.
    #[must_use]
    pub fn with_values(mut self, name: &'static str, values: impl IntoIterator<Item = T>) -> Self {
        self.values.insert(Cow::Borrowed(name), values.into_iter().collect());
        self
    }

    /// Adds whole numbers under a name.
    #[must_use]
    pub fn with_words(mut self, name: &'static str, words: impl IntoIterator<Item = u64>) -> Self {
        self.words.insert(Cow::Borrowed(name), words.into_iter().collect());
        self
    }

    /// Adds yes and no under a name, 64 to a word, the first in the lowest bit.
    #[must_use]
    pub fn with_bits(self, name: &'static str, bits: impl IntoIterator<Item = bool>) -> Self {
        let mut words = Vec::new();
        for (n, bit) in bits.into_iter().enumerate() {
            if n % 64 == 0 {
                words.push(0);
            }
            if let Some(word) = words.last_mut() {
                *word |= u64::from(bit) << (n % 64);
            }
        }
        self.with_words(name, words)
    }
}

/// Reading. Every error names the array.
impl<T: Real> Snapshot<T> {
    /// The name of the scheme.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The number of dimensions.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The simulated time, s.
    pub fn time(&self) -> T {
        self.time
    }

    /// Checks that the snapshot is one of `scheme` in so many dimensions, at a time that there is.
    ///
    /// # Errors
    /// [`Error::WrongSnapshot`], or [`Error::InvalidParameter`] for the time.
    pub fn check(&self, scheme: &str, dimension: usize) -> Result<(), Error> {
        let wrong = |name| Err(Error::WrongSnapshot { name, reason: "is another one" });
        if self.scheme != scheme {
            return wrong("scheme");
        }
        if self.dimension != dimension {
            return wrong("dimension");
        }
        check::not_negative("the time of the snapshot", self.time)
    }

    /// The scalars of a name.
    ///
    /// # Errors
    /// [`Error::WrongSnapshot`] where there are none, [`Error::NotFinite`] with the first index
    /// whose value is not.
    pub fn values(&self, name: &'static str) -> Result<&[T], Error> {
        let values = self.values.get(name).ok_or(missing(name))?;
        match values.iter().position(|v| !v.is_finite()) {
            Some(i) => Err(Error::NotFinite { name, place: [i, 0, 0] }),
            None => Ok(values),
        }
    }

    /// The `count` scalars of a name.
    ///
    /// # Errors
    /// As [`Self::values`], and [`Error::WrongCount`] for more or fewer of them.
    pub fn values_exactly(&self, name: &'static str, count: usize) -> Result<&[T], Error> {
        exactly(name, self.values(name)?, count)
    }

    /// The whole numbers of a name.
    ///
    /// # Errors
    /// [`Error::WrongSnapshot`] where there are none.
    pub fn words(&self, name: &'static str) -> Result<&[u64], Error> {
        self.words.get(name).map(Vec::as_slice).ok_or(missing(name))
    }

    /// The `count` whole numbers of a name.
    ///
    /// # Errors
    /// As [`Self::words`], and [`Error::WrongCount`] for more or fewer of them.
    pub fn words_exactly(&self, name: &'static str, count: usize) -> Result<&[u64], Error> {
        exactly(name, self.words(name)?, count)
    }

    /// The one whole number of a name.
    ///
    /// # Errors
    /// As [`Self::words_exactly`].
    pub fn word(&self, name: &'static str) -> Result<u64, Error> {
        self.words_exactly(name, 1).map(|words| words.iter().sum())
    }

    /// The `count` answers of a name, as [`Self::with_bits`] wrote them.
    ///
    /// # Errors
    /// As [`Self::words`], and [`Error::WrongCount`] for more or fewer words than hold `count` bits.
    pub fn bits(
        &self,
        name: &'static str,
        count: usize,
    ) -> Result<impl Iterator<Item = bool> + '_, Error> {
        let words = self.words_exactly(name, count.div_ceil(64))?;
        let bits = words.iter().flat_map(|word| (0..64).map(move |n| (word >> n) & 1 == 1));
        Ok(bits.take(count))
    }
}

fn missing(name: &'static str) -> Error {
    Error::WrongSnapshot { name, reason: "is missing" }
}

fn exactly<'a, V>(name: &'static str, list: &'a [V], count: usize) -> Result<&'a [V], Error> {
    if list.len() == count {
        return Ok(list);
    }
    Err(wrong_count(name, list.len()))
}

/// Another number of something than the simulation has that restores a snapshot.
pub(crate) fn wrong_count(name: &'static str, count: usize) -> Error {
    let expected = "exactly as many as the simulation that restores it";
    Error::WrongCount { name, count, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let bits = (0..130).map(|n| n % 3 == 0);
        let snapshot = Snapshot::new("a", 2, 1.5_f32)
            .with_values("x", [1.0, -0.0])
            .with_words("n", [u64::MAX])
            .with_bits("b", bits.clone())
            .with_bits("none", []);
        assert_eq!(snapshot.check("a", 2), Ok(()));
        let read: Vec<u32> =
            snapshot.values_exactly("x", 2).unwrap().iter().map(|v| v.to_bits()).collect();
        assert_eq!(read, [1.0_f32.to_bits(), (-0.0_f32).to_bits()]);
        assert_eq!(snapshot.word("n"), Ok(u64::MAX));
        assert_eq!(snapshot.words("b").unwrap().len(), 3);
        assert!(snapshot.bits("b", 130).unwrap().eq(bits));
        assert_eq!(snapshot.bits("none", 0).unwrap().count(), 0);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let snapshot = Snapshot::new("a", 2, 0.0)
            .with_values("x", [1.0, f64::NAN])
            .with_words("n", [1, 2])
            .with_words("empty", []);
        let wrong = |name, reason| Err(Error::WrongSnapshot { name, reason });
        assert_eq!(snapshot.check("b", 2), wrong("scheme", "is another one"));
        assert_eq!(snapshot.check("a", 3), wrong("dimension", "is another one"));
        assert_eq!(snapshot.words("x").map(drop), wrong("x", "is missing"));
        assert_eq!(snapshot.values("n").map(drop), wrong("n", "is missing"));
        let not_finite = Err(Error::NotFinite { name: "x", place: [1, 0, 0] });
        assert_eq!(snapshot.values_exactly("x", 2).map(drop), not_finite);
        for (name, count) in [("n", 2), ("empty", 0)] {
            match snapshot.word(name) {
                Err(Error::WrongCount { name: n, count: c, .. }) => {
                    assert_eq!((n, c), (name, count));
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(snapshot.bits("n", 64).is_err() && snapshot.bits("n", 129).is_err());
        for time in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(Snapshot::new("a", 2, time).check("a", 2).is_err());
        }
    }
}
