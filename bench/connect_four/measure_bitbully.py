"""Measures BitBully as `cargo bench --bench connect_four` measures this library: reads
lines of moves and a value, solves each position with an empty table, and writes the
microseconds of CPU time and the nodes of a position on average. A wrong value ends it
with an error.

    pip install bitbully==0.0.79
    python bench/connect_four/measure_bitbully.py < FILE
"""

import sys
import time

from bitbully import bitbully_core

solver = bitbully_core.BitBullyCore()
micros, nodes, count = 0.0, 0, 0
for line in sys.stdin:
    moves, value = line.split()[:2]
    board = bitbully_core.BoardCore()
    for column in moves:
        if not board.play(int(column) - 1):
            sys.exit(f"{moves}: an illegal move")
    solver.resetTranspositionTable()
    solver.resetNodeCounter()
    since = time.process_time_ns()
    found = solver.mtdf(board, 0)
    micros += (time.process_time_ns() - since) / 1e3
    nodes += solver.getNodeCounter()
    count += 1
    if found != int(value):
        sys.exit(f"{moves}: {found} instead of {value}")
if count:
    print(micros / count, nodes / count)
