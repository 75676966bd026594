"""A world of another package: written, installed by pip, and used by every verb as the page about it says."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.pages import blocks


PAGE = "how-to/add-a-world.md"
SOURCE = Path(__file__).parents[2] / "src"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("hatchling") is None, reason="needs `hatchling`"),
]


class Place:
    """An empty folder with packages of its own, and commands that are run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = folder / "packages"

    def run(self, *words: str, code: int = 0) -> str:
        """What a command prints; it must end with this exit code."""
        path = os.pathsep.join([str(SOURCE), str(self.packages)])
        env = {**os.environ, "PYTHONPATH": path, "COLUMNS": "120"}
        done = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, env=env, cwd=self.folder, check=False
        )
        assert done.returncode == code, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def deixis(self, *words: str, code: int = 0) -> str:
        """What a command of ours prints."""
        return self.run("-m", "deixis", *words, code=code)

    def install(self, package: str) -> None:
        """What `pip install` does, into a folder of its own."""
        self.run("-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation", "--target", "packages", package)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder in which somebody has followed the page as far as installing the package, and made a dataset."""
    place = Place(tmp_path_factory.mktemp("afternoon"))
    place.deixis("new", "world", "beads", "--out", "deixis-beads")
    place.install("./deixis-beads")
    place.deixis("make", "beads", "--out", "data", "--examples", "120", "--workers", "2")
    return place


def commands():
    """The lines of the page that need the package, the server and those of pip left out."""
    for block in blocks(PAGE):
        if block.language == "console" and block.no_run:
            for line in block.text.splitlines():
                words = shlex.split(line.removeprefix("$ "))
                if words[:1] == ["deixis"] and words[1] not in ("make", "studio"):
                    yield words[1:]


@pytest.mark.parametrize("words", list(commands()), ids=lambda words: words[0])
def test_every_command_of_the_page_works(place, words):
    """As it stands there."""
    place.deixis(*words)


def test_the_package_passes_its_own_test(place):
    """Which is `check_world`: every part is tried."""
    place.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "deixis-beads/tests")


def test_making_is_listed_and_has_the_options_of_the_recipe(place):
    """Help shows the fields of the recipe with their lines."""
    assert "beads" in place.deixis("make", "--help")
    assert "How many beads hang on a string" in place.deixis("make", "beads", "--help")


def test_workers_do_not_change_a_byte(place):
    """The same recipe with one process and with two."""
    made = []
    for workers in ("1", "2"):
        place.deixis("make", "beads", "--out", workers, "--examples", "120", "--workers", workers)
        folder = place.folder / workers
        files = (path for path in folder.rglob("*") if path.is_file())
        made.append({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})
    one, two = made

    assert one == two


def test_the_studio_shows_gallery_examples_and_a_game(place):
    """Over the same pages as the built-in worlds."""
    script = (
        "from pathlib import Path\n"
        "from starlette.testclient import TestClient\n"
        "from deixis._studio.server import make_app\n"
        "client = TestClient(make_app((Path('data'),)), base_url='http://127.0.0.1')\n"
        "pages = [client.get(page) for page in ('/', '/d/data', '/d/data/0', '/play')]\n"
        "assert all(page.status_code == 200 for page in pages), [page.status_code for page in pages]\n"
        "import re, deixis as dx\n"
        "text = dx.load('data')[0].text\n"
        "shown = re.sub(r'<[^>]+>', '', pages[2].text)\n"
        "assert text in pages[1].text and text in ' '.join(shown.split()), text\n"
        "assert '<svg' in client.get('/d/data/0/picture.svg').text\n"
    )

    place.run("-W", "ignore", "-c", script)


def test_without_the_package_one_line_says_what_is_missing(place, tmp_path):
    """And nothing is written."""
    other = Place(tmp_path)
    data = str(place.folder / "data")
    for words in (["check", data], ["show", data], ["audit", data], ["evaluate", "random", "--data", data]):
        said = other.deixis(*words, code=2)
        assert said.strip() == (
            "deixis: data was made by world 'beads' of package deixis-beads, which is not installed"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_fails_to_import_is_left_out_with_a_warning(place, tmp_path):
    """The other worlds work."""
    broken = Place(tmp_path)
    broken.deixis("new", "world", "pearls", "--out", "deixis-pearls")
    (tmp_path / "deixis-pearls/src/deixis_pearls/__init__.py").write_text("import no_such_thing\n", encoding="utf-8")
    broken.install("./deixis-pearls")

    said = broken.deixis("make", "--help")

    assert "the world 'pearls' of deixis-pearls is left out: ModuleNotFoundError" in said
    assert "Traceback" not in said


def test_answers_of_a_model_are_judged(place):
    """A line for every example; wrong ones are told with what they misread."""
    script = "import deixis as dx, json\n"
    script += "lines = [json.dumps({'id': one.id, 'object': 0}) for one in dx.load('data')]\n"
    script += "open('answers.jsonl', 'w').write('\\n'.join(lines))\n"
    place.run("-c", script)

    said = json.loads(place.deixis("evaluate", "answers.jsonl", "--data", "data", "--json"))

    assert said
