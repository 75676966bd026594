"""Every code block of the documentation does what its page says.

Python blocks of a page run from top to bottom in one namespace, in an empty folder, and `>>>` lines give what is
printed below them. Lines of console blocks that call `deixis` run in the same folder through the real command line;
where output is shown it is compared, `…` standing for anything. A block with `title="NAME"` is a file of that name.
A comment before a block, `<!-- no-run: why -->`, lets it be: its commands are still parsed. `<!-- slow: why -->` marks
a page that takes long.
"""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from hashlib import sha256
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import pytest

from deixis._cli import main
from deixis._cli.app import command_line
from tests.beads import installed_beads
from tests.docs.pages import PAGES, Block, blocks, is_slow
from tests.sharing import share_folder


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


ADDS_BEADS = "how-to/add-a-world.md"  # whose commands need the world that it adds
CONSOLE = ("console", "sh", "bash", "shell")
SHOWN = ("bibtex", "csv", "html", "ini", "json", "jsonl", "make", "markdown", "text", "toml", "yaml")
KNOWN = {"python", "pycon", *CONSOLE, *SHOWN}
MOST_NOT_RUN = 50  # blocks; mostly servers, graphics cards, clusters, and data that only the reader has
OTHERS = (
    "kubectl",
    "git",
    "cd",
    "make",
    "pip",
    "cat",
    "python",
    ".venv/bin/python",
    "export",
    "sbatch",
    "torchrun",
    "squeue",
    "inspect",
    "lm_eval",
    "hf",
)
SAID = "said.txt"
DEMO = "make reascan --mode every-word --out demo/dataset"  # what `make demo` makes, without its report


class Command(NamedTuple):
    """A line of a console block with what the page shows below it."""

    words: list[str]
    shown: str


@pytest.fixture(scope="session")
def pantry(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str], Path], str]:
    """What was made once for some page is copied for all others that make the same."""

    def fetch(words: list[str], folder: Path) -> str:
        out = words.index("--out") + 1
        key = shlex.join([*words[:out], *words[out + 1 :]])

        def make(place: Path) -> None:
            place.mkdir()
            said = _deixis([*words[:out], str(place / "made"), *words[out + 1 :]])
            (place / SAID).write_text(said, encoding="utf-8")

        place = share_folder(tmp_path_factory, f"page-{sha256(key.encode()).hexdigest()[:16]}", make)
        for found in place.glob("made*"):
            name = found.name.replace("made", folder.joinpath(words[out]).name, 1)
            shutil.copytree(found, folder.joinpath(words[out]).parent / name, dirs_exist_ok=True)
        return (place / SAID).read_text(encoding="utf-8").replace(str(place / "made"), words[out])

    return fetch


def _cases() -> Iterator[object]:
    for page in PAGES:
        if any(block.language in {"python", "pycon", *CONSOLE} for block in blocks(page)):
            yield pytest.param(page, marks=pytest.mark.slow if is_slow(page) else ())


@pytest.mark.parametrize("page", list(_cases()))
def test_every_block_of_a_page_does_what_the_page_says(page, tmp_path, monkeypatch, pantry):
    """A reader who types what stands on a page, from top to bottom, gets what the page shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "NO_COLOR"):
        monkeypatch.setenv(name, "1")
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks(page):
        if block.no_run:
            continue
        where = f"{page}, line {block.line}"
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language in CONSOLE:
            _run_commands(block, tmp_path, pantry, where)
        elif block.language in {"python", "pycon"}:
            _run_python(block, namespace, where)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_can_be_parsed(page):
    """Verbs and options that a page names exist, also where the command is not run; one page adds a world."""
    with installed_beads() if page == ADDS_BEADS else nullcontext():
        _parse_commands(page)


def _parse_commands(page: str) -> None:
    for block in blocks(page):
        for command in _commands(block) if block.language in CONSOLE else ():
            words = _own(command.words)
            if words is None:
                assert command.words[0] in OTHERS, f"{page}, line {block.line}: unknown command {command.words[0]!r}"
            elif not {"--help", "--version"} & set(words):
                command_line().parse_args(words, exit_on_error=False, print_error=False)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page):
    """Blocks have a language, so that they are highlighted and run, and an opening that the site can read."""
    for block in blocks(page):
        assert block.language in KNOWN, f"{page}, line {block.line}: {block.info!r}"
        rest = block.info.removeprefix(block.language)
        assert re.fullmatch(r"( [a-z_]+=\"[^\"]*\")*", rest), f"{page}, line {block.line}: write a comment instead"


def test_few_blocks_are_not_run():
    """What cannot be run is the exception, and says why."""
    left_out = [f"{page}, line {one.line}: {one.no_run}" for page in PAGES for one in blocks(page) if one.no_run]

    assert len(left_out) <= MOST_NOT_RUN, "\n".join(left_out)


def _run_python(block: Block, namespace: dict[str, object], where: str) -> None:
    if ">>>" not in block.text:
        program = compile("\n" * block.line + block.text, where, "exec", dont_inherit=True)
        with redirect_stdout(StringIO()):
            exec(program, namespace)  # noqa: S102 (it is our own documentation)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, where, where, block.line)
    test.globs = namespace  # shared with the other blocks; a copy would forget what they define
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
    assert result.failed == 0, "".join(said)


def _run_commands(block: Block, folder: Path, pantry: Callable[[list[str], Path], str], where: str) -> None:
    for command in _commands(block):
        words = _own(command.words)
        if command.words[:2] == ["make", "demo"]:
            pantry(DEMO.split(), folder)
        if words is None or "--help" in words:
            continue
        said = pantry(words, folder) if words[0] == "make" and "--out" in words else _deixis(words)
        if command.shown:
            assert _agrees(command.shown, said), f"{where}: {shlex.join(words)}\n{said}"


def _deixis(words: list[str]) -> str:
    """What a command prints; it must not fail."""
    said, complaint = StringIO(), StringIO()
    with redirect_stdout(said), redirect_stderr(complaint):
        code = main(words)
    assert code in (0, 1), f"deixis {shlex.join(words)}: {complaint.getvalue()}"
    return said.getvalue()


def _commands(block: Block) -> Iterator[Command]:
    """The commands of a block; in a console they follow a dollar sign, and what follows them is what they print."""
    text = re.sub(r"\\\n\s*(> )?", "", block.text)
    if block.language != "console":
        for line in text.splitlines():
            if words := shlex.split(line, comments=True):
                yield Command(words, "")
        return
    for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = piece.partition("\n")
        yield Command(_split(line), shown.strip("\n"))


def _split(line: str) -> list[str]:
    """The words of a line without its comment; `#` inside a word, as in `sample#7`, begins none."""
    return shlex.split(re.sub(r"\s+# .*$", "", line))


def _own(words: list[str]) -> list[str] | None:
    """The words after `deixis`, or None where it is another command."""
    return words[1:] if words[0] in ("deixis", ".venv/bin/deixis") else None


def _agrees(shown: str, said: str) -> bool:
    """Whether a page shows what was said, spaces at line ends aside; `…` stands for anything."""
    pattern = "".join(".*" if piece == "…" else re.escape(piece) for piece in re.split("(…)", _trimmed(shown)))
    return re.fullmatch(pattern, _trimmed(said), flags=re.DOTALL) is not None


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
