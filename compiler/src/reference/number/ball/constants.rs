//! Constants to 512 bits, cut off.
//!
//! The words are those of `math.floor(constant * 2**bits)` by Python's integers, with ln 2 =
//! 2 atanh(1/3) and pi / 2 = 8 atan(1/5) - 2 atan(1/239), and those of mpmath.

use super::Ball;
use crate::reference::number::wide::Wide;

/// ln 2
const LN_2: [u64; 8] = [
    0xb172_17f7_d1cf_79ab,
    0xc9e3_b398_03f2_f6af,
    0x40f3_4326_7298_b62d,
    0x8a0d_175b_8baa_fa2b,
    0xe7b8_7620_6deb_ac98,
    0x5595_52fb_4afa_1b10,
    0xed2e_ae35_c138_2144,
    0x2757_3b29_1169_b825,
];

/// Half of pi, halved.
const QUARTER_TURN: [u64; 8] = [
    0xc90f_daa2_2168_c234,
    0xc4c6_628b_80dc_1cd1,
    0x2902_4e08_8a67_cc74,
    0x020b_bea6_3b13_9b22,
    0x514a_0879_8e34_04dd,
    0xef95_19b3_cd3a_431b,
    0x302b_0a6d_f25f_1437,
    0x4fe1_356d_6d51_c245,
];

impl<const W: usize> Ball<W> {
    /// ln 2
    pub(super) fn ln_2() -> Self {
        Self::constant(&LN_2, 0)
    }

    /// pi / 2
    pub(super) fn quarter_turn() -> Self {
        Self::constant(&QUARTER_TURN, 1)
    }

    fn constant(words: &[u64; 8], exponent: i32) -> Self {
        const { assert!(W <= 8, "constants have 8 words") };
        let mid = Wide::leading(words, exponent);
        Self::rounded((mid, mid.unit()), 0.0)
    }
}
