"""Two-player board games: rules, exact analysis, opponents, and fast environments.

>>> import open_ttt
>>> game = open_ttt.Game("ttt", "a1 b2 a2")
>>> print(game.hint())
a3 stops X from winning there, threatens to win with c1 and is the only move that doesn't lose.

``games()`` lists the games. ``Game`` is one being played, ``Player`` an opponent, and
``play_match`` a match between two of them. ``VectorEnv`` steps thousands of games at once, and
``open_ttt.pettingzoo`` has PettingZoo's environment for every game.
"""

from ._open_ttt import (
    Analysis,
    Game,
    GameInfo,
    Hint,
    IllegalMoveError,
    MatchResult,
    MoveValue,
    Parameter,
    Player,
    Review,
    ReviewedMove,
    VectorEnv,
    __version__,
    games,
    play_match,
)

__all__ = [
    "Analysis",
    "Game",
    "GameInfo",
    "Hint",
    "IllegalMoveError",
    "MatchResult",
    "MoveValue",
    "Parameter",
    "Player",
    "Review",
    "ReviewedMove",
    "VectorEnv",
    "__version__",
    "games",
    "play_match",
]
