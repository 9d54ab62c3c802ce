"""How long the full screen takes to appear, and to answer a key while a computer thinks.

    python3 bench/terminal/measure.py target/dist/open_ttt

Times are wall clock from the start of the process, or from the key, to the text that is waited
for, in a pseudo-terminal of 100 x 30. Medians and longest of some rounds.
"""

import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

ROUNDS = 20


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, *command: str) -> None:
        self.begin = time.perf_counter()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(command[0], command)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))

    def milliseconds(self) -> float:
        return 1000 * (time.perf_counter() - self.begin)

    def wait_for(self, text: bytes) -> float:
        """Milliseconds from the last key, or the start, to this text."""
        seen = b""
        while text not in seen:
            select.select([self.terminal], [], [], 60)
            seen += os.read(self.terminal, 1 << 16)
        return self.milliseconds()

    def quiet(self) -> None:
        """Waits until there is no more output for a while."""
        while select.select([self.terminal], [], [], 0.2)[0]:
            os.read(self.terminal, 1 << 16)

    def type(self, keys: bytes) -> None:
        """Types, and begins to measure."""
        while select.select([self.terminal], [], [], 0)[0]:
            os.read(self.terminal, 1 << 16)
        self.begin = time.perf_counter()
        os.write(self.terminal, keys)

    def end(self) -> None:
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def report(what: str, times: list[float]) -> None:
    print(f"{what}: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms")


def main() -> None:
    program = os.path.abspath(sys.argv[1])
    starts = []
    for _ in range(ROUNDS):
        terminal = Terminal(program)
        starts.append(terminal.wait_for(b"Play"))
        terminal.end()
    report("start to the menu", starts)
    games = []
    game = "play --game connect4 --no-save --first human --second mcts(ms=60000)".split()
    for _ in range(ROUNDS):
        terminal = Terminal(program, *game)
        games.append(terminal.wait_for(b"turn"))
        terminal.end()
    report("start to a board", games)
    terminal = Terminal(program, *game)
    terminal.wait_for(b"turn")
    terminal.quiet()
    # A move; then the computer thinks for a minute on all cores.
    terminal.type(b"4\r")
    terminal.wait_for(b"thinking")
    panels = []
    for _ in range(ROUNDS):
        time.sleep(0.1)
        terminal.type(b"?")
        panels.append(terminal.wait_for(b"Keys"))
        terminal.type(b"\x1b")
        terminal.quiet()
    report("key to the panel that it opens, while the computer thinks", panels)
    terminal.end()


if __name__ == "__main__":
    main()
