//! AVX2 and AVX-512.

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

    const REGISTERS: Registers = Registers::Eight;

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
