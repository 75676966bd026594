"""The studio as an application: its first page, its files, and what it says when something is amiss."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from contextlib import ExitStack, contextmanager
from urllib.request import urlopen

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from deixis._studio import home, server
from deixis._studio.demo import demo_folder, make_demo
from deixis._studio.pages import HERE
from deixis._studio.server import make_app, serve
from deixis.errors import BrokenDataset, DeixisError, UnknownName


LOCAL = "http://127.0.0.1"
POSTED = b"POST /play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf"


@pytest.fixture(scope="module")
def client(demo_roots):
    """A studio with nothing but its first page."""
    return TestClient(make_app(demo_roots), base_url=LOCAL)


def test_the_first_page_lists_the_datasets_and_their_splits(client):
    """Each dataset has a card with a link, and each split a link with its size."""
    text = client.get("/").text

    for slug in ("3d-shapes", "grid-worlds", "photographs"):
        assert f'href="/d/{slug}"' in text
    assert 'href="/d/3d-shapes?split=test">test <b>400,000</b>' in text


def test_an_empty_folder_is_no_mistake(tmp_path):
    """Where nothing is found, the page says so."""
    text = TestClient(make_app([tmp_path]), base_url=LOCAL).get("/").text

    assert "No datasets were found" in text


def test_a_broken_dataset_and_a_broken_run_are_shown_beside_the_others(tmp_path):
    """Their errors stand where the links would be."""
    for name, file in (("one", "manifest.json"), ("two", "run.json")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("{", encoding="utf-8")
    (tmp_path / "two" / "predictions").symlink_to("/")

    text = TestClient(make_app([tmp_path]), base_url=LOCAL).get("/").text

    assert "manifest.json cannot be read" in text
    assert "leads out of the given folders" in text
    assert 'href="/d/' not in text


def test_every_file_of_the_studio_is_served_with_its_type(client):
    """Styles, scripts and pictures come from this machine."""
    for path in (HERE / "static").iterdir():
        answer = client.get(f"/static/{path.name}")
        assert answer.content == path.read_bytes()
        assert answer.headers["content-type"].partition(";")[0] == home.TYPES[path.suffix]


@pytest.mark.parametrize("wants", ["text/html", "application/json"])
@pytest.mark.parametrize(
    ("error", "status"),
    [(UnknownName("not <here>"), 404), (BrokenDataset("not <here>"), 422), (DeixisError("not <here>"), 400)],
)
def test_mistakes_are_answered_with_their_message(monkeypatch, tmp_path, error, status, wants):
    """What a user asked for in vain is said, escaped in a page and plain in JSON."""

    def fail(request):
        raise error

    monkeypatch.setattr(home, "ROUTES", (Route("/", fail),))
    answer = TestClient(make_app([tmp_path]), base_url=LOCAL).get("/", headers={"accept": wants})

    assert answer.status_code == status
    assert (answer.json()["error"] if "json" in wants else answer.text).count("<here>") == ("json" in wants)
    assert "not &lt;here&gt;" in answer.text or "json" in wants


def test_a_fault_of_ours_is_told_without_a_traceback(monkeypatch, tmp_path):
    """An unforeseen error is a page of its own that names its kind only."""
    monkeypatch.setattr(home, "ROUTES", (Route("/", lambda _: 1 / 0),))
    client = TestClient(make_app([tmp_path]), base_url=LOCAL, raise_server_exceptions=False)

    answer = client.get("/")

    assert answer.status_code == 500
    assert "fault in deixis: ZeroDivisionError" in answer.text
    assert "Traceback" not in answer.text
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("address", ["/none", "/static", "/static/", "/static/none.js", "/d", "/%00"])
def test_what_there_is_not_is_not_found(client, address):
    """Unknown addresses are 404."""
    assert client.get(address).status_code == 404


def test_other_methods_are_not_allowed(client):
    """A page can be read, not written."""
    assert {client.request(method, "/").status_code for method in ("POST", "PUT", "DELETE", "TRACE")} == {405}


def test_a_port_that_is_taken_is_a_mistake_in_one_line(tmp_path):
    """The message says which, and what to do."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen()
        port = place.getsockname()[1]

        with pytest.raises(DeixisError, match=f"port {port}: .*--port"):
            serve([tmp_path], port=port)
    with pytest.raises(DeixisError, match="--host"):
        serve([tmp_path], host="203.0.113.1")


