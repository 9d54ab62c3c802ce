"""Compares the opening book of Connect Four with BitBully's database of the positions
after twelve plies: reads lines of moves and a value, and ends with an error if one
differs.

    pip install bitbully==0.0.79 bitbully-databases
    cargo run --profile dist --package openings connect4 list | python bench/connect_four/check_book.py
"""

import sys

from bitbully import BitBully, Board

solver = BitBully(opening_book="12-ply-dist")
count = 0
for line in sys.stdin:
    *moves, value = line.split()
    board = Board()
    for column in "".join(moves):
        if not board.play(int(column) - 1):
            sys.exit(f"{line.strip()}: an illegal move")
    found = solver.mtdf(board)
    if found != int(value):
        sys.exit(f"{line.strip()}: BitBully finds {found}")
    count += 1
    if count % 10_000 == 0:
        print(f"{count} positions ...", file=sys.stderr)
print(f"{count} positions have the same value.")
