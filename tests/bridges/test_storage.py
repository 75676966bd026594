"""Datasets in object storage: a real server that speaks S3, and storage in memory."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from deixis._cli import main
from deixis.data import _retries
from deixis.data._seal import members_of
from deixis.data.remote import StorageError, deliver_to, is_address, local_copy, upload
from deixis.data.store import MANIFEST, open_dataset
from deixis.errors import BrokenDataset, DeixisError, RecipeError
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import folder_bytes, quick


if TYPE_CHECKING:
    from collections.abc import Iterator


SECRETS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies lie in a folder of the test."""
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "tiny"
    make(quick(), out, workers=1)
    return out


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    """Storage in memory, empty before and after."""
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    yield storage
    storage.store.clear()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that speaks S3, with a bucket."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _create_bucket(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _create_bucket(port: int) -> None:
    for _ in range(300):
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("PUT", "/shelf")
            connection.getresponse().read()
            connection.close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the server did not start")


@pytest.fixture
def s3(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a bucket at that server."""
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in SECRETS:
        monkeypatch.setenv(name, "testing")
    s3fs.S3FileSystem.clear_instance_cache()
    yield "s3://shelf"
    s3fs.S3FileSystem.clear_instance_cache()


def complaint(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("deixis: ")
    assert err.count("\n") == 1
    return err


# --- there and back


@pytest.mark.parametrize("where", ["memory", "s3"])
def test_a_dataset_comes_back_as_it_was_sent(where, request, made):
    """Every file of the manifest is the same, byte by byte, after being sent and fetched."""
    request.getfixturevalue(where)
    address = f"{where}://shelf/back/tiny"
    upload(made, address)

    dataset = open_dataset(address)

    listed = {MANIFEST, *(member.path for member in members_of(dataset.manifest))}
    assert {"README.md", "croissant.json"} < listed
    assert folder_bytes(dataset.path) == {k: v for k, v in folder_bytes(made).items() if k in listed}
    assert dataset.path.name == "tiny"
    dataset.demand_whole()


@pytest.mark.slow
def test_all_verbs_work_at_an_address(s3, tmp_path, capsys):
    """A dataset is made, checked, counted and judged at an address; making it again finds it finished."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('mode = "corrected"\n[[pools]]\nname = "p1"\npattern = "p1"\ncommands = 20\nworlds = 2\n')
    line = ["make", "reascan", "--recipe", str(recipe), "--out"]
    address = f"{s3}/verbs/grid"
    assert main([*line, str(tmp_path / "here")]) == 0
    assert main([*line, address]) == 0
    assert f"Next: deixis check {address}" in capsys.readouterr().out
    assert main(["check", address, "--json"]) == main(["check", str(tmp_path / "here"), "--json"])
    first, second = capsys.readouterr().out.split("\n}\n", 1)
    assert json.loads(first + "}")["reports"][0]["path"] == address
    assert json.loads(first + "}")["reports"][0]["counts"] == json.loads(second)["reports"][0]["counts"]
    assert main(["stats", address]) == 0
    assert main(["evaluate", "oracle", "--data", address, "--split", "train"]) == 0
    assert "100.0" in capsys.readouterr().out
    assert main([*line, address]) == 0
    assert "already complete" in capsys.readouterr().out


def test_what_is_made_for_an_address_is_the_same(memory, made, tmp_path, cache):
    """What is sent is what would lie in a folder, and nothing is left here."""
    with deliver_to("memory://shelf/new", digest=quick().digest) as folder:
        make(quick(), folder, workers=1)

    sent = {path: memory.cat(f"/shelf/new/{path}") for path in folder_bytes(made)}
    assert sent == {path: (made / path).read_bytes() for path in sent}
    assert not list((cache / "making").iterdir())


def test_making_for_an_address_can_be_interrupted(memory):
    """What is finished stays here, nothing is sent, and the same call goes on from there."""
    begun = _interrupted("memory://shelf/new")

    assert not memory.exists("/shelf/new/manifest.json")
    assert (begun / "finished").is_file()
    assert _interrupted("memory://shelf/new") == begun


def _interrupted(address: str) -> Path:
    """The folder in which making was interrupted."""
    with suppress(KeyboardInterrupt), deliver_to(address) as folder:
        folder.mkdir(exist_ok=True)
        (folder / "finished").touch()
        raise KeyboardInterrupt
    return folder


def test_what_is_here_is_not_fetched_again(memory, made):
    """A second look needs the manifest only; a damaged copy is mended."""
    upload(made, "memory://shelf/tiny")
    folder = local_copy("memory://shelf/tiny")
    expected = folder_bytes(folder)
    first = open_dataset(folder).manifest["files"][0]["path"]
    (folder / first).write_bytes(b"damaged")

    assert folder_bytes(local_copy("memory://shelf/tiny")) == expected
    memory.rm(f"/shelf/tiny/{first}")
    assert folder_bytes(local_copy("memory://shelf/tiny")) == expected


def test_another_dataset_at_the_address_is_another_copy(memory, made, tmp_path):
    """When what lies at an address changes, nobody is given the old one."""
    upload(made, "memory://shelf/tiny")
    old = local_copy("memory://shelf/tiny")
    memory.store.clear()
    make(quick(seed=5), tmp_path / "other", workers=1)
    upload(tmp_path / "other", "memory://shelf/tiny")

    assert local_copy("memory://shelf/tiny") != old


def test_paths_are_paths(made):
    """A path given as text is opened as it is, and nothing that looks like a path is an address."""
    assert open_dataset(str(made)).path == made
    assert not any(map(is_address, ("data", "./s3:/data", "C:/data", "C:\\data", "s3:data", Path("s3://bucket"))))
    assert all(map(is_address, ("s3://bucket/data", "memory://x", "S3://b/c")))


# --- storage that fails in passing


class _FlakyStorage(MemoryFileSystem):
    """Storage in memory of which every tenth call fails, or the calls of a name fail always."""

    protocol = "flaky"
    store: ClassVar[dict] = {}
    pseudo_dirs: ClassVar[list] = [""]
    calls = failed = 0
    broken = ""

    def _call(self, name: str) -> None:
        type(self).calls += 1
        if self.calls % 10 == 0 or name == self.broken:
            type(self).failed += 1
            raise ConnectionResetError(104, "the connection was reset")

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("flaky://"))

    def size(self, path):
        self._call("size")
        return super().size(path)

    def cat_file(self, path, **options):
        self._call("cat_file")
        return super().cat_file(path, **options)

    def get_file(self, path, to, **options):
        self._call("get_file")
        return super().get_file(path, to, **options)

    def put_file(self, path, to, **options):
        self._call("put_file")
        return super().put_file(path, to, **options)


