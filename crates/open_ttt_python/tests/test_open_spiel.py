"""The rules beside those of OpenSpiel, an independent implementation, in random games."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import open_ttt
import pyspiel
import pytest

#: Random games of each game.
GAMES = 2_000

#: Longer games are cut off, of those in which positions can come back.
MAX_PLIES = 400

FILES = "abcdefghijklmnopqrstuvwxyz"

@dataclass(frozen=True)
class Pair:
    """The names of a game here and there, and how its moves are written here."""

    ours: str
    theirs: str
    #: The move that consists of these actions, each described by OpenSpiel.
    text: Callable[[list[str]], str]
    #: Whether OpenSpiel divides some moves into several actions of one side.
    is_divided: bool = False
    #: Whether the rules differ in when a game without progress is a draw.
    draws_differ: bool = False

    def __str__(self) -> str:
        return self.ours


def row_and_column(text: str) -> str:
    """The cell of ``x(1,2)``: a row and a column, from 0."""
    row, column = map(int, re.findall(r"\d+", text)[-2:])
    return f"{FILES[column]}{row + 1}"


def cell(actions: list[str]) -> str:
    return row_and_column(actions[0])


def connect_four_column(actions: list[str]) -> str:
    return str(int(actions[0][1:]) + 1)


def same_text(actions: list[str]) -> str:
    return actions[0]


def edge(actions: list[str]) -> str:
    """The edge ``P1(h,0,1)``."""
    direction, row, column = re.findall(r"[hv]|\d+", actions[0].split("(")[1])
    row, column = int(row), int(column)
    other = (row, column + 1) if direction == "h" else (row + 1, column)
    return f"{FILES[column]}{row + 1}-{FILES[other[1]]}{other[0] + 1}"


def ultimate_cell(actions: list[str]) -> str:
    """The cell ``Local board 4: x(0,1)``, perhaps after a choice of the board."""
    board, row, column = map(int, re.findall(r"\d+", actions[-1]))
    return f"{FILES[board % 3 * 3 + column]}{board // 3 * 3 + row + 1}"


POINTS = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split()


def morris_move(actions: list[str]) -> str:
    """``Point 1`` or ``Move 1 -> 2``, and perhaps ``Point 5``, the man that is captured."""
    points = [[POINTS[int(number)] for number in re.findall(r"\d+", text)] for text in actions]
    return "x".join("-".join(move) for move in points)


def square(name: str) -> int:
    """The number of a square of draughts, seen from the other side of the board."""
    column, row = 7 - FILES.index(name[0]), int(name[1]) - 1
    return row * 4 + column // 2 + 1


def draughts_move(actions: list[str]) -> str:
    """``c3d4``, or several jumps by one piece."""
    squares = [square(actions[0][:2])] + [square(text[2:4]) for text in actions]
    is_jump = abs(int(actions[0][1]) - int(actions[0][3])) == 2
    return ("x" if is_jump else "-").join(map(str, squares))


PAIRS = [
    Pair("ttt", "tic_tac_toe", cell),
    Pair("connect4", "connect_four", connect_four_column),
    Pair("mnk(m=5,n=4,k=3)", "mnk(m=5,n=4,k=3)", cell),
    Pair("mnk(m=7,n=7,k=4)", "mnk(m=7,n=7,k=4)", cell),
    Pair("ultimate", "ultimate_tic_tac_toe", ultimate_cell, is_divided=True),
    Pair("reversi", "othello", same_text),
    Pair("hex(size=5,swap=0)", "hex(board_size=5)", same_text),
    Pair("hex(size=9,swap=0)", "hex(board_size=9)", same_text),
    Pair("hex(size=6)", "hex(board_size=6,swap=True)", same_text),
    Pair("dots(m=2,n=2)", "dots_and_boxes", edge),
    Pair("dots(m=4,n=3)", "dots_and_boxes(num_rows=3,num_cols=4)", edge),
    Pair("morris", "nine_mens_morris", morris_move, is_divided=True, draws_differ=True),
    Pair("draughts", "checkers", draughts_move, is_divided=True, draws_differ=True),
]


def legal_moves(pair: Pair, state: Any) -> dict[str, list[int]]:
    """The actions of each legal move, by the move's text here."""
    moves: dict[str, list[int]] = {}
    side = state.current_player()

    def extend(actions: list[int], texts: list[str], at: Any) -> None:
        for action in at.legal_actions():
            text = at.action_to_string(side, action)
            if pair.is_divided:
                after = at.child(action)
                if not after.is_terminal() and after.current_player() == side:
                    extend([*actions, action], [*texts, text], after)
                    continue
            moves[pair.text([*texts, text])] = [*actions, action]

    extend([], [], state)
    return moves


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_rules_are_those_of_open_spiel(pair: Pair) -> None:
    chance = random.Random(20)
    start = pyspiel.load_game(pair.theirs)
    finished = 0
    for _ in range(GAMES):
        game, state = open_ttt.Game(pair.ours), start.new_initial_state()
        while not (game.is_over or state.is_terminal()) and len(game.history_indices) < MAX_PLIES:
            assert game.to_move == state.current_player(), game
            moves = legal_moves(pair, state)
            assert sorted(game.legal_moves()) == sorted(moves), f"{game!r}\n{state}"
            text = chance.choice(list(moves))
            game.play(text)
            for action in moves[text]:
                state.apply_action(action)
        is_drawn = "draw" in (game.outcome, "draw" if state.returns() == [0.0, 0.0] else None)
        if pair.draws_differ and is_drawn:
            continue
        finished += 1
        assert game.is_over and state.is_terminal(), f"{game!r}\n{state}"
        assert list(game.returns) == state.returns(), f"{game!r}\n{state}"
    assert finished >= GAMES / 4
