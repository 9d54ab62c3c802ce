"""Players and matches."""

import copy
import multiprocessing
import pickle
import signal
import sys
import threading
import unittest.mock
from pathlib import Path

import open_ttt
import pytest

NETWORKS = Path(__file__).resolve().parents[2] / "open_ttt_catalog" / "networks"


def test_a_perfect_player_never_loses() -> None:
    result = open_ttt.play_match("ttt", "perfect", "random", 40, seed=1)
    assert (result.games, result.losses) == (40, 0)
    assert result.wins > 20
    assert result.score == (result.wins + result.draws / 2) / 40


@pytest.mark.parametrize(
    "spec",
    [
        "beginner",
        "hard",
        "master",
        "level(strength=2.5)",
        "perfect",
        "negamax(depth=2)",
        "mcts(iterations=50)",
        "net:pretrained(simulations=4)",
        "random(seed=1)",
    ],
)
def test_every_kind_of_player_finishes_a_game(spec: str) -> None:
    game, player = open_ttt.Game("connect4", "4455 33"), open_ttt.Player(spec)
    while not game.is_over:
        before = game.copy()
        move = player.play(game)
        assert move in before.legal_moves()
        before.play(move)
        assert game == before
    assert player.spec == str(player) == spec


def test_a_player_only_chooses() -> None:
    game = open_ttt.Game("ttt", "a1 b1 a2")
    assert open_ttt.Player("perfect").choose(game) == "a3"
    assert game.history == ["a1", "b1", "a2"]


def test_a_player_changes_from_game_to_game() -> None:
    player = open_ttt.Player("mcts(iterations=200, seed=1)")
    assert player.choose(open_ttt.Game("ttt", "a1 b1 a2 b2")) == "a3"
    assert player.choose(open_ttt.Game("connect4", "1212 12")) == "1"
    assert pickle.loads(pickle.dumps(player)).spec == player.spec


def test_a_game_that_another_thread_searches_can_be_played_on() -> None:
    game, player = open_ttt.Game("hex"), open_ttt.Player("random")
    found: list[open_ttt.Hint | None] = []
    thread = threading.Thread(target=lambda: found.append(game.hint(seconds=1)))
    thread.start()
    move = player.play(game)
    assert game.history == [move]
    assert game.undo() == move
    thread.join()
    assert found[0] is not None and found[0].move in game.legal_moves()


def test_a_seeded_player_goes_on_from_one_start_to_the_next() -> None:
    env = open_ttt.VectorEnv("mnk", 40, seed=1)
    env.step(env.sample())
    games = [env.game(index) for index in range(len(env))]

    def choose() -> list[str]:
        player = open_ttt.Player("random(seed=1)")
        return [player.choose(game) for game in games]

    assert choose() == choose()
    # By chance most differ.
    assert len(set(choose())) > 20


def test_a_player_does_not_play_in_a_game_that_has_changed_meanwhile() -> None:
    game = open_ttt.Game("hex")
    seen: list[list[str]] = []

    def change(*_: object) -> None:
        seen.append(game.history)
        game.play("a1")

    before = signal.signal(signal.SIGALRM, change)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(RuntimeError, match="has changed"):
            open_ttt.Player("mcts(ms=1000)").play(game)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (seen, game.history) == ([[]], ["a1"])


def test_a_seed_determines_a_match_on_any_number_of_threads() -> None:
    def play(threads: int) -> str:
        players = ("mcts(iterations=40)", "mcts(iterations=20)")
        result = open_ttt.play_match(
            "connect4", *players, 20, seed=7, opening_plies=2, threads=threads
        )
        return repr(result)

    assert play(1) == play(2) == play(3)


def test_elo_has_an_interval_unless_all_games_are_alike() -> None:
    # 0.7 of the points are 147 Elo: the logistic curve of the scale.
    result = open_ttt.play_match("ttt", "level(strength=3)", "random", 60, seed=2)
    assert result.elo is not None and result.elo_interval is not None
    low, high = result.elo_interval
    assert low < result.elo < high
    assert 1 / (1 + 10 ** (-result.elo / 400)) == pytest.approx(result.score)
    same = open_ttt.play_match("ttt", "perfect", "perfect", 4)
    assert (same.draws, same.elo, same.elo_interval) == (4, None, None)
    assert repr(same) == "MatchResult(0 wins, 4 draws, 0 losses)"


def test_a_network_comes_from_a_file() -> None:
    player = open_ttt.Player(f"net:{NETWORKS / 'tic_tac_toe.safetensors'}")
    result = open_ttt.play_match("ttt", player, "random", 20, seed=3)
    assert result.losses == 0


def test_functions_take_part_in_matches() -> None:
    threads = set()

    def first(game: open_ttt.Game) -> str:
        # Runs while the match does, which has therefore released Python's lock.
        threads.add(threading.get_ident())
        return game.legal_moves()[0]

    def winning(game: open_ttt.Game) -> int:
        return game.values(threads=1)[0].index

    result = open_ttt.play_match("ttt", winning, first, 10, threads=2)
    assert (result.wins, result.games) == (10, 10)
    assert threading.get_ident() not in threads


def test_a_function_gets_the_whole_game() -> None:
    lengths = []

    def plays(game: open_ttt.Game) -> str:
        assert pickle.loads(pickle.dumps(game)) == game
        lengths.append(len(game.history))
        return game.legal_moves()[0]

    open_ttt.play_match("morris(men=3)", plays, "random(seed=1)", 2, opening_plies=2)
    assert min(lengths) in (2, 3) and max(lengths) > 4


def test_results_are_values() -> None:
    game = open_ttt.Game("ttt", "a1 b1 b2 c3 a3")
    match = open_ttt.play_match("ttt", "random", "perfect", 4, seed=1)
    results: list[object] = [match, game.info, game.info.parameters, game.hint(), game.analyze()]
    results += [game.review(), game.review().moves, *game.values(), open_ttt.games()]
    for result in results:
        for same in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert same == result and repr(same) == repr(result)
    assert game.values()[0] != game.values()[-1]
    assert game.info != game.hint() and game != object()
    assert game == unittest.mock.ANY


def forked(_: int) -> tuple[list[int], str]:
    env = open_ttt.VectorEnv("hex", 8)
    return env.sample().tolist(), repr(open_ttt.play_match("ttt", "random", "random", 40))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no safe fork")
def test_processes_that_are_forked_differ() -> None:
    forked(0)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        # Each of three processes has one of them.
        found = pool.map(forked, range(3), chunksize=1)
    assert len({tuple(actions) for actions, _ in found}) > 1


def test_an_exception_of_a_function_ends_the_match() -> None:
    def fails(game: open_ttt.Game) -> str:
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        open_ttt.play_match("ttt", "random", fails)
    with pytest.raises(open_ttt.IllegalMoveError, match="z9"):
        open_ttt.play_match("ttt", lambda _: "z9", "random")
    with pytest.raises(open_ttt.IllegalMoveError, match="already taken"):
        open_ttt.play_match("ttt", lambda _: 0, "random")
