//! Vectors of sixteen numbers, on whatever instruction set the processor has.
//!
//! This is the only module with `unsafe`, of two kinds: calls of functions of an
//! instruction set, which are sound because a token of it exists only if the
//! processor was found to have it; and vector loads and stores through a reference to
//! sixteen numbers.
//!
//! Every instruction set uses the same sixteen lanes, and no operation crosses lanes, so
//! those with fused multiply-add (AVX2 with FMA, AVX-512) give the same bits.

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
/// AVX2 and AVX-512 give the same bits. Portable code rounds products before adding
/// them unless the target has fused multiply-add, and may differ in the last digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Portable code, for what the program was compiled for.
    Plain,
    /// AVX2 and FMA: eight numbers at a time.
    Avx2,
    /// AVX-512F: sixteen numbers at a time.
    Avx512,
}

impl InstructionSet {
    /// All instruction sets, the portable one first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Avx2, Self::Avx512];

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
            #[cfg(not(target_arch = "x86_64"))]
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

/// The vector registers of an instruction set, which limit the sums kept in them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Registers {
    /// Thirty-two, each of sixteen numbers.
    ThirtyTwo,
    /// Sixteen of eight numbers.
    Sixteen,
    /// Sixteen of four numbers, assumed for portable code.
    SixteenOfFour,
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

    const REGISTERS: Registers = Registers::SixteenOfFour;

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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64 as arch;
    use core::arch::x86_64::{__m256, __m512};

    use super::{Kernel, LANES, Lanes, Registers, Simd};

    /// A token that this processor has AVX2 and FMA.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    /// A token that this processor has AVX-512F.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    impl Avx2 {
        pub(super) fn detect() -> Option<Self> {
            let found = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            found.then_some(Self(()))
        }

        pub(super) fn run(self, kernel: impl Kernel) {
            #[target_feature(enable = "avx2,fma")]
            fn with_avx2(simd: Avx2, kernel: impl Kernel) {
                kernel.run(simd);
            }
            // SAFETY: the token says that the processor has AVX2 and FMA.
            unsafe { with_avx2(self, kernel) }
        }
    }

    impl Avx512 {
        pub(super) fn detect() -> Option<Self> {
            is_x86_feature_detected!("avx512f").then_some(Self(()))
        }

        pub(super) fn run(self, kernel: impl Kernel) {
            #[target_feature(enable = "avx512f")]
            fn with_avx512(simd: Avx512, kernel: impl Kernel) {
                kernel.run(simd);
            }
            // SAFETY: the token says that the processor has AVX-512F.
            unsafe { with_avx512(self, kernel) }
        }
    }

    /// Operations that are one instruction for each half of the lanes.
    macro_rules! on_halves {
        ($($name:ident($($v:ident),+) => $instruction:ident,)+) => {$(
            #[inline(always)]
            fn $name(self, $($v: Self::V),+) -> Self::V {
                // SAFETY: an `Avx2` exists only where the processor has the instructions.
                unsafe { [arch::$instruction($($v[0]),+), arch::$instruction($($v[1]),+)] }
            }
        )+};
    }

    // SAFETY of every block below: an `Avx2` exists only where the processor has the
    // instructions, and a `Lanes` is sixteen numbers.
    impl Simd for Avx2 {
        type V = [__m256; 2];

        const REGISTERS: Registers = Registers::Sixteen;

        on_halves! {
            add(a, b) => _mm256_add_ps,
            sub(a, b) => _mm256_sub_ps,
            mul(a, b) => _mm256_mul_ps,
            max(a, b) => _mm256_max_ps,
            mul_add(a, b, c) => _mm256_fmadd_ps,
        }

        #[inline(always)]
        fn zero(self) -> Self::V {
            // SAFETY: see above.
            unsafe { [arch::_mm256_setzero_ps(); 2] }
        }

        #[inline(always)]
        fn splat(self, number: f32) -> Self::V {
            // SAFETY: see above.
            unsafe { [arch::_mm256_set1_ps(number); 2] }
        }

        #[inline(always)]
        fn load(self, from: &Lanes) -> Self::V {
            let (low, high) = from.0.split_at(LANES / 2);
            let (low, high) = (low.as_ptr(), high.as_ptr());
            // SAFETY: see above; each half has eight numbers.
            unsafe { [arch::_mm256_loadu_ps(low), arch::_mm256_loadu_ps(high)] }
        }

        #[inline(always)]
        fn store(self, to: &mut Lanes, v: Self::V) {
            let (low, high) = to.0.split_at_mut(LANES / 2);
            // SAFETY: see above; each half has eight numbers.
            unsafe {
                arch::_mm256_storeu_ps(low.as_mut_ptr(), v[0]);
                arch::_mm256_storeu_ps(high.as_mut_ptr(), v[1]);
            }
        }

        #[inline(always)]
        fn where_positive(self, a: Self::V, b: Self::V) -> Self::V {
            // SAFETY: see above.
            unsafe {
                let zero = arch::_mm256_setzero_ps();
                let low = arch::_mm256_cmp_ps::<{ arch::_CMP_GT_OQ }>(a[0], zero);
                let high = arch::_mm256_cmp_ps::<{ arch::_CMP_GT_OQ }>(a[1], zero);
                [
                    arch::_mm256_and_ps(low, b[0]),
                    arch::_mm256_and_ps(high, b[1]),
                ]
            }
        }
    }

    /// Operations that are one instruction.
    macro_rules! on_all {
        ($($name:ident($($argument:ident: $type:ty),*) => $instruction:ident,)+) => {$(
            #[inline(always)]
            fn $name(self, $($argument: $type),*) -> Self::V {
                // SAFETY: an `Avx512` exists only where the processor has the instructions.
                unsafe { arch::$instruction($($argument),*) }
            }
        )+};
    }

    // SAFETY of every block below: an `Avx512` exists only where the processor has
    // the instructions, and a `Lanes` is sixteen numbers.
    impl Simd for Avx512 {
        type V = __m512;

        const REGISTERS: Registers = Registers::ThirtyTwo;

        on_all! {
            zero() => _mm512_setzero_ps,
            splat(number: f32) => _mm512_set1_ps,
            add(a: Self::V, b: Self::V) => _mm512_add_ps,
            sub(a: Self::V, b: Self::V) => _mm512_sub_ps,
            mul(a: Self::V, b: Self::V) => _mm512_mul_ps,
            max(a: Self::V, b: Self::V) => _mm512_max_ps,
            mul_add(a: Self::V, b: Self::V, c: Self::V) => _mm512_fmadd_ps,
        }

        #[inline(always)]
        fn load(self, from: &Lanes) -> Self::V {
            // SAFETY: see above.
            unsafe { arch::_mm512_loadu_ps(from.0.as_ptr()) }
        }

        #[inline(always)]
        fn store(self, to: &mut Lanes, v: Self::V) {
            // SAFETY: see above.
            unsafe { arch::_mm512_storeu_ps(to.0.as_mut_ptr(), v) }
        }

        #[inline(always)]
        fn where_positive(self, a: Self::V, b: Self::V) -> Self::V {
            // SAFETY: see above.
            unsafe {
                let zero = arch::_mm512_setzero_ps();
                let positive = arch::_mm512_cmp_ps_mask::<{ arch::_CMP_GT_OQ }>(a, zero);
                arch::_mm512_maskz_mov_ps(positive, b)
            }
        }
    }
}
