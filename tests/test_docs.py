"""The examples of README.md and docs/*.md run, and print what the page says they print.

Conventions for the pages' authors. The language of a fenced block says what happens to it:

``console``
    Every line ``$ sprawlsim ...`` is run by bash in a temporary directory, one for each page, that holds a
    copy of the folder experiments. It must exit with 0. Lines that follow, up to the next ``$``, must be
    what it writes to stdout, trailing blanks apart, 80 columns wide; a line ``...`` stands for any run of
    lines, also none. Without such lines only the exit code counts. A backslash at a line's end continues the
    command; ``NAME=value`` may stand before it.
``python``
    Executed, in one namespace for each page. With ``>>>`` prompts it is a doctest (with ELLIPSIS), and the
    output is compared; without, it only has to run. Figures are drawn off screen; a warning is an error.
``toml``
    Not run. If the first line is a comment that is just a file name (``# heist.toml``), the block is written
    to the page's directory under this name, for the commands below it.
``bash``
    Not run, for installing. But where its last command is a path to sprawlsim (``.venv/bin/sprawlsim odds
    ...``), that command is run as one of a console block, without comparing.
``text`` and the like (see NOT_RUN)
    Left alone. A block without a language, or with one unknown here, is an error: no example is skipped by
    mistake.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import ndiff
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))) if page.exists()]
NOT_RUN = {"text", "toml", "bash", "json", "csv", "html", "markdown"}

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<language>[^\s`]*)[^`]*$")
COMMAND = re.compile(r"(?:\w+=\S+ +)*sprawlsim(?: |$)")
INSTALLED_COMMAND = re.compile(r"\S*bin/(sprawlsim\s[^&;|]*)$")
FILE_NAME = re.compile(r"# ([\w-]+\.toml)\s*")


class PageError(Exception):
    """An example that fails, or a page that breaks the conventions."""


def check(condition: object, message: str) -> None:
    if not condition:
        raise PageError(message)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the number of its first inner line, and its lines."""

    language: str
    line: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Session:
    """One command of a console block with the output the page shows, or None if it shows none."""

    command: str
    line: int
    output: tuple[str, ...] | None


@dataclass
class Place:
    """Where a page's examples run: its directory, environment, and Python namespace."""

    directory: Path
    environment: dict[str, str]
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})


def blocks(text: str) -> Iterator[Block]:
    """Fenced blocks in the order of the page."""
    lines = enumerate(text.splitlines(), start=1)
    for number, line in lines:
        opening = FENCE.match(line)
        if opening is None:
            continue
        indent, fence = len(opening["indent"]), opening["fence"]
        inner: list[str] = []
        for _, content in lines:
            bare = content.strip()
            if len(bare) >= len(fence) and set(bare) == {fence[0]}:
                break
            inner.append(content[min(indent, len(content) - len(content.lstrip())) :])
        else:
            raise PageError(f"line {number}: the fenced block never ends")
        yield Block(opening["language"], number + 1, tuple(inner))


def joined(lines: tuple[str, ...], first: int) -> Iterator[tuple[int, str]]:
    """Numbered lines, with those that end in a backslash joined to the next."""
    pending, start = "", first
    for number, line in enumerate(lines, start=first):
        start = start if pending else number
        if line.endswith("\\"):
            pending += line[:-1].rstrip() + " "
            continue
        yield start, pending + (line.lstrip() if pending else line)
        pending = ""
    check(not pending, f"line {start}: the command's last backslash continues nothing")


def sessions(block: Block) -> Iterator[Session]:
    """Commands of a console block, each with its documented output."""
    command, line, output = "", block.line, list[str]()

    def finished() -> Session:
        while output and not output[-1].strip():
            output.pop()
        return Session(command, line, tuple(output) or None)

    for number, content in joined(block.lines, block.line):
        if not content.startswith("$ "):
            check(command or not content.strip(), f"line {number}: output before the first command")
            output.append(content)
            continue
        if command:
            yield finished()
        command, line, output = content[2:].strip(), number, []
        check(
            COMMAND.match(command),
            f"line {number}: only sprawlsim is run in a console block, not {command!r}; use ```text",
        )
    check(command, f"line {block.line}: a console block without a line '$ sprawlsim ...'")
    yield finished()


