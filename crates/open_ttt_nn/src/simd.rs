//! Vectors of sixteen numbers, on whatever instruction set the processor has.
//!
//! This is the only module with `unsafe`, of two kinds: calls of functions of an
//! instruction set, which are sound because a token of it exists only if the
//! processor was found to have it; and vector loads and stores through a reference to
//! sixteen numbers.
//!
//! Every instruction set uses the same sixteen lanes, and no operation crosses lanes, so
//! those with fused multiply-add (AVX2 with FMA, AVX-512) give the same bits.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{
    __m256, __m512, _CMP_GT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_fmadd_ps,
    _mm256_loadu_ps, _mm256_max_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_storeu_ps, _mm256_sub_ps, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps,
    _mm512_loadu_ps, _mm512_maskz_mov_ps, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_ps,
    _mm512_setzero_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

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
            Self::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Runs a kernel with it, or as portable code if the processor lacks it.
    pub(super) fn run(self, kernel: impl Kernel) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if let Some(simd) = Avx512::detect() => {
                // SAFETY: the token says that the processor has AVX-512F.
                unsafe { with_avx512(simd, kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if let Some(simd) = Avx2::detect() => {
                // SAFETY: the token says that the processor has AVX2 and FMA.
                unsafe { with_avx2(simd, kernel) }
            }
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

    #[inline(always)]
    fn add(self, mut a: Self::V, b: Self::V) -> Self::V {
        for lane in 0..LANES {
            a[lane] += b[lane];
        }
        a
    }

    #[inline(always)]
    fn sub(self, mut a: Self::V, b: Self::V) -> Self::V {
        for lane in 0..LANES {
            a[lane] -= b[lane];
        }
        a
    }

    #[inline(always)]
    fn mul(self, mut a: Self::V, b: Self::V) -> Self::V {
        for lane in 0..LANES {
            a[lane] *= b[lane];
        }
        a
    }

    #[inline(always)]
    fn max(self, mut a: Self::V, b: Self::V) -> Self::V {
        for lane in 0..LANES {
            a[lane] = if a[lane] > b[lane] { a[lane] } else { b[lane] };
        }
        a
    }

    #[inline(always)]
    fn where_positive(self, a: Self::V, mut b: Self::V) -> Self::V {
        for lane in 0..LANES {
            b[lane] = if a[lane] > 0.0 { b[lane] } else { 0.0 };
        }
        b
    }

    #[inline(always)]
    fn mul_add(self, a: Self::V, b: Self::V, mut c: Self::V) -> Self::V {
        for lane in 0..LANES {
            c[lane] = if FUSED {
                a[lane].mul_add(b[lane], c[lane])
            } else {
                a[lane] * b[lane] + c[lane]
            };
        }
        c
    }
}

/// A token that this processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        found.then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2(simd: Avx2, kernel: impl Kernel) {
    kernel.run(simd);
}

// SAFETY of every block below: an `Avx2` exists only where the processor has the
// instructions, and a `Lanes` is sixteen numbers.
#[cfg(target_arch = "x86_64")]
impl Simd for Avx2 {
    type V = [__m256; 2];

    const REGISTERS: Registers = Registers::Sixteen;

    #[inline(always)]
    fn zero(self) -> Self::V {
        // SAFETY: see above.
        unsafe { [_mm256_setzero_ps(); 2] }
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self::V {
        // SAFETY: see above.
        unsafe { [_mm256_set1_ps(number); 2] }
    }

    #[inline(always)]
    fn load(self, from: &Lanes) -> Self::V {
        let (low, high) = from.0.split_at(LANES / 2);
        // SAFETY: see above; each half has eight numbers.
        unsafe {
            [
                _mm256_loadu_ps(low.as_ptr()),
                _mm256_loadu_ps(high.as_ptr()),
            ]
        }
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Self::V) {
        let (low, high) = to.0.split_at_mut(LANES / 2);
        // SAFETY: see above; each half has eight numbers.
        unsafe {
            _mm256_storeu_ps(low.as_mut_ptr(), v[0]);
            _mm256_storeu_ps(high.as_mut_ptr(), v[1]);
        }
    }

    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { [_mm256_sub_ps(a[0], b[0]), _mm256_sub_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { [_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { [_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn where_positive(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe {
            let zero = _mm256_setzero_ps();
            [
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a[0], zero), b[0]),
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a[1], zero), b[1]),
            ]
        }
    }

    #[inline(always)]
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe {
            [
                _mm256_fmadd_ps(a[0], b[0], c[0]),
                _mm256_fmadd_ps(a[1], b[1], c[1]),
            ]
        }
    }
}

/// A token that this processor has AVX-512F.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512(simd: Avx512, kernel: impl Kernel) {
    kernel.run(simd);
}

// SAFETY of every block below: an `Avx512` exists only where the processor has
// the instructions, and a `Lanes` is sixteen numbers.
#[cfg(target_arch = "x86_64")]
impl Simd for Avx512 {
    type V = __m512;

    const REGISTERS: Registers = Registers::ThirtyTwo;

    #[inline(always)]
    fn zero(self) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_set1_ps(number) }
    }

    #[inline(always)]
    fn load(self, from: &Lanes) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_loadu_ps(from.0.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Self::V) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_ps(to.0.as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_max_ps(a, b) }
    }

    #[inline(always)]
    fn where_positive(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe {
            let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, _mm512_setzero_ps());
            _mm512_maskz_mov_ps(positive, b)
        }
    }

    #[inline(always)]
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        // SAFETY: see above.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
}
