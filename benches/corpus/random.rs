//! A small generator of random numbers (xorshift64*): the same seed gives the same folder on every machine.
//!
//! Not for anything that must not be guessed.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A stream that depends on nothing but the seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds (note 1, note 2) must not begin alike, and the state must not be zero.
        let mut state = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((state ^ (state >> 31)) | 1)
    }

    /// A number below `end`, which must not be zero.
    pub fn below(&mut self, end: usize) -> usize {
        // 31 bits fit in a `usize` wherever this runs, and no list here is longer.
        usize::try_from(self.next() >> 33).unwrap_or_default() % end
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A number from 0 up to, not including, 1.
    pub fn fraction(&mut self) -> f64 {
        let high = u32::try_from(self.next() >> 32).unwrap_or_default();
        f64::from(high) / (f64::from(u32::MAX) + 1.0)
    }

    /// One of the items, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}
