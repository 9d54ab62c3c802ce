"""What goes wrong is a Python exception with one clear sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import open_ttt
import pytest

TTT = open_ttt.Game("ttt", "a1")
OVER = open_ttt.Game("ttt", "a1 b1 a2 b2 a3")
ENV = open_ttt.VectorEnv("ttt", 2)


def strings(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: open_ttt.Game("chess"), ValueError, 'unknown game "chess"; expected ttt, pegs,'),
        (lambda: open_ttt.Game("mnk(m=99)"), ValueError, "1 to 19"),
        (lambda: open_ttt.Game("ttt", "a1 a1"), open_ttt.IllegalMoveError, "already taken"),
        (lambda: open_ttt.Game("ttt", ["a1", 0]), open_ttt.IllegalMoveError, "already taken"),
        (lambda: open_ttt.Game("ttt", strings(7)), TypeError, "not iterable"),
        (lambda: TTT.play("a1"), open_ttt.IllegalMoveError, "a1 is not possible: that place"),
        (lambda: TTT.play("z9"), open_ttt.IllegalMoveError, '"z9" isn\'t a move; expected'),
        (lambda: TTT.play(9), open_ttt.IllegalMoveError, "9 is not possible: the board has no"),
        (lambda: TTT.play(-1), open_ttt.IllegalMoveError, "-1 is not possible"),
        (lambda: TTT.play(2**80), TypeError, "text or an index"),
        (lambda: TTT.play(True), TypeError, "a move is text or an index, not bool"),
        (lambda: TTT.play(strings(1.5)), TypeError, "a move is text or an index, not float"),
        (lambda: TTT.play(strings(None)), TypeError, "not NoneType"),
        (lambda: OVER.play("c3"), open_ttt.IllegalMoveError, "the game is over"),
        (lambda: OVER.play(99), open_ttt.IllegalMoveError, "the game is over"),
        (lambda: TTT.move_text(9), IndexError, "no move of the position has the index 9"),
        (lambda: TTT.move_text(-1), IndexError, "no move of the position has the index -1"),
        (lambda: TTT.draw(columns=-1), ValueError, "columns is -1; expected 0 to 65535"),
        (lambda: TTT.draw(rows=70_000), ValueError, "rows is 70000; expected 0 to 65535"),
        (lambda: TTT.move_index("z9"), ValueError, "isn't a move"),
        (lambda: TTT.perft(101), ValueError, "depth is 101; expected 0 to 100"),
        (lambda: TTT.perft(-1), ValueError, "depth is -1; expected 0 to 100"),
        (lambda: TTT.perft(2**90), ValueError, f"depth is {2**90}; expected"),
        (lambda: TTT.perft(strings(1.0)), TypeError, "integer"),
        (lambda: TTT.values(seconds=0), ValueError, "seconds is 0; expected more than 0"),
        (lambda: TTT.values(seconds=float("nan")), ValueError, "seconds is NaN"),
        (lambda: TTT.values(nodes=0), ValueError, "nodes is 0; expected 1 or more"),
        (lambda: TTT.values(nodes=-1), ValueError, "nodes is -1; expected 1 or more"),
        (lambda: TTT.values(nodes=2**64), ValueError, "in 64 bits"),
        (lambda: TTT.hint(threads=0), ValueError, "threads is 0; expected 1 to 1024"),
        (lambda: TTT.hint(threads=-1), ValueError, "threads is -1; expected 1 to 1024"),
        (lambda: open_ttt.Player("deep"), ValueError, 'unknown player "deep"; expected human,'),
        (lambda: open_ttt.Player("human"), ValueError, "isn't a computer player"),
        (lambda: open_ttt.Player("mcts(ms=0)"), ValueError, "1 to 3600000"),
        (
            lambda: open_ttt.Player("net:no/such/file"),
            FileNotFoundError,
            'can\'t read "no/such/file"',
        ),
        (lambda: open_ttt.Player("net:."), OSError, "it isn't a file"),
        (lambda: open_ttt.Player("engine:cat"), ValueError, "programs aren't started here"),
        (lambda: open_ttt.Player("hard").choose(OVER), ValueError, "the game is over"),
        (
            lambda: open_ttt.Player("net:pretrained").choose(open_ttt.Game("quarto")),
            ValueError,
            "net:pretrained",
        ),
        (
            lambda: open_ttt.Player("perfect").choose(open_ttt.Game("ultimate")),
            ValueError,
            "perfect: ",
        ),
        (lambda: open_ttt.play_match("ttt", strings(3), "random"), TypeError, "not int"),
        (
            lambda: open_ttt.play_match("ttt", "random", "random", -1),
            ValueError,
            "games is -1; expected 0 to",
        ),
        (
            lambda: open_ttt.play_match("ttt", "random", "random", seed=-1),
            ValueError,
            "seed is -1; expected 0 or more",
        ),
        (lambda: ENV.step([0]), ValueError, "1 actions for 2 games"),
        (lambda: ENV.step([]), ValueError, "0 actions for 2 games"),
        (lambda: ENV.step([[0], [1]]), ValueError, "the shape (2, 1); expected (2,)"),
        (lambda: ENV.step(3), ValueError, "the shape (); expected (2,)"),
        (
            lambda: ENV.step(np.array([0, 2**63], np.uint64)),
            open_ttt.IllegalMoveError,
            "action 9223372036854775808 is illegal in game 1",
        ),
        (lambda: ENV.step([0, 9]), open_ttt.IllegalMoveError, "action 9 is illegal in game 1"),
        (lambda: ENV.step([-1, 0]), open_ttt.IllegalMoveError, "action -1 is illegal in game 0"),
        (lambda: ENV.step([0.0, 1.0]), TypeError, "actions are integers, not float64"),
        (lambda: ENV.step(np.zeros(2, np.float32)), TypeError, "integers, not float32"),
        (lambda: ENV.step([True, False]), TypeError, "actions are integers, not bool"),
        (lambda: ENV.step(["0", "1"]), TypeError, "actions are integers, not "),
        (lambda: ENV.game(2), IndexError, "there is no game 2; the first is 0 and the last 1"),
        (lambda: ENV.game(-1), IndexError, "there is no game -1; the first is 0 and the last 1"),
        (lambda: ENV.reset(-1), ValueError, "seed is -1; expected 0 or more"),
        (lambda: open_ttt.VectorEnv("ttt", -1), ValueError, "num_envs is -1; expected 1 to"),
        (lambda: open_ttt.VectorEnv("ttt", 0), ValueError, "num_envs is 0; expected 1 to"),
        (lambda: open_ttt.VectorEnv("ttt", 2**40), ValueError, "num_envs is 1099511627776"),
        (lambda: open_ttt.VectorEnv("chess", 1), ValueError, 'unknown game "chess"'),
    ],
)
def test_an_error_says_what_is_wrong(
    call: Callable[[], object], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error) as raised:
        call()
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_a_network(tmp_path: Path) -> None:
    file = tmp_path / "no.safetensors"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="isn't a network"):
        open_ttt.Player(f"net:{file}")


def test_an_illegal_move_changes_nothing() -> None:
    game = open_ttt.Game("ttt", "a1")
    with pytest.raises(open_ttt.IllegalMoveError):
        game.play("a1")
    assert game == TTT
    env = open_ttt.VectorEnv("ttt", 2)
    before = env.masks.copy()
    with pytest.raises(open_ttt.IllegalMoveError):
        env.step([3, 10])
    assert np.array_equal(env.masks, before)


def test_a_game_that_begins_in_the_middle_is_not_pickled() -> None:
    env = open_ttt.VectorEnv("ttt", 1)
    env.step([0])
    with pytest.raises(ValueError, match="begins at a later position"):
        env.game(0).__reduce__()
