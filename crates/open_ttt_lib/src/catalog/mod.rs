//! Games and players by name, for programs that choose at run time.
//!
//! [`games`] lists what there is, [`game`] gives the start of one as a
//! [`DynGame`]: a game like any other to read, behind which searches run at
//! full speed on the game itself. [`PlayerSpec`] reads who shall play it.
//!
//! ```
//! use open_ttt_lib::catalog::{self, PlayerSpec};
//! use open_ttt_lib::players::play_game;
//! use open_ttt_lib::rules::{Outcome, Side};
//! use open_ttt_lib::search::Clock;
//!
//! let game = catalog::game("mnk(m=4,n=3,k=3)")?;
//! let first: PlayerSpec = "perfect(seed=1)".parse()?;
//! let second: PlayerSpec = "random(seed=1)".parse()?;
//! let clock = Clock::new(|| std::time::Duration::ZERO);
//! let record = play_game(
//!     &game,
//!     &mut game.player(&first, clock)?,
//!     &mut game.player(&second, clock)?,
//! );
//! assert_eq!(record.end.outcome(), Outcome::Win(Side::First));
//! assert_eq!(
//!     catalog::game("chess").unwrap_err().to_string(),
//!     r#"there is no game "chess"; there is ttt, pegs, connect4, mnk, qubic, ultimate"#,
//! );
//! # Ok::<(), open_ttt_lib::rules::SpecError>(())
//! ```

mod analysis;
mod dyn_game;
mod dyn_move;
mod dyn_player;
mod entry;
mod erased;
mod network_source;
mod player_spec;
mod solving;

pub use analysis::{Analysis, Verdict};
pub use dyn_game::DynGame;
pub use dyn_move::DynMove;
pub use entry::{CatalogGame, Entry, MakePerfect, game, games};
pub use network_source::NetworkSource;
pub use player_spec::{Effort, PlayerKind, PlayerSpec};
pub use solving::{Progress, Solved, Solver, Worth};
