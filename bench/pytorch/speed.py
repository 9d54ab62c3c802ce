"""Compares the network of `--example speed` with PyTorch: positions per second and
milliseconds per training step, measured in alternation.

    pip install torch==2.15.0
    cargo build --profile dist -p open_ttt_learn --example speed
    python bench/pytorch/speed.py target/dist/examples/speed
"""

import math
import re
import statistics
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PLANES, ROWS, COLUMNS, MOVES, OUTCOMES = 2, 6, 7, 7, 2
BLOCKS, FILTERS, HEAD_PLANES, HIDDEN = 4, 32, 4, 64
ROUNDS, TIMES = 5, 7


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(FILTERS, FILTERS, 3, padding=1)
        self.second = nn.Conv2d(FILTERS, FILTERS, 3, padding=1)

    def forward(self, x):
        return F.relu(x + self.second(F.relu(self.first(x))))


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        cells = ROWS * COLUMNS
        self.stem = nn.Conv2d(PLANES, FILTERS, 3, padding=1)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.policy_planes = nn.Conv2d(FILTERS, HEAD_PLANES, 1)
        self.policy = nn.Linear(HEAD_PLANES * cells, MOVES)
        self.outcome_planes = nn.Conv2d(FILTERS, HEAD_PLANES, 1)
        self.hidden = nn.Linear(HEAD_PLANES * cells, HIDDEN)
        self.outcome = nn.Linear(HIDDEN, OUTCOMES)

    def forward(self, x):
        x = self.blocks(F.relu(self.stem(x)))
        policy = self.policy(F.relu(self.policy_planes(x)).flatten(1))
        outcome = F.relu(self.outcome_planes(x)).flatten(1)
        return policy, torch.tanh(self.outcome(F.relu(self.hidden(outcome))))


def median_seconds(work, threads):
    """The median time of some work, with the clocks of `speed`: CPU time for one thread,
    wall time for more."""
    clock = time.process_time if threads == 1 else time.perf_counter
    began = time.perf_counter()
    work()
    repeat = max(1, math.ceil(0.2 / (time.perf_counter() - began)))
    times = []
    for _ in range(TIMES):
        began = clock()
        for _ in range(repeat):
            work()
        times.append((clock() - began) / repeat)
    return statistics.median(times)


def positions_a_second(model, size):
    torch.set_num_threads(1)
    planes = (torch.rand(size, PLANES, ROWS, COLUMNS) < 0.3).float()
    with torch.inference_mode():
        model(planes)
        return size / median_seconds(lambda: model(planes), 1)


def step_milliseconds(model, threads, size=256):
    torch.set_num_threads(threads)
    planes = (torch.rand(size, PLANES, ROWS, COLUMNS) < 0.3).float()
    policy = torch.softmax(torch.rand(size, MOVES), 1)
    outcome = torch.rand(size, OUTCOMES)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step():
        optimiser.zero_grad(set_to_none=True)
        logits, values = model(planes)
        loss = F.cross_entropy(logits, policy) + F.mse_loss(values, outcome)
        loss.backward()
        optimiser.step()

    step()
    return 1e3 * median_seconds(step, threads)


def ours(program):
    """Our program's results with the best instruction set of this processor."""
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    best = "Avx512" if re.search(r"^Avx512, \d+ at", text, re.M) else "Avx2"
    if not re.search(rf"^{best}, \d+ at", text, re.M):
        best = "Plain"

    def number(pattern):
        return float(re.search(rf"^{best}, {pattern}", text, re.M)[1])

    return {
        "1 at a time, positions/s": number(r"1 at a time: (\d+)"),
        "64 at a time, positions/s": number(r"64 at a time: (\d+)"),
        "training step, 1 thread, ms": number(r"training step of 256, 1 threads: ([\d.]+)"),
        "training step, 2 threads, ms": number(r"training step of 256, 2 threads: ([\d.]+)"),
    }


def theirs(inference, training):
    return {
        "1 at a time, positions/s": max(positions_a_second(m, 1) for m in inference),
        "64 at a time, positions/s": max(positions_a_second(m, 64) for m in inference),
        "training step, 1 thread, ms": min(step_milliseconds(m, 1) for m in training),
        "training step, 2 threads, ms": min(step_milliseconds(m, 2) for m in training),
    }


def main():
    torch.manual_seed(1)
    model = Tower()
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"PyTorch {torch.__version__}, {size} parameters")
    # Eager and compiled.
    inference = [Tower().eval(), torch.compile(Tower().eval(), dynamic=False)]
    training = [model, torch.compile(model, dynamic=False)]
    rounds = [(ours(sys.argv[1]), theirs(inference, training)) for _ in range(ROUNDS)]
    for name in rounds[0][0]:
        mine = statistics.median(ours[name] for ours, _ in rounds)
        other = statistics.median(theirs[name] for _, theirs in rounds)
        ratios = [ours[name] / theirs[name] for ours, theirs in rounds]
        if name.endswith("ms"):
            ratios = [1 / ratio for ratio in ratios]
        print(
            f"{name}: {mine:.4g}, PyTorch {other:.4g}; "
            f"ratio {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})"
        )


main()
