"""The type stubs are those of the module, and everything in Python is typed."""

import subprocess
import sys
from pathlib import Path

import pytest

CRATE = Path(__file__).resolve().parents[1]


def mypy(*arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=CRATE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["tests", "examples"])
def test_users_are_typed_by_the_stubs(folder: str) -> None:
    mypy("mypy", "--strict", folder)


def test_the_package_is_typed() -> None:
    mypy("mypy", "--strict", "-p", "open_ttt")


def test_the_stubs_are_those_of_the_module() -> None:
    mypy("mypy.stubtest", "--mypy-config-file", "pyproject.toml", "open_ttt")
