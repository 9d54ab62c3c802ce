//! Exponentials that give the same bits on every platform; the standard library's
//! do not.

/// The exponential function, with an error of about 2 units in the last place. Below
/// -87 it is 0; above 88 it is e to the power of 88.
///
/// Computed from a power of two and a polynomial, as in Moshier's Cephes library (1992).
#[must_use]
pub fn exp(x: f32) -> f32 {
    if x < -87.0 {
        return 0.0;
    }
    // Not `min`, which would turn NaN into 88.
    let x = if x > 88.0 { 88.0 } else { x };
    let powers = (x * core::f32::consts::LOG2_E).round();
    // Ln 2 in two parts, so that the remainder is exact.
    let rest = x - powers * 0.693_359_4 + powers * 2.121_944_4e-4;
    let polynomial = 1.987_569_1e-4;
    let polynomial = polynomial * rest + 1.398_2e-3;
    let polynomial = polynomial * rest + 8.333_452e-3;
    let polynomial = polynomial * rest + 4.166_579_6e-2;
    let polynomial = polynomial * rest + 1.666_666_5e-1;
    let polynomial = polynomial * rest + 0.5;
    let power = f32::from_bits(((powers as i32 + 127) as u32) << 23);
    (polynomial * rest * rest + rest + 1.0) * power
}

/// The hyperbolic tangent, with an error of about 10⁻⁷.
#[must_use]
pub fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}
