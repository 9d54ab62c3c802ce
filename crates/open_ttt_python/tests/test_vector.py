"""Many games at once do what each game does alone."""

import subprocess
import sys

import numpy as np
import open_ttt
import pytest

KEYS = [info.key for info in open_ttt.games()]


@pytest.mark.parametrize("name", [*KEYS, "morris(men=3)", "lines(misere=1)", "reversi(size=4)"])
def test_games_are_those_played_one_by_one(name: str) -> None:
    count = 8
    env = open_ttt.VectorEnv(name, count, seed=5)
    games = [open_ttt.Game(name) for _ in range(count)]
    observations, masks = env.reset()
    ended = 0
    for _ in range(150):
        actions = env.sample().copy()
        movers = env.to_move.copy()
        observations, rewards, terminations, masks = env.step(actions)
        for index, game in enumerate(games):
            game.play(actions[index])
            assert terminations[index] == game.is_over
            assert rewards[index] == game.returns[movers[index]]
            if game.is_over:
                ended += 1
                games[index] = game = open_ttt.Game(name)
            assert env.to_move[index] == game.to_move
            assert observations is not None
            assert np.array_equal(observations[index], game.observation())
            assert np.array_equal(masks[index], game.action_mask())
            assert env.game(index).legal_moves() == game.legal_moves()
    assert ended > 0 or name in ("mnk", "hex", "draughts", "morris")


def test_the_side_that_completes_a_line_can_lose() -> None:
    env = open_ttt.VectorEnv("lines(misere=1)", 2)
    for actions in ([0, 0], [3, 3], [1, 1], [4, 4], [2, 8]):
        _, rewards, terminations, _ = env.step(actions)
    assert rewards.tolist() == [-1, 0]
    assert terminations.tolist() == [True, False]


def test_arrays_are_reused() -> None:
    env = open_ttt.VectorEnv("connect4", 16, seed=1)
    first = env.step(env.sample())
    again = env.step(env.sample())
    assert all(a is b for a, b in zip(first, again, strict=True))
    assert first[0] is env.observations
    assert first[3] is env.masks
    observations, masks = env.reset()
    assert observations is env.observations and masks is env.masks
    assert masks.all()


def test_what_is_written_to_an_array_does_not_stay() -> None:
    env, other = (open_ttt.VectorEnv("connect4", 4, seed=1) for _ in range(2))
    observations, rewards, terminations, masks = env.step(env.sample())
    other.step(other.sample())
    assert observations is not None
    for array in (observations, rewards, terminations, env.to_move):
        array.fill(1)
    # A step writes only what changes in a mask.
    with pytest.raises(ValueError, match="read-only"):
        masks[0, 0] = False
    with pytest.raises(ValueError, match="read-only"):
        env.masks.fill(False)
    for ours, others in zip(env.step(env.sample()), other.step(other.sample()), strict=True):
        assert ours is not None and others is not None
        assert np.array_equal(ours, others)
    assert np.array_equal(env.to_move, other.to_move)
    assert masks.copy().flags.writeable


def test_observations_can_be_left_out() -> None:
    env = open_ttt.VectorEnv("ttt", 3, observe=False)
    observations, rewards, terminations, masks = env.step([0, 1, 2])
    assert env.observations is observations is None
    assert (rewards.shape, terminations.shape, masks.shape) == ((3,), (3,), (3, 9))


def test_actions_are_arrays_or_lists_of_integers() -> None:
    env = open_ttt.VectorEnv("ttt", 2)
    env.step(np.array([0, 1], np.int32))
    env.step(np.array([[3, 9], [4, 9]], np.int64)[:, 0])
    env.step((8, 8))
    assert env.game(1).legal_indices() == [0, 2, 3, 5, 6, 7]


def test_a_seed_determines_what_is_sampled() -> None:
    a, b = (open_ttt.VectorEnv("ttt", 64, seed=9) for _ in range(2))
    assert np.array_equal(a.sample(), b.sample())
    a.reset(seed=9)
    assert not np.array_equal(a.sample(), b.sample())
    a.reset(seed=9)
    b.reset(seed=9)
    assert np.array_equal(a.sample(), b.sample())


def test_samples_are_uniform() -> None:
    env = open_ttt.VectorEnv("ttt", 90_000, seed=1, observe=False)
    env.step(np.zeros(90_000, int))
    counts = np.bincount(env.sample(), minlength=9)
    assert counts[0] == 0
    # Eight free cells: within five standard deviations of a binomial distribution.
    expected, deviation = 90_000 / 8, (90_000 * (1 / 8) * (7 / 8)) ** 0.5
    assert np.abs(counts[1:] - expected).max() < 5 * deviation


def test_what_an_environment_says_of_itself() -> None:
    env = open_ttt.VectorEnv("mnk(m=5,n=4,k=3)", 7)
    assert (env.name, env.num_envs, len(env)) == ("mnk(m=5,n=4,k=3)", 7, 7)
    assert (env.num_actions, env.observation_shape) == (20, (2, 4, 5))
    assert repr(env) == "VectorEnv('mnk(m=5,n=4,k=3)', 7)"


def test_a_game_of_it_says_where_it_begins() -> None:
    env = open_ttt.VectorEnv("ttt", 2)
    assert repr(env.game(0)) == "Game('ttt')"
    env.step([0, 1])
    game = env.game(1)
    assert repr(game) == "<Game 'ttt' from a later position>"
    game.play("c3")
    assert repr(game) == "<Game 'ttt' from a later position: c3>"


def test_an_array_of_another_shape_is_refused() -> None:
    env = open_ttt.VectorEnv("ttt", 2)
    env.to_move.resize((0,), refcheck=False)
    with pytest.raises(ValueError, match="another shape or type"):
        env.step([0, 1])
    other = open_ttt.VectorEnv("ttt", 2)
    setattr(other.observations, "dtype", np.dtype(np.int8))
    with pytest.raises(ValueError, match="another shape or type"):
        other.step([0, 1])
    # No game has changed.
    assert env.game(0).legal_indices() == list(range(9))


TOO_LARGE = """
import resource, sys
import open_ttt
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for observe in (True, False):
    try:
        open_ttt.VectorEnv("ttt", 100_000_000, observe=observe)
    except MemoryError:
        continue
    sys.exit("made")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
def test_an_environment_that_is_too_large_is_a_memory_error() -> None:
    command = [sys.executable, "-c", TOO_LARGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
