//! NEON, which every 64-bit ARM processor has.

use core::arch::aarch64 as arch;
use core::arch::aarch64::float32x4_t;
use core::array;

use super::{LANES, Lanes, Registers, Simd};

/// The numbers of a register.
const WIDTH: usize = 4;

/// The registers of a vector.
const PARTS: usize = LANES / WIDTH;

/// The instruction set.
#[derive(Clone, Copy)]
pub(super) struct Neon;

/// Operations that are one instruction for each part of the lanes.
macro_rules! on_parts {
    ($($name:ident($($v:ident),+) => $result:expr,)+) => {$(
        #[inline(always)]
        fn $name(self, $($v: Self::V),+) -> Self::V {
            array::from_fn(|part| {
                let ($($v,)+) = ($($v[part],)+);
                // SAFETY: every 64-bit ARM processor has the instructions.
                unsafe { $result }
            })
        }
    )+};
}

impl Simd for Neon {
    type V = [float32x4_t; PARTS];

    const REGISTERS: Registers = Registers::Eight;

    on_parts! {
        add(a, b) => arch::vaddq_f32(a, b),
        sub(a, b) => arch::vsubq_f32(a, b),
        mul(a, b) => arch::vmulq_f32(a, b),
        // Not `vmaxq_f32`, which returns NaN if one is NaN.
        max(a, b) => arch::vbslq_f32(arch::vcgtq_f32(a, b), a, b),
        where_positive(a, b) => {
            let bits = arch::vandq_u32(arch::vcgtzq_f32(a), arch::vreinterpretq_u32_f32(b));
            arch::vreinterpretq_f32_u32(bits)
        },
        mul_add(a, b, c) => arch::vfmaq_f32(c, a, b),
    }

    #[inline(always)]
    fn zero(self) -> Self::V {
        self.splat(0.0)
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self::V {
        // SAFETY: every 64-bit ARM processor has the instruction.
        unsafe { [arch::vdupq_n_f32(number); PARTS] }
    }

    #[inline(always)]
    fn load(self, from: &Lanes) -> Self::V {
        array::from_fn(|part| {
            let numbers = &from.0[part * WIDTH..][..WIDTH];
            // SAFETY: as above, and there are four numbers.
            unsafe { arch::vld1q_f32(numbers.as_ptr()) }
        })
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Self::V) {
        for (numbers, part) in to.0.chunks_exact_mut(WIDTH).zip(v) {
            // SAFETY: as above, and there are four numbers.
            unsafe { arch::vst1q_f32(numbers.as_mut_ptr(), part) }
        }
    }
}
