"""Measures steps a second of our environments beside those of PettingZoo and OpenSpiel.

A step plays a random legal move and looks at the new position: at the observation, the
legal moves, the reward and whether the game is over. A game that ends begins anew. Every
contestant plays in turn for so many rounds; a ratio is the median of the rounds' ratios, by
CPU time.

    cargo xtask python
    PYTHON=target/python/environment/bin/python
    $PYTHON -m pip install pygame-ce==2.5.8
    $PYTHON bench/python/steps.py
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import open_ttt
import pyspiel
from open_ttt import pettingzoo as open_ttt_pettingzoo
from open_spiel.python import rl_environment, vector_env
from open_spiel.python.rl_agent import StepOutput
from pettingzoo import AECEnv
from pettingzoo.classic import connect_four_v3, tictactoe_v3

#: Makes steps for ever, and yields their number after each part of them.
Contestant = Callable[[], Iterator[int]]

#: Random numbers that choose among legal moves, drawn before the clock runs.
CHOICES = [random.Random(1).randrange(1 << 30) for _ in range(1 << 12)]


def ours_at_once(name: str, games: int, observe: bool = True) -> Iterator[int]:
    env = open_ttt.VectorEnv(name, games, seed=1, observe=observe)
    while True:
        env.step(env.sample())
        yield games


def ours_one_by_one(name: str) -> Iterator[int]:
    game = open_ttt.Game(name)
    while True:
        for choice in CHOICES:
            legal = game.legal_indices()
            game.play(legal[choice % len(legal)])
            game.observation()
            if game.is_over:
                game = open_ttt.Game(name)
        yield len(CHOICES)


def aec(env: AECEnv) -> Iterator[int]:
    env.reset(seed=1)
    while True:
        for choice in CHOICES:
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.reset()
                observation, _, _, _, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[choice % len(legal)])
        yield len(CHOICES)


def open_spiel(name: str, observe: bool) -> Iterator[int]:
    start = pyspiel.load_game(name)
    state = start.new_initial_state()
    while True:
        for choice in CHOICES:
            legal = state.legal_actions()
            state.apply_action(legal[choice % len(legal)])
            if state.is_terminal():
                state.returns()
                state = start.new_initial_state()
            if observe:
                state.observation_tensor()
        yield len(CHOICES)


def open_spiel_at_once(name: str, games: int) -> Iterator[int]:
    """OpenSpiel's own environment of many games."""
    env = vector_env.SyncVectorEnv([rl_environment.Environment(name) for _ in range(games)])
    now = env.reset()
    while True:
        for choice in CHOICES[:8]:
            outputs = []
            for at in now:
                legal = at.observations["legal_actions"][at.observations["current_player"]]
                outputs.append(StepOutput(legal[choice % len(legal)], None))
            now, _, _, _ = env.step(outputs, reset_if_done=True)
        yield 8 * games


def contestants(game: str, games: int) -> dict[str, Contestant]:
    theirs = {"ttt": "tic_tac_toe", "connect4": "connect_four"}[game]
    module = {"ttt": tictactoe_v3, "connect4": connect_four_v3}[game]
    return {
        "open_ttt, VectorEnv": lambda: ours_at_once(game, games),
        "open_ttt, VectorEnv without observations": lambda: ours_at_once(game, games, False),
        "open_ttt, a Game in Python": lambda: ours_one_by_one(game),
        "open_ttt, PettingZoo's interface": lambda: aec(open_ttt_pettingzoo.raw_env(game)),
        "PettingZoo": lambda: aec(module.raw_env()),
        "OpenSpiel, a state in Python": lambda: open_spiel(theirs, True),
        "OpenSpiel without observations": lambda: open_spiel(theirs, False),
        "OpenSpiel, SyncVectorEnv": lambda: open_spiel_at_once(theirs, 64),
    }


def rate(steps: Iterator[int], seconds: float) -> float:
    """Steps a second of CPU time."""
    count, since = 0, time.process_time()
    while (passed := time.process_time() - since) < seconds:
        count += next(steps)
    return count / passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a contestant in a round")
    parser.add_argument("--games", type=int, default=4_096, help="at once")
    arguments = parser.parse_args()
    for game in ["ttt", "connect4"]:
        running = {name: make() for name, make in contestants(game, arguments.games).items()}
        rates: dict[str, list[float]] = {name: [] for name in running}
        for _ in range(arguments.rounds):
            for name, steps in running.items():
                rates[name].append(rate(steps, arguments.seconds))
        ours = rates["open_ttt, VectorEnv"]
        print(f"\n{game}: steps a second, and how many times as many VectorEnv makes\n")
        for name, theirs in rates.items():
            ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
            print(f"| {name} | {statistics.median(theirs):,.0f} | {ratio:.1f} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
