use open_ttt_lib::rules::Notation;

/// A reason for a move. Each says exactly what it means, so that it can be checked.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Claim<M> {
    /// The move ends the game, and its side wins.
    WinsAtOnce,
    /// After at least half of the other moves the opponent could win at once with
    /// `threat`; after this move there is no way to win at once.
    Stops {
        /// The opponent's winning move.
        threat: M,
        /// Whether the opponent could win at once after *every* other move.
        only: bool,
    },
    /// After at least half of the opponent's replies the side wins at once with this move.
    Threatens(M),
    /// Whatever the opponent replies, the side wins at once, with one of these moves or
    /// another.
    TwoThreats(M, M),
    /// The side has so many points more after the move.
    Scores(u32),
    /// Under best play the side wins.
    Wins {
        /// The moves of both sides to the end, this one included, if known.
        plies: Option<u32>,
        /// Whether no other move wins.
        only: bool,
    },
    /// Under best play the side wins by so many points.
    WinsBy {
        /// The points.
        margin: i32,
    },
    /// Under best play the game is drawn, and every other move loses.
    OnlyMoveToDraw,
    /// Under best play the game is drawn.
    Draws,
    /// Under best play the game is drawn whatever the move.
    AllDraw,
    /// Under best play the game is drawn after this move. Another one may be better.
    AtLeastDraws,
    /// The side loses under best play; no move is known to last longer.
    Loses {
        /// The moves of both sides to the end, this one included, if known.
        plies: Option<u32>,
    },
    /// The side loses by so many points under best play, and no move loses by fewer.
    LosesBy {
        /// The points.
        margin: i32,
    },
    /// There is no other move.
    OnlyMove,
    /// An estimate: the points, 0 to 1, that the side can expect.
    Promises {
        /// The points: 1 for a win, half for a draw.
        expected: f64,
    },
}

impl<M: Copy + Eq> Claim<M> {
    /// How telling the claim is, to choose among moves that are equally good.
    pub(super) const fn weight(&self) -> u32 {
        match self {
            Self::WinsAtOnce => 32,
            Self::TwoThreats(..) => 16,
            Self::Stops { .. } => 8,
            Self::Scores(_) => 4,
            Self::Threatens(_) => 2,
            _ => 0,
        }
    }

    /// What joins the claim with those before it.
    pub(super) const fn conjunction(&self) -> &'static str {
        match self {
            Self::Loses { plies: None } | Self::LosesBy { .. } => "but",
            _ => "and",
        }
    }

    /// The claim as the end of a sentence whose subject is the move.
    pub(super) fn clause<G: Notation<Move = M>>(&self, game: &G, m: M) -> String {
        let opponent = game.side_name(game.to_move().other());
        let text = |m: M| game.move_text(m);
        match *self {
            Self::WinsAtOnce => "wins at once".to_owned(),
            Self::Stops { threat, .. } if threat == m => {
                format!("stops {opponent} from winning there")
            }
            Self::Stops { threat, .. } => {
                format!("stops {opponent} from winning with {}", text(threat))
            }
            Self::Threatens(next) => format!("threatens to win with {}", text(next)),
            Self::TwoThreats(a, b) => {
                format!("makes two threats at once, {} and {}", text(a), text(b))
            }
            Self::Scores(1) => "scores a point".to_owned(),
            Self::Scores(points) => format!("scores {points} points"),
            Self::Wins { plies, only } => {
                let only = if only {
                    "is the only move that wins"
                } else {
                    "wins"
                };
                match plies {
                    Some(plies) => {
                        format!("{only}, within {plies} moves, {opponent}'s included")
                    }
                    None => only.to_owned(),
                }
            }
            Self::WinsBy { margin } => format!("wins by {} under best play", points(margin)),
            Self::OnlyMoveToDraw => "is the only move that doesn't lose".to_owned(),
            Self::Draws => "keeps the draw".to_owned(),
            Self::AtLeastDraws => "draws at least".to_owned(),
            Self::AllDraw => "keeps the draw, as every move does".to_owned(),
            Self::Loses { plies: Some(plies) } => {
                format!(
                    "holds out as long as possible, but loses within {plies} moves, \
                     {opponent}'s included"
                )
            }
            Self::Loses { plies: None } => "loses, as every move does".to_owned(),
            Self::LosesBy { margin } => {
                format!("loses by only {} under best play", points(margin))
            }
            Self::OnlyMove => "is the only move".to_owned(),
            Self::Promises { expected } => {
                let share = (100.0 * expected).round();
                format!("looks best, with about {share} of 100 points to expect")
            }
        }
    }
}

fn points(margin: i32) -> String {
    match margin {
        1 => "a point".to_owned(),
        _ => format!("{margin} points"),
    }
}
