"""OpenSpiel's tree search as an engine: `python3 open_spiel_engine.py GAME SIMULATIONS`.

It plays tic_tac_toe and connect_four, for `open_ttt arena --b 'engine:..'`; docs/engines.md has
the protocol. It needs `pip install open_spiel`.
"""

import random
import sys

import numpy
import pyspiel
from open_spiel.python.algorithms import mcts

NAMES = {
    # Cells are numbered from the top left.
    "tic_tac_toe": [f"{column}{row}" for row in "321" for column in "abc"],
    "connect_four": ["1", "2", "3", "4", "5", "6", "7"],
}


def main() -> None:
    """Answers each line of moves with a move."""
    name, simulations = sys.argv[1], int(sys.argv[2])
    game = pyspiel.load_game(name)
    generator = numpy.random.RandomState(random.SystemRandom().getrandbits(32))
    evaluator = mcts.RandomRolloutEvaluator(1, generator)
    bot = mcts.MCTSBot(game, 2.0, simulations, evaluator, random_state=generator)
    for line in sys.stdin:
        state = game.new_initial_state()
        for move in line.split():
            state.apply_action(NAMES[name].index(move))
        print(NAMES[name][bot.step(state)], flush=True)


if __name__ == "__main__":
    main()
