//! Random numbers, the same for the same seed.

use crate::reference::Prime;

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// An element of the field; every one is as likely as any other.
    pub fn element(&mut self) -> Prime {
        loop {
            let bits = self.bits() >> 3;
            if bits < Prime::ORDER {
                return Prime::new(bits);
            }
        }
    }

    /// A multiple of 2^-40 in `low..high`.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 24) as f64 / (1u64 << 40) as f64;
        low + (high - low) * unit
    }

    /// An integer in `0..count`; 0 where that is empty.
    pub fn below(&mut self, count: u64) -> u64 {
        self.bits() % count.max(1)
    }

    /// -1, 0 or 1; not 0 with this probability.
    pub fn ternary(&mut self, density: f64) -> f64 {
        if self.real(0.0, 1.0) >= density {
            0.0
        } else if self.bits() & 1 == 0 {
            1.0
        } else {
            -1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of SplitMix64 for the seed 0, as its authors give them.
    #[test]
    fn the_stream_is_the_published_one() {
        let mut random = Random::new(0);
        assert_eq!(
            [random.bits(), random.bits()],
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
    }
}
