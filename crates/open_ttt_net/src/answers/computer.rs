use std::num::NonZero;

use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::{History, Notation, SpecError};
use open_ttt_players::{Turn, request_move};
use open_ttt_search::{Clock, StopFlag};

use crate::matches::{Act, DynMatch, Score, Seat};

/// Parses the specification of a computer for a game. On a server a computer
/// uses one thread, whatever its specification says, and no file: a client must not
/// make the server open files.
///
/// A perfect player may solve the game before it says that it is too large, so this
/// belongs where it may take long.
pub(crate) fn parse_computer(
    game: &DynGame,
    text: &str,
    clock: Clock,
) -> Result<PlayerSpec, SpecError> {
    let mut spec: PlayerSpec = text.parse()?;
    if spec.network_file().is_some() {
        return Err(SpecError::Unavailable {
            owner: "net:FILE".to_owned(),
            reason: "a server loads no files for its clients; use net:pretrained, if the game \
                     has a pretrained network"
                .to_owned(),
        });
    }
    spec.threads = Some(NonZero::<usize>::MIN);
    let _players = game.players(&spec, clock)?;
    Ok(spec)
}

/// The computer in a seat of a match with this score, as [`parse_computer`]: one that is given
/// by its strength follows the results of its opponent.
pub(crate) fn computer_at(
    game: &DynGame,
    text: &str,
    seat: Seat,
    score: Score,
    clock: Clock,
) -> Result<PlayerSpec, SpecError> {
    let [won, lost] = [!seat, seat].map(|seat| score.wins[seat.index()]);
    Ok(parse_computer(game, text, clock)?.after_results(won, lost))
}

/// Decides for a computer in a game that is not over. `nonce` differs from
/// move to move, so a seeded computer does not repeat its random choices.
pub(crate) fn decide(
    game: &History<DynGame>,
    spec: &PlayerSpec,
    nonce: u64,
    clock: Clock,
    stop: &StopFlag,
) -> Result<Act, SpecError> {
    let mut spec = spec.clone();
    spec.seed = spec
        .seed
        .map(|seed| seed ^ nonce.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let position = game.position();
    let mut player = position.player(&spec, clock)?;
    let turn = Turn::of(game).with_stop(stop.clone());
    Ok(match request_move(turn, &mut player) {
        Ok(m) => Act::play(&position.move_text(m)),
        Err(_) => Act::Resign,
    })
}

/// What a computer does besides moving: it declines each draw, lets moves be taken back, and
/// plays again. Where no move is possible any more, because the game has had too many, it
/// offers and accepts a draw.
pub(crate) fn reply(state: &DynMatch) -> Option<(Seat, Act)> {
    let replying = |asker: Option<Seat>| {
        let seat = asker.map(|seat| !seat);
        seat.filter(|&seat| state.has_computer(seat))
    };
    let is_out_of_moves = state.is_out_of_moves();
    if let Some(seat) = replying(state.draw_offer()) {
        let act = if is_out_of_moves {
            Act::AcceptDraw
        } else {
            Act::RefuseDraw
        };
        return Some((seat, act));
    }
    if let Some(seat) = replying(state.take_back()) {
        return Some((seat, Act::GrantTakeBack));
    }
    if is_out_of_moves && state.draw_offer().is_none() {
        let mut computers = Seat::ALL.into_iter();
        let offerer = computers.find(|&seat| state.has_computer(seat));
        return offerer.map(|seat| (seat, Act::OfferDraw));
    }
    let mut rematch = Seat::ALL.into_iter().filter(|&seat| {
        state.has_computer(seat) && !state.wants_rematch(seat) && state.wants_rematch(!seat)
    });
    rematch.next().map(|seat| (seat, Act::Rematch))
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use open_ttt_catalog::Catalog;

    use super::*;

    #[test]
    fn an_adaptive_computer_follows_the_results_of_its_match() {
        let game = Catalog::bundled().game("ttt").expect("a game");
        let score = Score {
            wins: [1, 3],
            draws: 2,
        };
        let at = |text, seat| {
            let computer = computer_at(&game, text, seat, score, Clock::new(|| Duration::ZERO))
                .expect("a computer");
            assert_eq!(computer.threads, Some(NonZero::<usize>::MIN));
            computer.to_string()
        };
        // Its opponent has won three games, or one.
        assert_eq!(at("level(strength=2.1)", Seat::A), "level(strength=2.76)");
        assert_eq!(at("level(strength=2.1)", Seat::B), "level(strength=1.44)");
        assert_eq!(at("hard", Seat::A), "hard");
        assert_eq!(at("mcts(ms=50)", Seat::A), "mcts(ms=50)");
    }
}
