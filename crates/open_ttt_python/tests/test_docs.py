"""The examples of the documentation are run, and what they print is compared."""

import doctest
import re
import runpy
from pathlib import Path

import open_ttt
import open_ttt.pettingzoo
import pytest

CRATE = Path(__file__).resolve().parents[1]
ROOT = CRATE.parents[1]
FENCED = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def check(text: str, name: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert test.examples, f"{name} has no examples"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("page", [CRATE / "README.md", ROOT / "docs" / "python.md"], ids=str)
def test_pages(page: Path) -> None:
    check("\n".join(FENCED.findall(page.read_text())), page.name)


@pytest.mark.parametrize("module", [open_ttt, open_ttt.pettingzoo], ids=str)
def test_modules(module: object) -> None:
    check(str(module.__doc__), str(module))


def test_everything_has_a_docstring() -> None:
    classes = [value for value in vars(open_ttt).values() if isinstance(value, type)]
    for owner in classes:
        assert owner.__doc__
        for name, member in vars(owner).items():
            if not name.startswith("_"):
                assert member.__doc__, f"{owner.__name__}.{name}"


def test_the_example_trains_an_agent_that_does_not_lose() -> None:
    trained = runpy.run_path(str(CRATE / "examples" / "train_an_agent.py"))
    agent = trained["agent"]
    for opponent in ["random", "medium", "perfect"]:
        result = open_ttt.play_match("ttt", agent, opponent, 100, opening_plies=1, seed=1)
        assert result.losses == 0, opponent
    assert open_ttt.play_match("ttt", agent, "random", 100, seed=2).wins > 70
