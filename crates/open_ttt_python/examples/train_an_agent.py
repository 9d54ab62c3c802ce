"""Trains an agent that plays tic-tac-toe, with numpy alone, and lets it play our levels.

Each cell, from one ``# %%`` to the next, can be run by itself in an editor that knows them.
"""

# %% The environment: a thousand games at once.
from __future__ import annotations

import numpy as np
import open_ttt

GAMES = 1_024
STEPS = 1_500

env = open_ttt.VectorEnv("ttt", GAMES, seed=1)
chance = np.random.default_rng(1)

# %% A position as a number in base 3: a free cell is 0, an own piece 1, an opponent's 2.
POWERS = 3 ** np.arange(9)


def number(planes: np.ndarray) -> np.ndarray:
    """The numbers of positions, of which each has two planes of nine cells."""
    own, other = planes.reshape(-1, 2, 9).swapaxes(0, 1)
    numbers: np.ndarray = (own + 2 * other) @ POWERS
    return numbers.astype(np.int64)


# %% What each move is worth to the side that plays it: a table, at first all draws.
table = np.zeros((3**9, 9), np.float32)


def values(positions: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The values of the moves, with those that are illegal below all others."""
    return np.where(masks, table[positions], -2.0)


# %% Q-learning by self-play. The game has no chance, so a new value replaces the old one.
def learn(steps: int) -> None:
    """Plays so many moves in each game, and learns from each."""
    planes, masks = env.reset()
    assert planes is not None
    for _ in range(steps):
        positions = number(planes)
        best = values(positions, masks).argmax(1)
        # Half of the moves are random, so that all positions are seen.
        actions = np.where(chance.random(GAMES) < 0.5, env.sample(), best)
        # The arrays are those of before, with new contents.
        _, rewards, ended, _ = env.step(actions)
        # What is good for the side to move now is bad for the side that moved.
        following = -values(number(planes), masks).max(1)
        table[positions, actions] = np.where(ended, rewards, following)


learn(STEPS)
print(f"{GAMES * STEPS:,} moves played, {np.count_nonzero(table.any(1)):,} positions not drawn")


# %% The agent as a function from a game to a move.
def agent(game: open_ttt.Game) -> int:
    """The best legal move by the table."""
    position = number(game.observation())
    return int(values(position, game.action_mask()[None]).argmax())


# %% Matches against the levels, with a random move at the start of each pair of games.
if __name__ == "__main__":
    for level in ["random", "beginner", "easy", "medium", "hard", "expert", "master"]:
        result = open_ttt.play_match("ttt", agent, level, 100, opening_plies=1, seed=1)
        print(f"{level:9}{result.wins:4} wins{result.draws:4} draws{result.losses:4} losses")

# %% Is it right? Every position that the agent meets against itself, by exact analysis.
if __name__ == "__main__":
    game = open_ttt.Game("ttt")
    while not game.is_over:
        exact = {value.index: value.result for value in game.values()}
        chosen = agent(game)
        print(f"{game.move_text(chosen)}: {exact[chosen]}")
        game.play(chosen)
    print(game)
