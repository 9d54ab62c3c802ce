#!/usr/bin/env python3
"""Plays random moves on a match server: python3 bot.py LINK [NAME]

Written from docs/protocol.md alone, with nothing but the standard library. It
takes the open seat of the match, or that of the link's own secret, comes back
when the connection breaks, and plays another game whenever the other side wants
one. Only http links; https needs one more line of ssl.
"""

import base64
import json
import os
import random
import secrets
import socket
import struct
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

PING_EVERY = 20  # seconds
SILENCE = 60


class Lost(Exception):
    """The connection is gone; another may come."""


class WebSocket:
    """As much of RFC 6455 as the protocol needs: text, ping and close."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: open_ttt.v1\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        self.buffer = b""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise SystemExit(head.decode(errors="replace"))
        self.socket.settimeout(PING_EVERY)

    def read(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(65536)
            if not more:
                raise Lost("the connection has ended")
            self.buffer += more
        part, self.buffer = self.buffer[:count], self.buffer[count:]
        return part

    def frame(self, opcode, payload):
        """A frame as a client sends it: masked."""
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
        else:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)

    def say(self, message):
        self.frame(1, json.dumps(message).encode())

    def hear(self):
        """The next message; None after PING_EVERY seconds of silence."""
        text = b""
        while True:
            try:
                head = self.read(2)
            except TimeoutError:
                return None
            length = head[1] & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.read(8))
            if length > 1 << 20:
                raise Lost("a message without end")
            payload = self.read(length)
            opcode = head[0] & 0x0F
            if opcode == 9:
                self.frame(10, payload)
            elif opcode == 8:
                raise Lost("the server has closed the connection")
            elif opcode in (0, 1):
                text += payload
                if head[0] & 0x80:
                    return json.loads(text)


def post(url, body):
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(json.load(error)["error"]["text"])


class Bot:
    def __init__(self, token):
        self.token = token
        self.client = secrets.token_hex(16)
        self.number = 0  # of the last proposal
        self.pending = None  # the proposal without an answer

    def wish(self, seat, view):
        """What to do now, if anything."""
        other = "b" if seat == "a" else "a"
        if view["draw_offer"] == other:
            return "refuse_draw"
        if view["take_back"] == other:
            return "grant_take_back"
        wants = dict(zip("ab", view["rematch"]))
        if view["verdict"] is not None:
            return "rematch" if wants[other] and not wants[seat] else None
        if view["to_move"] != seat:
            return None
        board = view["board"]
        cells = board["cells"] + [cell for tray in board.get("trays", []) for cell in tray["cells"]]
        moves = [cell["move"] for cell in cells if "move" in cell]
        moves += [choice["move"] for choice in board.get("choices", [])]
        return {"move": {"text": random.choice(moves)}}

    def play(self, ws):
        """Plays over one connection, until it breaks."""
        ws.say({
            "type": "hello",
            "protocol": 1,
            "client": self.client,
            "token": self.token,
            "shape": "views",
        })
        welcome = ws.hear()
        if welcome is None or welcome["type"] != "welcome":
            self.refused(welcome)
        seat, sequence = welcome["seat"], welcome["sequence"]
        view = welcome["state"]["view"]
        print("seat", seat, "in", view["settings"]["game"])
        if self.pending:
            # It may have been accepted or not: its answer will tell.
            ws.say(self.pending)
        heard = time.monotonic()
        while True:
            if self.pending is None and view is not None:
                act = self.wish(seat, view)
                if act is not None:
                    self.propose(ws, sequence, act)
            message = ws.hear()
            if message is None:
                if time.monotonic() - heard > SILENCE:
                    raise Lost("the server is silent")
                ws.say({"type": "ping", "number": 1})
                continue
            heard = time.monotonic()
            kind = message["type"]
            change = message.get("change", message)
            if kind in ("change", "accepted") and change["sequence"] > sequence:
                # Of changes that come together only the last has a view.
                sequence, view = change["sequence"], change.get("view")
                self.tell(change["transition"], view)
            if kind in ("accepted", "duplicate", "overtaken", "refused"):
                if self.pending and message["number"] == self.pending["number"]:
                    self.pending = None
            if kind == "refused":
                print("refused:", message["text"])
                # It would be refused again, until something changes.
                view = None
                if message["conflict"] == "too_long":
                    self.propose(ws, sequence, "resign")
            if kind == "delayed":
                time.sleep(message["retry_ms"] / 1000)
                ws.say(self.pending)
            if kind == "error":
                self.refused(message)

    def propose(self, ws, sequence, act):
        self.number += 1
        self.pending = {
            "type": "propose",
            "number": self.number,
            "base": sequence,
            "act": act,
        }
        ws.say(self.pending)

    def refused(self, message):
        if message is None:
            raise Lost("no welcome")
        again = ("too_many", "too_slow", "timed_out", "shutting_down", "unavailable")
        if message.get("code") in again:
            raise Lost(message["text"])
        raise SystemExit(message.get("text", message))

    def tell(self, transition, view):
        act = transition["act"]
        if isinstance(act, dict) and "move" in act:
            print(transition["by"], "plays", act["move"]["text"])
        if view is not None and view["verdict"] is not None and act != "rematch":
            print("winner:", view["verdict"]["winner"], "score:", view["score"])


def main():
    link = urllib.parse.urlsplit(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "Python"
    match = link.path.removeprefix("/m/")
    api = f"/api/v1/matches/{match}"
    token = link.fragment
    if not token:
        body = {"player": {"person": name}}
        token = post(f"http://{link.netloc}{api}/join", body)["token"]
        print(f"own link: http://{link.netloc}{link.path}#{token}", flush=True)
    bot = Bot(token)
    wait = 0.25
    while True:
        try:
            bot.play(WebSocket(link.hostname, link.port or 80, f"{api}/socket"))
        except (Lost, OSError) as error:
            print("connection lost:", error)
        time.sleep(wait * random.uniform(0.5, 1))
        wait = min(2 * wait, 15)


if __name__ == "__main__":
    main()
