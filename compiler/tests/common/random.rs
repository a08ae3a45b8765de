//! Numbers drawn by a counter, the same in every run.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A stream of its own for each seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// An integer in `low..=high`.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// A multiple of 2^-40 in `low..high`; two draws are hardly ever equal.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 24) as f64 / (1u64 << 40) as f64;
        low + (high - low) * unit
    }

    /// One of the options.
    pub fn choose<T: Clone>(&mut self, options: &[T]) -> T {
        options[(self.bits() % options.len() as u64) as usize].clone()
    }

    /// The numbers below `count` in random order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.integer(0, i as i64) as usize);
        }
        order
    }
}