def test_the_port_is_the_same_each_time_and_the_next_one_where_it_is_taken(monkeypatch):
    """Links into the studio survive a restart; two studios do not fight."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        free = place.getsockname()[1]

    with server._listening_near("127.0.0.1", free) as first:
        assert first.getsockname()[1] == free
        with server._listening_near("127.0.0.1", free) as second:
            assert free < second.getsockname()[1] < free + server.NEXT_PORTS
    with server._listening_near("127.0.0.1", free) as again:
        assert again.getsockname()[1] == free
    with pytest.raises(DeixisError, match="--host"):
        server._listening_near("203.0.113.1", free)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104 (both are tried from this machine)
def test_serving_tells_where_opens_a_browser_and_ends_quietly(monkeypatch, demo_roots, host):
    """The address that is told answers while it runs, and Ctrl-C ends it without an error."""
    told: list[str] = []
    opened: list[str] = []
    servers: list[uvicorn.Server] = []
    real = server.Server
    monkeypatch.setattr(server, "Server", lambda config: servers.append(real(config)) or servers[0])
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    thread = threading.Thread(
        target=serve, args=(demo_roots,), kwargs={"told": told.append, "host": host, "port": 0}, daemon=True
    )

    thread.start()
    until(lambda: servers and servers[0].started and opened)
    with urlopen(told[0]) as answer:  # noqa: S310 (it is our own)
        assert b"grid-worlds" in answer.read()
    servers[0].should_exit = True
    thread.join(10)

    assert not thread.is_alive()
    assert opened == told == [f"http://127.0.0.1:{told[0].rpartition(':')[2]}"]


def test_answers_are_sent_at_once():
    """Connections that are taken have no delay: small answers do not wait for each other."""

    async def taken() -> int:
        seen = asyncio.get_running_loop().create_future()

        def connected(reader, writer):
            seen.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with server._listening("127.0.0.1", 0) as place:
            async with await asyncio.start_server(connected, sock=place):
                _, writer = await asyncio.open_connection(*place.getsockname())
                found = await seen
                writer.close()
        return found

    assert asyncio.run(taken())


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", POSTED])
def test_connections_without_a_whole_request_are_dropped(monkeypatch, tmp_path, said):
    """Whoever says nothing, or stops in the middle of a request, does not keep a connection for ever."""
    monkeypatch.setattr(server, "PATIENCE_SECONDS", 0.5)
    app = make_app([tmp_path])
    with serving(app) as (_, place), socket.create_connection(place) as half_open:
        half_open.sendall(said)
        half_open.settimeout(10)

        heard = b"".join(iter(lambda: half_open.recv(1 << 16), b""))  # ends when the other side closes

        assert heard == b""


def test_many_silent_connections_do_not_keep_others_out(monkeypatch, tmp_path):
    """The oldest of too many go at once, so that somebody with a request is answered."""
    monkeypatch.setattr(server, "_descriptors", lambda: 10)
    with serving(make_app([tmp_path])) as (running, place), ExitStack() as opened:
        for _ in range(30):
            opened.enter_context(socket.create_connection(place))
        until(lambda: 0 < len(running.server_state.connections) <= 5)

        with urlopen(f"http://127.0.0.1:{place[1]}/") as answer:
            assert b"No datasets were found" in answer.read()


def test_a_slow_page_is_waited_for(monkeypatch, tmp_path):
    """A connection whose request is being answered is not silent, however long that takes."""
    monkeypatch.setattr(server, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(home, "ROUTES", (Route("/", lambda _: time.sleep(0.6) or PlainTextResponse("done")),))

    with (
        serving(make_app([tmp_path])) as (_, place),
        urlopen(f"http://127.0.0.1:{place[1]}/") as answer,
    ):
        assert answer.read() == b"done"


@contextmanager
def serving(app):
    """A server of ours in a thread, and where it listens."""
    with server._listening("127.0.0.1", 0) as place:
        running = server.Server(uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [place]}, daemon=True)
        thread.start()
        until(lambda: running.started)
        yield running, place.getsockname()
        running.should_exit = True
        thread.join(10)


def test_no_browser_is_opened_where_none_could_show_itself(monkeypatch):
    """Without a screen a browser would write into the terminal."""
    monkeypatch.setattr(server.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)

    assert not server._has_windows()


def test_the_answers_folder_is_known_to_the_pages(tmp_path):
    """Who plays finds out where answers are kept, and that they are not."""
    assert make_app([tmp_path], answers=tmp_path).app.state.answers == tmp_path
    assert make_app([tmp_path]).app.state.answers is None


def test_a_demo_is_used_again(demo_roots):
    """Making it a second time changes nothing and takes no time worth mentioning."""
    before = {path: path.stat().st_mtime_ns for path in demo_roots[0].rglob("*") if path.is_file()}
    start = time.monotonic()

    make_demo(demo_roots[0])

    assert {path: path.stat().st_mtime_ns for path in demo_roots[0].rglob("*") if path.is_file()} == before
    assert time.monotonic() - start < 5


def test_the_readers_of_the_demo_differ_where_they_should(demo_roots):
    """Who understands everything is always right, who says anything is nearly never."""
    told = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))["splits"]["c1"]["exact"]
        for path in demo_roots[0].glob("results/*/evaluation.json")
    }

    assert told["oracle"] == 1
    assert told["random"] < 0.2


def test_the_demo_has_a_place_for_each_seed(monkeypatch, tmp_path):
    """It lies where the user's system keeps what can be made again."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert demo_folder().parent == tmp_path / "deixis"
    assert demo_folder(1) != demo_folder(2)


def until(happened) -> None:
    """Wait for something, ten seconds at most."""
    deadline = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_pages_may_be_plain_functions(monkeypatch, tmp_path):
    """An endpoint that is no coroutine runs in a thread, so that a slow page does not hold up the others."""
    threads: list[str] = []

    def slow(request):
        threads.append(threading.current_thread().name)
        return PlainTextResponse("done")

    monkeypatch.setattr(home, "ROUTES", (Route("/", slow),))
    TestClient(make_app([tmp_path]), base_url=LOCAL).get("/")

    assert threads != [threading.main_thread().name]
