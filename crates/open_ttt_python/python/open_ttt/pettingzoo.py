"""PettingZoo's environment for every game of the catalog.

>>> from open_ttt import pettingzoo
>>> env = pettingzoo.env("connect4")
>>> env.reset(seed=1)
>>> observation, reward, termination, truncation, info = env.last()
>>> observation["observation"].shape, observation["action_mask"]
((2, 6, 7), array([1, 1, 1, 1, 1, 1, 1], dtype=int8))
>>> env.step(3)
>>> env.agent_selection
'player_1'

It needs PettingZoo: ``pip install pettingzoo``.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from . import Game, games

__all__ = ["env", "raw_env"]

RENDER_MODES = ["human", "ansi"]

#: A longer game, of those in which positions can come back, is cut off.
MAX_PLIES = 1_000


def env(name: str = "ttt", *, render_mode: str | None = None) -> AECEnv:
    """The environment of a game, named as for ``Game``, in PettingZoo's usual wrappers.

    An illegal move ends the game and loses it.
    """
    wrapped = raw_env(name, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):  # type: ignore[misc]
    """The environment of a game without wrappers.

    The agents are ``player_0``, which moves first, and ``player_1``. An action is the index of
    a move. An observation has the planes of ``Game.observation``, which show the position to
    the side to move, and the mask of legal moves: zeros for an agent that isn't to move. The
    agent that has won gets the reward 1 and the other -1.
    """

    metadata = {
        "render_modes": RENDER_MODES,
        "name": "open_ttt_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, name: str = "ttt", *, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            names = ", ".join(RENDER_MODES)
            raise ValueError(f"render_mode is {render_mode!r}; expected None, {names}")
        self.game = self._start = Game(name)
        self.metadata = {**type(self).metadata, "name": f"open_ttt_{self.game.info.key}_v0"}
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents = self.possible_agents[:]
        actions = self.game.num_actions
        observation = spaces.Dict(
            {
                "observation": spaces.Box(-1.0, 1.0, self.game.observation_shape, np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces: dict[str, gymnasium.Space[Any]] = dict.fromkeys(
            self.possible_agents, observation
        )
        self.action_spaces: dict[str, gymnasium.Space[Any]] = {
            agent: spaces.Discrete(actions) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game. A game has no chance, so the seed changes nothing."""
        self.game = self._start.copy()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._plies = 0
        self.agent_selection = self.agents[self.game.to_move]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray[Any, Any]]:
        is_to_move = agent == self.possible_agents[self.game.to_move]
        if is_to_move:
            mask = self.game.action_mask().astype(np.int8)
        else:
            mask = np.zeros(self.game.num_actions, np.int8)
        return {"observation": self.game.observation(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(cast(Any, action))
            return
        assert action is not None
        self.game.play(action)
        self._plies += 1
        self._cumulative_rewards[agent] = 0.0
        if self.game.is_over:
            self.rewards = dict(zip(self.possible_agents, self.game.returns, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._plies >= MAX_PLIES:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self.game.to_move]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The board: printed or, in the mode ``"ansi"``, returned as text."""
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render_mode, human or ansi")
            return None
        board = self.game.draw()
        if self.render_mode == "ansi":
            return board
        print(board)
        return None

    def close(self) -> None:
        """Nothing is open."""
