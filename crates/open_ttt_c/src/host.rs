//! What the library asks of the program or page in which it runs: the time, and chance.

#[cfg(not(target_family = "wasm"))]
pub(crate) use self::system::{clock, seed};
#[cfg(target_family = "wasm")]
pub(crate) use self::web::{clock, seed};

#[cfg(not(target_family = "wasm"))]
mod system {
    use std::sync::LazyLock;
    use std::time::Instant;

    use open_ttt_lib::random::Rng;
    use open_ttt_search::Clock;

    /// The clock of players with a time limit.
    pub(crate) fn clock() -> Clock {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        Clock::new(|| START.elapsed())
    }

    /// A seed that differs from call to call.
    pub(crate) fn seed() -> u64 {
        Rng::from_entropy().next_u64()
    }
}

/// WebAssembly has neither; the module imports both.
#[cfg(target_family = "wasm")]
mod web {
    use std::time::Duration;

    use open_ttt_search::Clock;

    #[link(wasm_import_module = "open_ttt")]
    unsafe extern "C" {
        /// Milliseconds since some moment, never decreasing.
        safe fn now() -> f64;
        /// A random number from 0 to 1.
        safe fn random() -> f64;
    }

    pub(crate) fn clock() -> Clock {
        Clock::new(|| Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default())
    }

    pub(crate) fn seed() -> u64 {
        random().to_bits()
    }
}