@pytest.fixture
def flaky(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_FlakyStorage]]:
    """Such storage at flaky://, empty before and after."""
    monkeypatch.setattr(_retries, "STORAGE_PAUSES", (0.0,) * len(_retries.STORAGE_PAUSES))
    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, "flaky", _FlakyStorage)
    monkeypatch.setattr(_FlakyStorage, "store", {})
    monkeypatch.setattr(_FlakyStorage, "pseudo_dirs", [""])
    for name, value in (("calls", 0), ("failed", 0), ("broken", "")):
        monkeypatch.setattr(_FlakyStorage, name, value)
    _FlakyStorage.clear_instance_cache()
    yield _FlakyStorage
    _FlakyStorage.clear_instance_cache()


def test_storage_that_fails_once_in_ten_calls_changes_no_byte(flaky, made):
    """Sent and fetched through storage that fails now and then, every file is the same."""
    for number in range(4):
        upload(made, f"flaky://shelf/{number}")
        found = folder_bytes(local_copy(f"flaky://shelf/{number}"))

        assert found == {path: digest for path, digest in folder_bytes(made).items() if path in found}
        assert MANIFEST in found
    assert flaky.failed >= 4


def test_what_is_made_for_storage_that_fails_is_the_same(flaky, made):
    """Making a dataset for such storage gives the bytes of a folder."""
    for number in range(3):
        with deliver_to(f"flaky://shelf/{number}", digest=quick().digest) as folder:
            make(quick(), folder, workers=1)

        sent = {path: flaky().store[f"/shelf/{number}/{path}"].getvalue() for path in folder_bytes(made)}
        assert sent == {path: (made / path).read_bytes() for path in sent}
    assert flaky.failed


def test_storage_that_fails_always_is_given_up(flaky, made):
    """After so many calls as are allowed, one line says what failed."""
    flaky.broken = "put_file"

    with pytest.raises(StorageError, match=r"cannot be written to: .*the connection was reset"):
        upload(made, "flaky://shelf/tiny")

    assert flaky.failed == _retries.STORAGE_TRIES == len(_retries.STORAGE_PAUSES) + 1


