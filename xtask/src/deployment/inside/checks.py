#!/usr/bin/env python3
"""Checks that are awkward in a shell: python3 checks.py WHAT ARGUMENT ..

Each ends with a line about what it has seen, or with an error.
"""

import json
import re
import socket
import ssl
import sys
import time
import types
import urllib.error
import urllib.parse
import urllib.request

sys.path.append("/repository/docs/examples")
import bot

PROMETHEUS = "http://127.0.0.1:9090/api/v1/"


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def until(condition, seconds=120):
    """What the condition becomes once it holds."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except OSError as error:
            print(error, file=sys.stderr)
            value = None
        if value or time.monotonic() > end:
            return value
        time.sleep(1)


# Matches. The file of a match has the address of its server, its token and its moves.


def encrypted(address, timeout):
    """The one more line of ssl that bot.py needs for https."""
    plain = socket.create_connection(address, timeout=timeout)
    return ssl.create_default_context().wrap_socket(plain, server_hostname=address[0])


class Enough(Exception):
    """The game is over, or the moves are made and answered."""


class Player(bot.Bot):
    def __init__(self, token, moves):
        super().__init__(token)
        self.moves = moves

    def wish(self, seat, view):
        is_asked = view["to_move"] == seat
        if view["verdict"] is not None or (is_asked and self.moves == 0):
            raise Enough
        if is_asked:
            self.moves -= 1
        return super().wish(seat, view)


def begin(file, url, game, moves):
    """Creates a match against a computer and makes some moves in it."""
    body = {"game": game, "first": "a", "seats": [{"person": "Ann"}, {"computer": "random"}]}
    created = bot.post(f"{url}/api/v1/matches", body)
    match = {"url": url, "match": created["match"], "token": created["token"]}
    play(file, match, moves)


def go_on(file, moves):
    """Makes some more moves in a match."""
    with open(file) as text:
        play(file, json.load(text), moves)


def play(file, match, moves):
    url = urllib.parse.urlsplit(match["url"])
    if url.scheme == "https":
        bot.socket = types.SimpleNamespace(
            create_connection=encrypted,
            IPPROTO_TCP=socket.IPPROTO_TCP,
            TCP_NODELAY=socket.TCP_NODELAY,
        )
    port = url.port or (443 if url.scheme == "https" else 80)
    path = f"/api/v1/matches/{match['match']}/socket"
    try:
        Player(match["token"], int(moves)).play(bot.WebSocket(url.hostname, port, path))
    except Enough:
        pass
    match["games"] = games(match)
    with open(file, "w") as text:
        json.dump(match, text)
    tell(match)


def games(match):
    return get(f"{match['url']}/api/v1/matches/{match['match']}/games")["games"]


def same(file):
    """Whether the server has the match as it was left."""
    with open(file) as text:
        match = json.load(text)
    now = games(match)
    if now != match["games"]:
        raise SystemExit(f"left as {match['games']}, found as {now}")
    tell(match)


def tell(match):
    game = match["games"][-1]
    moves, verdict = " ".join(game["moves"]), game["verdict"]
    result = "unfinished" if verdict is None else f"winner {verdict['winner']}"
    print(f"{match['match']}: {moves}, {result}")


# The unit.


def log():
    """Whether each line of standard input is a JSON object."""
    lines = [json.loads(line) for line in sys.stdin]
    if not lines or not all(isinstance(line, dict) for line in lines):
        raise SystemExit("there is no log, or it has something else than objects")
    print(f"{len(lines)} lines of JSON, the first {json.dumps(lines[0])}")


def reach(host, port):
    """Whether a port can be reached."""
    socket.create_connection((host, int(port)), timeout=10)
    print(f"{host} is reached")


def is_denied(host, port):
    """Whether nothing comes through to an address: refused, or dropped on the way."""
    try:
        reach(host, port)
    except (PermissionError, TimeoutError) as error:
        print(f"{host}: {error}")
        return
    raise SystemExit(1)


# Prometheus.


def query(expression):
    query = urllib.parse.urlencode({"query": expression})
    return get(f"{PROMETHEUS}query?{query}")["data"]["result"]


def value(expression):
    """Waits for a value, as Prometheus asks each quarter of a minute."""
    result = until(lambda: query(expression))
    if not result:
        raise SystemExit(f"{expression} has no value")
    print(f"{expression} is {result[0]['value'][1]}")


def rules(file):
    """Whether Prometheus has evaluated each alert of a file without an error."""
    with open(file) as text:
        wanted = sorted(re.findall(r"- alert: (\w+)", text.read()))

    def evaluated():
        groups = get(f"{PROMETHEUS}rules")["data"]["groups"]
        found = [rule for group in groups for rule in group["rules"]]
        return all(rule["health"] != "unknown" for rule in found) and found

    found = until(evaluated) or []
    bad = [rule for rule in found if rule["health"] != "ok"]
    if bad or sorted(rule["name"] for rule in found) != wanted:
        raise SystemExit(f"wanted {wanted}, found {found}")
    print(f"{len(found)} alerts: {', '.join(wanted)}")


def alertmanager(address):
    """Whether Prometheus tells an Alertmanager."""

    def active():
        found = get(f"{PROMETHEUS}alertmanagers")["data"]["activeAlertmanagers"]
        return [one["url"] for one in found if address in one["url"]]

    found = until(active)
    if not found:
        raise SystemExit(f"Prometheus knows no Alertmanager at {address}")
    print(*found)


def expressions(part):
    if isinstance(part, dict):
        if "expr" in part:
            yield part["expr"]
        part = part.values()
    if not isinstance(part, str) and hasattr(part, "__iter__"):
        for inner in part:
            yield from expressions(inner)


def dashboard(file):
    """Whether Prometheus can evaluate each expression of a dashboard."""
    with open(file) as text:
        found = list(expressions(json.load(text)))
    # Grafana puts in the chosen servers and four times the interval.
    filled = [
        expression.replace("$instance", ".+").replace("$__rate_interval", "1m")
        for expression in found
    ]
    # A rate takes two visits of Prometheus.
    until(lambda: query(next(text for text in filled if "rate(" in text)))
    silent = []
    for expression in filled:
        try:
            if not query(expression):
                silent.append(expression)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{expression}: {error.read().decode()}")
    without = f", without a value: {'; '.join(silent)}" if silent else ""
    print(f"{len(found)} expressions{without}")


COMMANDS = [begin, go_on, same, log, reach, is_denied, value, rules, alertmanager, dashboard]

if __name__ == "__main__":
    {command.__name__: command for command in COMMANDS}[sys.argv[1]](*sys.argv[2:])
