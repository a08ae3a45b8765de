//! Numbers that a script in any language can draw again from their index; see
//! `bench/golden/draw.py`.

/// The finaliser of splitmix64.
pub fn splitmix64(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The hash of element `index` of `stream`.
pub fn hash(stream: u64, index: usize) -> u64 {
    splitmix64((stream << 40) + index as u64)
}

/// A multiple of 2^-24 in `0..1`.
pub fn fraction(stream: u64, index: usize) -> f64 {
    (hash(stream, index) >> 40) as f64 / f64::from(1 << 24)
}

/// Sums of the numbers with random signs: sum k takes bit k of each hash, set
/// for plus.
pub fn signed_sums<const N: usize>(stream: u64, values: &[f32]) -> [f64; N] {
    let mut sums = [0.0; N];
    for (i, &value) in values.iter().enumerate() {
        let signs = hash(stream, i);
        for (k, sum) in sums.iter_mut().enumerate() {
            let value = f64::from(value);
            *sum += if signs >> k & 1 == 1 { value } else { -value };
        }
    }
    sums
}
