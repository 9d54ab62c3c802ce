"""Values, hints and reviews."""

import os
import signal
import threading
from collections.abc import Callable

import open_ttt
import pytest


def by_move(game: open_ttt.Game, **limits: int) -> dict[str, open_ttt.MoveValue]:
    return {value.move: value for value in game.values(**limits)}


def test_tic_tac_toe_is_a_draw() -> None:
    for value in open_ttt.Game("ttt").values():
        assert (value.result, value.exact, value.expected) == ("draw", True, 0.5)
        assert (value.margin, value.uncertainty) == (None, 0)
    analysis = open_ttt.Game("ttt").analyze()
    assert (analysis.result, analysis.exact, len(analysis.best)) == ("draw", True, 9)


def test_connect_four_has_its_published_values() -> None:
    # James D. Allen and Victor Allis, 1988; the distances are those of Pascal Pons' solver.
    values = by_move(open_ttt.Game("connect4"))
    assert (values["4"].result, values["4"].plies) == ("win", 41)
    assert [values[move].result for move in "35"] == ["draw", "draw"]
    assert [(values[move].result, values[move].plies) for move in "26"] == [("loss", 42)] * 2
    assert [(values[move].result, values[move].plies) for move in "17"] == [("loss", 40)] * 2
    assert open_ttt.Game("connect4").values()[0].move == "4"


def test_values_are_for_the_side_to_move_and_the_best_come_first() -> None:
    values = open_ttt.Game("ttt", "a1 c3 a3").values()
    # O must block a2, and loses all the same to the threats of X.
    assert (values[0].move, values[0].index, values[0].result) == ("a2", 3, "loss")
    assert {value.result for value in values} == {"loss"}
    assert values[0].plies is not None and values[-1].plies is not None
    assert values[0].plies > values[-1].plies == 2


def test_points_have_margins() -> None:
    game = open_ttt.Game("reversi(size=4)")
    # 4x4 Othello is lost by 8 discs for the first player: a known result of full search.
    analysis = game.analyze()
    assert (analysis.result, analysis.margin, analysis.exact) == ("loss", -8, True)


def test_a_finished_game_has_no_values() -> None:
    game = open_ttt.Game("ttt", "a1 b1 a2 b2 a3")
    assert game.values() == []
    assert game.hint() is None
    assert (game.analyze().result, game.analyze().plies, game.analyze().best) == ("loss", 0, [])


def test_a_hint_is_a_move_and_a_sentence() -> None:
    hint = open_ttt.Game("ttt", "a1 b2 a2").hint()
    assert hint is not None
    assert (hint.move, hint.index, hint.line[0]) == ("a3", 6, "a3")
    assert hint.sentence == str(hint) == (
        "a3 stops X from winning there, threatens to win with c1 and is the only move that "
        "doesn't lose."
    )


def test_a_limited_search_estimates() -> None:
    values = open_ttt.Game("ultimate").values(nodes=500, threads=1)
    assert len(values) == 81
    assert {value.result for value in values} == {"unknown"}
    assert all(0 <= value.expected <= 1 and not value.exact for value in values)


def test_a_review_finds_the_mistake() -> None:
    # An edge is a bad answer to a corner, and nothing helps after it.
    review = open_ttt.Game("ttt", "a1 b1 b2 c3 a3 c1 a2").review()
    assert [move.quality for move in review.moves].index("mistake") == 1
    assert review.moves[1].side == 1
    assert review.moves[1].played.move == "b1"
    assert review.moves[1].best.move == "b2"
    assert review.moves[1].lost == 0.5
    assert review.accuracy[0] == 100
    assert open_ttt.Game("ttt").review().accuracy == (None, None)


def test_a_judge_is_kept_for_later_positions_and_earlier_ones() -> None:
    game = open_ttt.Game("ttt", "a1 c3 a3")
    assert by_move(game)["a2"].result == "loss"
    game.undo()
    game.undo()
    assert {move for move, value in by_move(game).items() if value.result == "draw"} == {"b2"}


@pytest.mark.parametrize(
    "search",
    ["values", "hint", "analyze", "review", "perft", "perft_of_quarto", "choose", "match"],
)
def test_ctrl_c_interrupts_a_search(search: str) -> None:
    # All of these would go on for days.
    game, days = open_ttt.Game("mnk", "h8 h9"), 1e6
    searches: dict[str, Callable[[], object]] = {
        "values": lambda: game.values(seconds=days),
        "hint": lambda: game.hint(seconds=days),
        "analyze": lambda: game.analyze(seconds=days),
        "review": lambda: game.review(seconds=days),
        "perft": lambda: game.perft(100),
        # Its first move has few choices, and the reply many.
        "perft_of_quarto": lambda: open_ttt.Game("quarto").perft(6),
        "choose": lambda: open_ttt.Player("mcts(ms=3600000)").choose(game),
        "match": lambda: open_ttt.play_match("mnk", "mcts(ms=3600000)", "random"),
    }
    # What a shell starts in the background ignores it otherwise.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            searches[search]()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    # The game is as it was, and can be searched again.
    assert game.history == ["h8", "h9"]
    assert game.values(nodes=100)