def test_what_is_lacking_is_not_asked_for_again(flaky):
    """A file that is not there will not be there a second later either."""
    with pytest.raises(BrokenDataset, match="is not a finished deixis dataset"):
        local_copy("flaky://shelf/nothing")

    assert flaky.calls == 1


def test_fewer_bytes_than_there_are_are_fetched_again(flaky, made, monkeypatch):
    """A connection that ends too early leaves half a file, which is not taken for the whole."""
    upload(made, "flaky://shelf/tiny")
    cut: list[str] = []

    def get_file(self, path, to, **options):
        MemoryFileSystem.get_file(self, path, to, **options)
        if path not in cut:
            cut.append(path)
            Path(to).write_bytes(Path(to).read_bytes()[:10])

    monkeypatch.setattr(_FlakyStorage, "get_file", get_file)

    copy = folder_bytes(local_copy("flaky://shelf/tiny"))

    assert cut
    assert copy == {path: digest for path, digest in folder_bytes(made).items() if path in copy}


# --- forms at addresses


def test_a_dataset_is_converted_to_an_address(made, tmp_path, capsys):
    """What `convert` writes to an address, a file or a folder, is what it writes here."""
    address = f"file://{tmp_path}/shelf"
    for form, name in (("reascan", "dataset.json"), ("parquet", "folder")):
        (tmp_path / "here").mkdir(exist_ok=True)
        assert main(["convert", str(made), str(tmp_path / "here" / name), "--to", form]) == 0
        capsys.readouterr()

        assert main(["convert", str(made), f"{address}/{name}", "--to", form]) == 0

        out = capsys.readouterr().out
        assert f"Wrote {address}/{name}." in out
        assert "deixis-" not in out  # of the folder in which it was written
    assert folder_bytes(tmp_path / "shelf") == folder_bytes(tmp_path / "here")


def test_what_lies_at_an_address_is_replaced_by_force_only(made, tmp_path, capsys):
    """A file at an address is kept unless --force is given, and a dataset always."""
    address = f"file://{tmp_path}/shelf"
    line = ["convert", str(made), f"{address}/dataset.json", "--to", "reascan"]
    assert main(line) == 0
    capsys.readouterr()

    assert "give --force to replace it" in complaint(capsys, *line)
    assert main([*line, "--force"]) == 0
    capsys.readouterr()
    upload(made, f"{address}/tiny")
    assert "already holds a dataset" in complaint(
        capsys, "convert", made, f"{address}/tiny", "--to", "parquet", "--force"
    )


# --- what can be wrong


def test_half_a_dataset_is_none(memory, made):
    """The manifest comes last: without it there is no dataset."""
    memory.pipe("/shelf/half/data/train.parquet", b"PAR1")

    with pytest.raises(BrokenDataset, match="memory://shelf/half is not a finished deixis dataset"):
        open_dataset("memory://shelf/half")


@pytest.mark.parametrize("harm", ["changed", "missing"])
def test_a_file_that_is_not_what_the_manifest_says_is_refused(harm, memory, made):
    """What was changed or lost there is told, and not kept here."""
    upload(made, "memory://shelf/tiny")
    path = open_dataset(made).manifest["files"][0]["path"]
    size = (made / path).stat().st_size
    memory.rm(f"/shelf/tiny/{path}")
    if harm == "changed":
        memory.pipe(f"/shelf/tiny/{path}", b"x" * size)

    with pytest.raises(BrokenDataset, match=rf"SHA-256 differs|lacks the file {path}"):
        open_dataset("memory://shelf/tiny")


