//! Vectors of sixteen numbers, on whatever instruction set the processor has.
//!
//! `unsafe` stands only in the modules of processors, and is of two kinds: calls of functions
//! of an instruction set, which are sound because a token of it exists only if the
//! processor was found to have it; and vector loads and stores through a reference to
//! sixteen numbers.
//!
//! Every instruction set uses the same sixteen lanes, and no operation crosses lanes, so
//! those with fused multiply-add (AVX2 with FMA, AVX-512, NEON) give the same bits.

#[cfg(target_arch = "aarch64")]
#[expect(
    unsafe_code,
    reason = "the instructions of a processor are unsafe functions"
)]
mod neon;
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "the instructions of a processor are unsafe functions"
)]
mod x86;

/// The numbers of a vector.
pub const LANES: usize = 16;

/// Sixteen channels of a cell of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// Zeros.
    pub const ZERO: Self = Self([0.0; LANES]);
}

/// An instruction set for vectors.
///
/// AVX2, AVX-512 and NEON give the same bits. Portable code rounds products before adding
/// them unless the target has fused multiply-add, and may differ in the last digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Portable code, for what the program was compiled for.
    Plain,
    /// AVX2 and FMA: eight numbers at a time.
    Avx2,
    /// AVX-512F: sixteen numbers at a time.
    Avx512,
    /// NEON of 64-bit ARM: four numbers at a time.
    Neon,
}

impl InstructionSet {
    /// All instruction sets, the portable one first.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Avx2, Self::Avx512, Self::Neon];

    /// The best one that this processor has.
    pub fn best() -> Self {
        let available = Self::ALL.into_iter().rev().find(|set| set.is_available());
        available.unwrap_or(Self::Plain)
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => x86::Avx512::detect().is_some(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            _ => false,
        }
    }

    /// Runs a kernel with it, or as portable code if the processor lacks it.
    pub(super) fn run(self, kernel: impl Kernel) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if let Some(simd) = x86::Avx512::detect() => simd.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if let Some(simd) = x86::Avx2::detect() => simd.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => kernel.run(neon::Neon),
            _ => kernel.run(Plain),
        }
    }
}

/// A computation for any instruction set. `run` and what it calls have to be
/// `inline(always)`, because the compiler uses an instruction set only within functions
/// that enable it.
pub(super) trait Kernel {
    fn run<S: Simd>(self, simd: S);
}

/// How many vectors of sixteen numbers the registers hold, which limits the sums kept in
/// them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Registers {
    /// Thirty-two registers of sixteen numbers.
    ThirtyTwo,
    /// Sixteen registers of eight numbers, or thirty-two of four.
    Eight,
    /// Sixteen registers of four numbers, assumed for portable code.
    Four,
}

/// The operations of an instruction set that the processor has, on sixteen lanes.
pub(super) trait Simd: Copy {
    type V: Copy;

    const REGISTERS: Registers;

    fn zero(self) -> Self::V;
    fn splat(self, number: f32) -> Self::V;
    fn load(self, from: &Lanes) -> Self::V;
    fn store(self, to: &mut Lanes, v: Self::V);
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger of both; `b` if one is NaN.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// `b` where `a` is positive, and zero elsewhere.
    fn where_positive(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
}

/// Portable code.
#[derive(Clone, Copy)]
struct Plain;

/// Without fused multiply-add in hardware, `f32::mul_add` would be a library call.
const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// Operations that compute each lane on its own.
macro_rules! each_lane {
    ($($name:ident($first:ident, $($other:ident),+) => $result:expr,)+) => {$(
        #[inline(always)]
        fn $name(self, mut $first: Self::V, $($other: Self::V),+) -> Self::V {
            for lane in 0..LANES {
                let to = &mut $first[lane];
                let ($first, $($other),+) = (*to, $($other[lane]),+);
                *to = $result;
            }
            $first
        }
    )+};
}

impl Simd for Plain {
    type V = [f32; LANES];

    const REGISTERS: Registers = Registers::Four;

    #[inline(always)]
    fn zero(self) -> Self::V {
        [0.0; LANES]
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self::V {
        [number; LANES]
    }

    #[inline(always)]
    fn load(self, from: &Lanes) -> Self::V {
        from.0
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Self::V) {
        to.0 = v;
    }

    each_lane! {
        add(a, b) => a + b,
        sub(a, b) => a - b,
        mul(a, b) => a * b,
        max(a, b) => if a > b { a } else { b },
        where_positive(a, b) => if a > 0.0 { b } else { 0.0 },
        mul_add(a, b, c) => if FUSED { a.mul_add(b, c) } else { a * b + c },
    }
}
