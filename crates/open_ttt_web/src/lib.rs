//! The functions of [`open_ttt_c`] as a WebAssembly module. `npm/open_ttt.js` calls them.

pub use open_ttt_c::*;
