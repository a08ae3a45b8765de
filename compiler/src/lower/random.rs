//! Counter-based random numbers, written in integer operations so that every
//! target draws the same bits.

use crate::stablehlo::{Builder, ElementType, Result, TensorType, Value};

/// Rotations of Threefry-2x32 (Salmon et al., "Parallel random numbers: as
/// easy as 1, 2, 3", 2011, table 2).
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// The key schedule's parity constant (same source).
const PARITY: u32 = 0x1BD1_1BDA;

/// The two 32-bit halves of a ui64 scalar: low, high.
pub(super) fn key(b: &mut Builder, seed: Value) -> Result<[Value; 2]> {
    let mask = b.splat_like(f64::from(u32::MAX), seed)?;
    let low = b.and(seed, mask)?;
    let shift = b.splat_like(32.0, seed)?;
    let high = b.shift_right_logical(seed, shift)?;
    Ok([
        b.convert(low, ElementType::Ui32)?,
        b.convert(high, ElementType::Ui32)?,
    ])
}

/// [`cipher`] of the counters (0..count, stream): two random words per counter.
pub(super) fn threefry(
    b: &mut Builder,
    key: [Value; 2],
    count: i64,
    stream: u32,
) -> Result<[Value; 2]> {
    let ty = TensorType::new([count], ElementType::Ui32);
    let counters = [
        b.iota(0, ty.clone())?,
        b.splat(f64::from(stream), ty.clone())?,
    ];
    cipher(b, key, counters)
}

/// Threefry-2x32 with 20 rounds, of any counters.
fn cipher(b: &mut Builder, key: [Value; 2], counters: [Value; 2]) -> Result<[Value; 2]> {
    let ty = b.ty(counters[0]).clone();
    let mut x = counters;
    let parity = b.splat_like(f64::from(PARITY), key[0])?;
    let mixed = b.xor(key[0], key[1])?;
    let third = b.xor(mixed, parity)?;
    let mut schedule = Vec::new();
    for word in [key[0], key[1], third] {
        schedule.push(b.broadcast(word, &[], &ty.shape)?);
    }
    x = [b.add(x[0], schedule[0])?, b.add(x[1], schedule[1])?];
    for group in 0..5usize {
        for rotation in ROTATIONS[group % 2] {
            let sum = b.add(x[0], x[1])?;
            let rotated = rotate_left(b, x[1], rotation)?;
            x = [sum, b.xor(rotated, sum)?];
        }
        let injection = b.splat(group as f64 + 1.0, ty.clone())?;
        let second = b.add(x[1], schedule[(group + 2) % 3])?;
        x = [
            b.add(x[0], schedule[(group + 1) % 3])?,
            b.add(second, injection)?,
        ];
    }
    Ok(x)
}

/// A key of its own for one place in one step. `@init` draws from streams below
/// 2^31, so that no counter is used twice.
pub(super) fn derived(
    b: &mut Builder,
    key: [Value; 2],
    step: Value,
    place: u32,
) -> Result<[Value; 2]> {
    let place = b.splat_like(f64::from(place | 1 << 31), step)?;
    cipher(b, key, [step, place])
}

/// This many random words: ui32[count].
pub(super) fn words(b: &mut Builder, key: [Value; 2], count: i64) -> Result<Value> {
    let half = (count + 1) / 2;
    let pair = threefry(b, key, half, 0)?;
    let all = b.concatenate(&pair, 0)?;
    b.slice(all, &[0], &[count], &[1])
}

fn rotate_left(b: &mut Builder, x: Value, bits: u32) -> Result<Value> {
    let left = b.splat_like(f64::from(bits), x)?;
    let right = b.splat_like(f64::from(32 - bits), x)?;
    let high = b.shift_left(x, left)?;
    let low = b.shift_right_logical(x, right)?;
    b.or(high, low)
}

/// The upper 24 bits of random words plus `offset`, times 2^-24: multiples of
/// 2^-24 in [0, 1) for offset 0, in (0, 1] for offset 1.
fn unit(b: &mut Builder, words: Value, offset: f64) -> Result<Value> {
    let eight = b.splat_like(8.0, words)?;
    let upper = b.shift_right_logical(words, eight)?;
    let upper = b.convert(upper, ElementType::F32)?;
    let offset = b.splat_like(offset, upper)?;
    let shifted = b.add(upper, offset)?;
    let scale = b.splat_like(2f64.powi(-24), upper)?;
    b.multiply(shifted, scale)
}

/// Normal numbers of mean 0 and deviation `std`, by Box and Muller: the cosine
/// branch.
pub(super) fn normal(b: &mut Builder, words: [Value; 2], std: f64) -> Result<Value> {
    let radius = unit(b, words[0], 1.0)?;
    let radius = b.log(radius)?;
    let minus_two = b.splat_like(-2.0, radius)?;
    let radius = b.multiply(radius, minus_two)?;
    let radius = b.sqrt(radius)?;
    let angle = unit(b, words[1], 0.0)?;
    let turn = b.splat_like(std::f64::consts::TAU, angle)?;
    let angle = b.multiply(angle, turn)?;
    let cosine = b.cosine(angle)?;
    let sample = b.multiply(radius, cosine)?;
    let std = b.splat_like(std, sample)?;
    b.multiply(sample, std)
}

/// Uniform numbers in [-bound, bound).
pub(super) fn uniform(b: &mut Builder, words: [Value; 2], bound: f64) -> Result<Value> {
    let sample = unit(b, words[0], 0.0)?;
    let two = b.splat_like(2.0 * bound, sample)?;
    let sample = b.multiply(sample, two)?;
    let bound = b.splat_like(bound, sample)?;
    b.subtract(sample, bound)
}
