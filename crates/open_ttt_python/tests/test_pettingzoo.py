"""PettingZoo's own tests of its environments, for every game."""

import warnings

import open_ttt
import pytest
from open_ttt import pettingzoo
from pettingzoo.test import api_test, seed_test

KEYS = [info.key for info in open_ttt.games()]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.raw_env])
def test_the_interface(key: str, make: type[pettingzoo.raw_env]) -> None:
    with warnings.catch_warnings():
        # Observations with a mask are dictionaries, as those of PettingZoo's own games.
        warnings.simplefilter("ignore")
        api_test(make(key), num_cycles=500)


@pytest.mark.parametrize("key", KEYS)
def test_seeds(key: str) -> None:
    seed_test(lambda: pettingzoo.env(key), num_cycles=100)


def test_a_game_is_won_and_lost() -> None:
    env = pettingzoo.env("ttt", render_mode="ansi")
    env.reset()
    for action in [0, 1, 3, 4]:
        observation, reward, termination, truncation, _ = env.last()
        assert (reward, termination, truncation) == (0, False, False)
        assert observation["action_mask"][action] == 1
        env.step(action)
    assert env.observe("player_1")["action_mask"].sum() == 0
    env.step(6)
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.render() == str(open_ttt.Game("ttt", "a1 b1 a2 b2 a3"))


def test_a_mode_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="rgb_array"):
        pettingzoo.env(render_mode="rgb_array")


def test_a_side_that_scores_moves_again() -> None:
    env = pettingzoo.env("dots(m=1,n=2)")
    env.reset()
    agents = []
    for move in ["a1-b1", "a1-a2", "b1-b2", "a2-b2", "a3-b3"]:
        agents.append(env.agent_selection)
        env.step(env.unwrapped.game.move_index(move))
    assert agents == ["player_0", "player_1", "player_0", "player_1", "player_1"]


def test_an_illegal_move_loses() -> None:
    env = pettingzoo.env("ttt")
    env.reset()
    env.step(4)
    env.step(4)
    assert env.rewards["player_1"] == -1
    assert all(env.terminations.values())


def test_a_game_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pettingzoo, "MAX_PLIES", 3)
    env = pettingzoo.env("ttt")
    env.reset()
    for action in [0, 1, 2]:
        env.step(action)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert env.terminations == {"player_0": False, "player_1": False}
