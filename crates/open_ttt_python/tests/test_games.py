"""Games: moves, history, outcome, drawing, observations, copies."""

import copy
import pickle
import random
from collections.abc import Iterator

import numpy as np
import open_ttt
import pytest

KEYS = [info.key for info in open_ttt.games()]


def random_game(name: str, seed: int, plies: int = 10_000) -> open_ttt.Game:
    chance, game = random.Random(seed), open_ttt.Game(name)
    while not game.is_over and len(game.history) < plies:
        game.play(chance.choice(game.legal_indices()))
    return game


# Published counts: tic-tac-toe by exhaustive search (255,168 games); Connect Four: OEIS
# A090224 counts positions, these are move sequences (7^n until a column is full); Othello:
# Aart Bik's perft; checkers: Aart Bik's perft.
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("ttt", [9, 72, 504, 3_024, 15_120, 54_720]),
        ("connect4", [7, 49, 343, 2_401, 16_807, 117_649, 823_536]),
        ("reversi", [4, 12, 56, 244, 1_396, 8_200, 55_092]),
        ("draughts", [7, 49, 302, 1_469, 7_361, 36_768, 179_740]),
    ],
)
def test_perft_has_published_counts(name: str, counts: list[int]) -> None:
    game = open_ttt.Game(name)
    assert [game.perft(depth) for depth in range(1, len(counts) + 1)] == counts


def test_perft_counts_to_any_depth_that_ends() -> None:
    # Of the games of tic-tac-toe 127,872 have nine moves, and none has more.
    game = open_ttt.Game("ttt")
    assert [game.perft(depth) for depth in (0, 9, 10, 100)] == [1, 127_872, 0, 0]


def test_the_catalog_has_games_with_rules_and_parameters() -> None:
    infos = {info.key: info for info in open_ttt.games()}
    assert infos["ttt"].title == "Tic-tac-toe"
    assert "draw" in infos["ttt"].rules
    parameters = {parameter.name: parameter for parameter in infos["mnk"].parameters}
    assert list(parameters) == ["m", "n", "k"]
    assert (parameters["m"].default, parameters["m"].allowed) == (15, "1 to 19")
    assert parameters["m"].meaning == "number of columns"


def test_a_game_is_played_by_notation_and_by_index() -> None:
    by_text = open_ttt.Game("ttt")
    for text in ["b2", "a1", "c3"]:
        by_text.play(text)
    by_index = open_ttt.Game("ttt", [4, np.int64(0), 8])
    assert by_text == by_index == open_ttt.Game("ttt", "b2 a1,c3")
    assert by_text.history == ["b2", "a1", "c3"]
    assert by_text.history_indices == [4, 0, 8]
    assert by_text.to_move == 1
    assert by_text.side_names == ("X", "O")
    assert (by_text.move_text(4), by_text.move_index("c1")) == ("b2", 2)
    assert by_text.legal_moves() == ["b1", "c1", "a2", "c2", "a3", "b3"]
    assert by_text.legal_indices() == [1, 2, 3, 5, 6, 7]


def test_what_makes_the_moves_may_look_at_the_game() -> None:
    game, player = open_ttt.Game("connect4"), open_ttt.Player("random(seed=1)")
    game.play_moves(player.choose(game) for _ in range(4))
    assert len(game.history) == 4

    def ends_badly() -> Iterator[str]:
        yield game.legal_moves()[0]
        assert len(game.history) == 5
        yield "z9"

    with pytest.raises(open_ttt.IllegalMoveError, match="z9"):
        game.play_moves(ends_badly())
    assert len(game.history) == 5


def test_the_end_of_a_game() -> None:
    game = open_ttt.Game("ttt", "a1 b1 a2 b2")
    assert (game.is_over, game.outcome, game.winner, game.returns) == (False, None, None, (0, 0))
    game.play("a3")
    assert (game.is_over, game.outcome, game.winner) == (True, "first", 0)
    assert game.returns == (1, -1)
    assert game.legal_moves() == []
    assert not game.action_mask().any()
    drawn = open_ttt.Game("ttt", "b2 a1 c1 a3 a2 c2 b1 b3 c3")
    assert (drawn.outcome, drawn.winner, drawn.returns) == ("draw", None, (0, 0))


def test_moves_are_taken_back() -> None:
    game = open_ttt.Game("connect4", "4453")
    assert game.undo() == "3"
    assert game == open_ttt.Game("connect4", "445")
    assert [game.undo() for _ in range(4)] == ["5", "4", "4", None]
    assert game == open_ttt.Game("connect4")


def test_a_rule_about_repetition_ends_a_game() -> None:
    # Two kings go back and forth: the third occurrence of a position is a draw.
    game = random_game("morris(men=3)", 3)
    seeds = range(200)
    games = (random_game("morris(men=3)", seed) for seed in seeds)
    game = next(game for game in games if game.outcome == "draw")
    assert game.legal_moves() == []
    with pytest.raises(open_ttt.IllegalMoveError, match="the game is over"):
        game.play(game.history[-1])


def test_boards_are_drawn() -> None:
    game = open_ttt.Game("ttt", "b2 c1")
    assert str(game) == (
        "   +---+---+---+\n"
        " 3 |   |   |   |\n"
        "   +---+---+---+\n"
        " 2 |   | X |   |\n"
        "   +---+---+---+\n"
        " 1 |   |   | O |\n"
        "   +---+---+---+\n"
        "     a   b   c\n"
    )
    assert "\x1b[38;5;160mX\x1b[0m" in game.draw(coloured=True)
    assert game.draw(columns=8).count("\n") < str(game).count("\n")
    assert repr(game) == "Game('ttt', 'b2 c1')"


def test_points_are_those_of_games_that_count_them() -> None:
    assert open_ttt.Game("reversi").points == (2, 2)
    assert open_ttt.Game("ttt").points is None


@pytest.mark.parametrize("key", KEYS)
def test_a_game_survives_pickling_and_copies(key: str) -> None:
    game = random_game(key, 1, 3)
    for same in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
        assert same == game
        assert (same.history, same.name) == (game.history, game.name)
        same.play(same.legal_moves()[0])
        assert same != game
    assert game != open_ttt.Game(key)
    assert game != key


@pytest.mark.parametrize("key", KEYS)
def test_observations_and_masks_fit_their_shapes(key: str) -> None:
    game = random_game(key, 2, 15)
    observation, mask = game.observation(), game.action_mask()
    assert observation.shape == game.observation_shape
    assert observation.dtype == np.float32
    assert np.abs(observation).max() <= 1
    assert mask.shape == (game.num_actions,)
    assert np.flatnonzero(mask).tolist() == sorted(game.legal_indices())


def test_an_observation_shows_the_pieces_of_the_side_to_move_first() -> None:
    own, other = open_ttt.Game("ttt", "a1 c2 b2").observation()
    # Rows from the bottom, O to move.
    assert own.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert other.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