@pytest.mark.parametrize("name", ["../../escaped", "/escaped", "data/../../escaped", "..", ""])
@pytest.mark.parametrize("part", ["files", "scenes"])
def test_a_manifest_cannot_reach_outside(name, part, memory, made, cache):
    """A manifest from elsewhere may not name files outside its folder, neither there nor here."""
    manifest = json.loads((made / MANIFEST).read_text(encoding="utf-8"))
    if part == "files":
        manifest["files"][0]["path"] = name
    else:
        manifest["scenes"] = {"path": name, "sha256": {"../../x": "0" * 64}}
    memory.pipe("/shelf/evil/manifest.json", json.dumps(manifest).encode())
    memory.pipe("/escaped", b"")

    with pytest.raises(BrokenDataset, match="not inside the dataset"):
        open_dataset("memory://shelf/evil")

    assert not [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize("written", [b"", b"{}", b"\xff", b"[" * 100_000])
def test_a_manifest_that_is_none_is_refused(written, memory):
    """Whatever lies there under its name, one line says what is wrong."""
    memory.pipe("/shelf/odd/manifest.json", written)

    with pytest.raises(BrokenDataset, match=r"memory://shelf/odd/manifest\.json is not a manifest"):
        open_dataset("memory://shelf/odd")


def test_a_manifest_of_a_newer_format_is_told_with_its_address(memory):
    """Not with the place where a copy would lie."""
    memory.pipe("/shelf/odd/manifest.json", b'{"format": 99}')

    with pytest.raises(BrokenDataset, match=r"^memory://shelf/odd is in format 99, and this version reads up to 2"):
        open_dataset("memory://shelf/odd")


def test_another_dataset_is_not_overwritten(made, tmp_path, capsys):
    """Where a dataset of another recipe lies, nothing is made or sent."""
    address = f"file://{tmp_path}/shelf/tiny"
    upload(made, address)

    said = complaint(capsys, "make", "reascan", "--out", address)

    assert "choose another address" in said
    shutil.copytree(made, copy := made.with_name("copy"))
    (copy / MANIFEST).write_text((copy / MANIFEST).read_text() + " ")
    with pytest.raises(RecipeError, match="already holds another dataset"):
        upload(copy, address)


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("foo://bucket/data", "known are s3://, gs://"),
        ("gs://bucket/data", "pip install gcsfs"),
        ("s3://", "give one such as s3://bucket/folder"),
        ("file://a/../b", "give one such as s3://bucket/folder"),
        ("simplecache://x::memory://a", "give one such as s3://bucket/folder"),
    ],
)
def test_an_address_of_no_use_is_told(address, hint, tmp_path, capsys):
    """An unknown kind of storage, a missing package or half an address: one line with what to do."""
    assert hint in complaint(capsys, "check", address)
    assert hint in complaint(capsys, "make", "reascan", "--out", address)


def test_a_missing_bucket_is_told_before_anything_is_made(s3, capsys, cache):
    """Nobody makes a dataset for an hour to learn that there is no such bucket."""
    said = complaint(capsys, "make", "reascan", "--out", "s3://no-such-bucket/data")

    assert "'no-such-bucket'" in said
    assert "create it first" in said
    assert "is not a finished deixis dataset" in complaint(capsys, "check", "s3://no-such-bucket/data")


def test_missing_credentials_are_told(s3, monkeypatch, tmp_path, capsys):
    """Without credentials, one line says which variables to set."""
    for name in SECRETS:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert "AWS_ACCESS_KEY_ID" in complaint(capsys, "check", "s3://shelf/tiny")


def test_missing_packages_are_named(s3, monkeypatch):
    """Without fsspec or s3fs, one line says how to get them."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)
    with pytest.raises(StorageError, match=r"pip install 'deixis\[cluster\]'"):
        open_dataset("s3://shelf/tiny")

    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(DeixisError, match=r"pip install 'deixis\[cluster\]'"):
        open_dataset("s3://shelf/tiny")


def test_copies_lie_where_the_system_keeps_such_things(monkeypatch, tmp_path):
    """DEIXIS_CACHE comes first, then XDG_CACHE_HOME, then ~/.cache."""
    from deixis.data._cache_folder import cache_folder

    assert cache_folder() == Path(os.environ["DEIXIS_CACHE"])
    monkeypatch.delenv("DEIXIS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "deixis"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "deixis"


# --- training


@pytest.mark.parametrize("workers", [0, 2])
def test_examples_are_streamed_from_a_bucket(s3, made, cache, workers):
    """Batches from S3, also in forked workers, are those of the folder, and no copy is made."""
    from deixis.bridges.pytorch import ExampleLoader, StreamedExamples

    address = f"{s3}/streamed/tiny"
    upload(made, address)
    here = StreamedExamples(made, split="train", batch=4, seed=3)
    there = ExampleLoader(StreamedExamples(address, split="train", batch=4, seed=3), workers=workers)

    assert [batch["id"].tolist() for batch in there] == [batch["id"].tolist() for batch in here]
    assert not (cache / "copies").exists()