def run_session(session: Session, place: Place) -> None:
    """Run a command; raise PageError if it fails or prints something else than the page says."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {session.command}"],
        cwd=place.directory,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    where = f"line {session.line}: $ {session.command}"
    check(done.returncode == 0, f"{where}\nexit code {done.returncode}\n{done.stderr}{done.stdout}")
    if session.output is None:
        return
    printed = [line.rstrip() for line in done.stdout.rstrip().splitlines()]
    expected = [line.rstrip() for line in session.output]
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected)
    if not re.fullmatch(pattern, "".join(line + "\n" for line in printed)):
        raise PageError(f"{where}\n(- the page, + printed)\n" + "\n".join(ndiff(expected, printed)))


def run_python(block: Block, page: str, place: Place) -> None:
    """Execute a python block; raise PageError if it fails or prints something else than is shown."""
    code = "\n".join(block.lines) + "\n"
    if ">>>" not in code:
        try:
            exec(compile("\n" * (block.line - 1) + code, page, "exec"), place.namespace)
        except Exception:
            raise PageError(f"line {block.line}: python block\n{traceback.format_exc(limit=-3)}") from None
        return
    parts = doctest.DocTestParser().parse(code, page)
    examples = [part for part in parts if isinstance(part, doctest.Example)]
    loose = "".join(part for part in parts if isinstance(part, str)).strip()
    check(not loose, f"line {block.line}: belongs to no >>> prompt, so nothing would check it: {loose!r}")
    test = doctest.DocTest(examples, place.namespace, page, page, block.line - 1, code)
    report = io.StringIO()
    result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(
        test, out=report.write, clear_globs=False
    )
    place.namespace.update(test.globs)  # the test worked on a copy
    check(result.failed == 0, f"line {block.line}: python block\n{report.getvalue()}")


def run_block(block: Block, page: str, place: Place) -> None:
    if block.language == "console":
        for session in sessions(block):
            run_session(session, place)
    elif block.language == "python":
        run_python(block, page, place)
    elif block.language == "toml" and block.lines and (name := FILE_NAME.fullmatch(block.lines[0])):
        (place.directory / name[1]).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
    elif block.language == "bash":
        for number, line in joined(block.lines, block.line):
            check(not COMMAND.match(line.removeprefix("$ ")), f"line {number}: show it in a ```console block")
            if command := INSTALLED_COMMAND.search(line):
                run_session(Session(command[1], number, None), place)
    elif block.language not in NOT_RUN:
        known = ", ".join(["console", "python", *sorted(NOT_RUN)])
        raise PageError(f"line {block.line - 1}: block language {block.language!r} is none of {known}")


def failures(text: str, page: str, place: Place) -> list[str]:
    """Run all examples of a page; each failure as text."""
    found = []
    for block in blocks(text):
        try:
            run_block(block, page, place)
        except PageError as error:
            found.append(f"{page}, {error}")
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    directory, tools = tmp_path / "here", tmp_path / "bin"
    directory.mkdir()
    tools.mkdir()
    if (ROOT / "experiments").is_dir():
        shutil.copytree(ROOT / "experiments", directory / "experiments")
    shim = tools / "sprawlsim"
    if (installed := Path(sys.executable).with_name("sprawlsim")).exists():
        shim.symlink_to(installed)
    else:  # a checkout that is not installed
        start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from sprawlsim.cli import main; main()"
        shim.write_text(f"#!{sys.executable}\n{start}\n", encoding="utf-8")
        shim.chmod(0o755)
    fixed = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONUTF8": "1", "MPLBACKEND": "Agg"}
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SPRAWLSIM_")}
    kept.pop("FORCE_COLOR", None)
    monkeypatch.delenv("SPRAWLSIM_CARDS", raising=False)
    monkeypatch.chdir(directory)
    plt.switch_backend("Agg")
    yield Place(directory, kept | fixed | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"})
    plt.close("all")


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_examples_of_the_page_run_and_print_what_it_says(page: Path, place: Place) -> None:
    found = failures(page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix(), place)
    if found:
        pytest.fail("\n\n".join(found), pytrace=False)


GOOD = """
# A page

