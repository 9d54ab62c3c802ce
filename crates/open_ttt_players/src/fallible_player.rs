use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Drawing, Outcome, TwoPlayerGame};
use open_ttt_search::{Budget, Evaluator, IterativeDeepening, RootMoves};

use super::overlooking::{BlindSpots, Overlooking, SeenThrough};
use super::{Decision, Player, Skill, Turn};

/// A computer that errs as people do: it overlooks moves, its own and the opponent's. Those
/// far from the last move are overlooked more often than those near it, and what is deep
/// more often than what is plain, because a line is seen only if each of its moves is.
///
/// On some turns it is attentive, and leaves the move to another player. How often, how much
/// it overlooks on the others, and how far it then looks ahead is its [`Skill`].
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::{FalliblePlayer, GameEnd, Negamax, Random, Skill, play_game};
/// use open_ttt_search::{Budget, HeuristicEvaluator};
///
/// let attentive = Negamax::new(HeuristicEvaluator, Budget::nodes(1_000));
/// let skill = Skill::clamped(0.4);
/// let mut computer = FalliblePlayer::new(skill, HeuristicEvaluator, attentive, 1);
/// let record = play_game(&ConnectFour::new(), &mut computer, &mut Random::seeded(1));
/// assert!(matches!(record.end, GameEnd::Finished(_)));
/// ```
#[derive(Clone, Debug)]
pub struct FalliblePlayer<E, P> {
    skill: Skill,
    evaluator: E,
    attentive: P,
    rng: Rng,
}

impl<E, P> FalliblePlayer<E, P> {
    /// A player that searches with this evaluator, or lets another one move in attentive
    /// turns. Equal seeds play alike, if the other player does.
    pub const fn new(skill: Skill, evaluator: E, attentive: P, seed: u64) -> Self {
        Self {
            skill,
            evaluator,
            attentive,
            rng: Rng::new(seed),
        }
    }

    /// Chooses among the moves that it doesn't overlook.
    fn play_inattentively<G>(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move>
    where
        G: Drawing + TwoPlayerGame<Move: Send + Sync> + Send + Sync,
        E: Evaluator<G> + Clone + Sync,
    {
        let blind_spots = BlindSpots::new(turn, self.skill.overlooks(), self.rng.next_u64());
        let seen = |position: &G| Overlooking {
            position: position.clone(),
            blind_spots: &blind_spots,
        };
        let earlier: Vec<_> = turn.earlier.iter().map(seen).collect();
        let result = IterativeDeepening::default().search_with_history(
            &earlier,
            &seen(turn.game),
            RootMoves::BestOnly,
            &SeenThrough(self.evaluator.clone()),
            &Budget::nodes(self.skill.nodes()),
            &turn.stop,
        );
        Decision::play_or_resign(self.rng.pick(result.best))
    }
}

impl<G, E, P> Player<G> for FalliblePlayer<E, P>
where
    G: Drawing + TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Clone + Sync,
    P: Player<G>,
{
    fn player_name(&self) -> &'static str {
        "fallible"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        if self.skill.takes_wins() {
            let won = Some(Outcome::Win(turn.side));
            let wins = |&m: &G::Move| turn.game.after(m).outcome() == won;
            if let Some(m) = turn.game.moves().find(wins) {
                return Decision::Play(m);
            }
        }
        if self.rng.chance(self.skill.attention()) {
            self.attentive.take_turn(turn)
        } else {
            self.play_inattentively(turn)
        }
    }

    fn failure(&self) -> Option<&str> {
        self.attentive.failure()
    }
}
