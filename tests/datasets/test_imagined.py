from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from deixis.errors import RecipeError
from deixis.worlds.photos.clean import GraphReport
from deixis.worlds.photos.data.graphs import read_graphs
from deixis.worlds.photos.imagine import draw_imagined, imagine
from deixis.worlds.photos.making._imagined import write_imagined


if TYPE_CHECKING:
    from pathlib import Path


Image = pytest.importorskip("PIL.Image")


def test_what_is_written_reads_back_as_what_was_imagined(tmp_path: Path) -> None:
    """The two files are GQA files without a fault, and the pictures are those of the scenes."""
    write_imagined(tmp_path / "scenes", images=4, seed=6, workers=1)
    report = GraphReport()
    for name, graph_of in (("sceneGraphs.json", "published"), ("truth.json", "truth")):
        graphs = list(read_graphs(tmp_path / "scenes" / name, report))
        assert graphs == [getattr(imagine(number, seed=6), graph_of) for number in range(4)]
    assert not report.counts
    scene = imagine(2, seed=6)
    with Image.open(tmp_path / "scenes" / "images" / f"{scene.truth.image_id}.png") as picture:
        assert picture.tobytes() == draw_imagined(scene).tobytes()


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    """Two workers write the same bytes as one."""
    folders = [tmp_path / "one", tmp_path / "two"]
    seen: list[int] = []
    for workers, folder in enumerate(folders, start=1):
        write_imagined(folder, images=20, seed=6, workers=workers, picture="jpg", progress=seen.append)
    files = [sorted(path.relative_to(folder) for path in folder.rglob("*.*")) for folder in folders]
    assert files[0] == files[1]
    assert len(files[0]) == 22
    assert all((folders[0] / name).read_bytes() == (folders[1] / name).read_bytes() for name in files[0])
    assert sum(seen) == 40


def test_the_layout_is_that_of_gqa(tmp_path: Path) -> None:
    """Keys and types are those of GQA's scene graphs, and coordinates are whole numbers."""
    write_imagined(tmp_path / "scenes", images=2, seed=1, workers=1)
    graphs = json.loads((tmp_path / "scenes" / "sceneGraphs.json").read_text())
    for graph in graphs.values():
        assert set(graph) == {"width", "height", "location", "objects"}
        for thing in graph["objects"].values():
            assert set(thing) == {"name", "x", "y", "w", "h", "attributes", "relations"}
            assert all(isinstance(thing[key], int) for key in "xywh")
            assert all(set(link) == {"object", "name"} for link in thing["relations"])


@pytest.mark.parametrize(
    ("options", "message"),
    [({"images": 0}, "images must be"), ({"picture": "gif"}, "pictures are"), ({"workers": 0}, "workers must be")],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, options: dict, message: str) -> None:
    """Impossible wishes get one helpful line."""
    with pytest.raises(RecipeError, match=message):
        write_imagined(tmp_path / "scenes", **options)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    (tmp_path / "precious.txt").write_text("keep")
    with pytest.raises(RecipeError, match="not an empty folder"):
        write_imagined(tmp_path, images=1)