~~~text
$ not run
~~~

1. In a list:

   ```console
   $ sprawlsim --help
   Usage: sprawlsim [OPTIONS] COMMAND [ARGS]...

     Odds, best cards and balance of the board game Shadowrun: Sprawl Ops.
   ...
   $ COLUMNS=70 sprawlsim \\
       cards --help
   $ sprawlsim --help | head -n 1
   Usage: sprawlsim [OPTIONS] COMMAND [ARGS]...
   ```

```toml
# heist.toml
tokens = 1
```

```python
import pathlib
import matplotlib.pyplot as plt
six = 6
plt.plot([1, six])
plt.show()
```

```python
>>> six + 1
7
>>> print(pathlib.Path("heist.toml").read_text())
# heist.toml
tokens = 1
<BLANKLINE>
>>> list(range(100))
[0, 1, ..., 99]
```

```bash
python3 -m venv .venv && .venv/bin/pip install . && \\
  .venv/bin/sprawlsim --help
```
"""


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_a_right_page_passes(place: Place) -> None:
    assert failures(GOOD, "sample.md", place) == []
    assert place.namespace["six"] == 6


@pytest.mark.parametrize(
    ("language", "content", "told"),
    [
        (
            "console",
            "$ sprawlsim --help\nUsage: sprawlsim [OPTIONS] COMMAND [ARGS]...",
            "+   Odds, best cards",
        ),
        ("console", "$ sprawlsim --help\nUsage: something else\n...", "- Usage: something else"),
        ("console", "$ sprawlsim --help\n...\nno such last line", "- no such last line"),
        ("console", "$ sprawlsim --no-such-option", "exit code 2"),
        ("console", "$ sprawlsim --no-such-option | cat", "exit code 2"),
        ("console", "$ rm -r nothing", "only sprawlsim is run in a console block"),
        ("console", "$ sprawlsimulate", "only sprawlsim is run in a console block"),
        ("console", "sprawlsim --help", "output before the first command"),
        ("console", "", "without a line"),
        ("console", "$ sprawlsim \\", "continues nothing"),
        ("python", ">>> 1 + 1\n3", "Got:\n    2"),
        ("python", ">>> 1 + 1\n2\n\n3", "belongs to no >>> prompt"),
        ("python", ">>> undefined", "NameError"),
        ("python", "a = 1\nassert a == 2", 'File "sample.md", line 3'),
        ("python", "a = (", "SyntaxError"),
        ("python", "import warnings\nwarnings.warn('old', stacklevel=1)", "UserWarning: old"),
        ("bash", "sprawlsim --help", "show it in a ```console block"),
        ("bash", ".venv/bin/sprawlsim --no-such-option", "exit code 2"),
        ("", "anything", "block language '' is none of console, python"),
        ("py", "1 + 1", "block language 'py' is none of console, python"),
    ],
)
def test_a_wrong_page_fails(language: str, content: str, told: str, place: Place) -> None:
    (message,) = failures(f"```{language}\n{content}\n```\n", "sample.md", place)
    assert message.startswith("sample.md, line ")
    assert told in message


def test_a_page_tells_all_its_failures_and_where(place: Place) -> None:
    page = "```python\n1 / 0\n```\n\nText.\n\n````python\n>>> 1\n2\n````\n"
    first, second = failures(page, "sample.md", place)
    assert first.startswith("sample.md, line 2:")
    assert second.startswith("sample.md, line 8:")


def test_a_block_that_never_ends_is_told(place: Place) -> None:
    with pytest.raises(PageError, match="line 1: the fenced block never ends"):
        failures("```python\n1\n", "sample.md", place)


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sprawlsim", "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: python -m sprawlsim")
