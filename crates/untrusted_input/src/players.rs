//! Players by name, and the records of their games.

use core::str::from_utf8;

use open_ttt_catalog::PlayerSpec;
use open_ttt_lib::rules::Side;
use open_ttt_players::{Strength, TextRecord};

use crate::CATALOG;

pub(crate) fn player(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    if let Ok(strength) = text.parse::<Strength>() {
        assert_eq!(
            strength.to_string().parse().as_ref(),
            Ok(&strength),
            "{text:?}"
        );
    }
    let Ok(player) = text.parse::<PlayerSpec>() else {
        return false;
    };
    for player in [
        &player,
        &player.after_results(3, 1),
        &player.after_results(1, 30),
    ] {
        let written = player.to_string();
        assert_eq!(
            written.parse().as_ref(),
            Ok(player),
            "{written:?} of {text:?}"
        );
        // It is part of records of games.
        assert!(!written.contains(char::is_control), "{written:?}");
    }
    true
}

pub(crate) fn text_record(bytes: &[u8]) -> bool {
    let Ok(line) = from_utf8(bytes) else {
        return false;
    };
    let Ok(record) = line.parse::<TextRecord>() else {
        return false;
    };
    assert_eq!(record.to_string(), line);
    let Ok((start, moves)) = record.replay(|name| CATALOG.game(name)) else {
        return false;
    };
    // With the name and the moves as the game writes them.
    let players = [Side::First, Side::Second].map(|side| record.player(side));
    let end = (record.outcome(), record.termination());
    let written = TextRecord::of_moves(&start, &moves, players, end);
    let written = written.expect("the fields are valid");
    assert_eq!(written.result(), record.result());
    let replayed = written.replay(|name| CATALOG.game(name));
    assert!(replayed.as_ref() == Ok(&(start, moves)), "{written}");
    true
}
