//! A generator of pseudorandom numbers (Marsaglia's xorshift), the same in every run.

/// Its state, which is never 0.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    #[allow(dead_code)] // Not all who include it use it.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    /// A number of `first..end` that is n with a probability in proportion to 1 / n.
    #[allow(dead_code)]
    pub fn zipf(&mut self, first: f64, end: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        first * (end / first).powf(share)
    }
}
