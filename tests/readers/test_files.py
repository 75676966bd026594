"""Records of files: one at a time, and one clear line for what cannot be read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset
from deixis.readers.files import head_of, json_items, json_lines, json_lists, json_members, table_rows, xml_tree


ENTITY = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "xxxxxxxxxx">]><a>&x;</a>'
values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=5)


@given(st.lists(values, max_size=6))
def test_a_list_is_read_entry_by_entry(tmp_path_factory, entries):
    """As `json.loads` reads it."""
    path = tmp_path_factory.mktemp("list") / "list.json"
    path.write_text(json.dumps(entries), encoding="utf-8")

    assert list(json_items(path)) == entries


def test_lists_within_an_object_are_read_entry_by_entry(tmp_path):
    """Each under its key, other fields whole."""
    path = tmp_path / "coco.json"
    path.write_text(json.dumps({"info": {"year": 1}, "images": [{"id": 1}, {"id": 2}], "none": []}), encoding="utf-8")

    assert list(json_lists(path)) == [("info", {"year": 1}), ("images", {"id": 1}), ("images", {"id": 2})]
    assert list(json_items(path, "images")) == [{"id": 1}, {"id": 2}]
    assert dict(json_members(path))["none"] == []
    with pytest.raises(BrokenDataset, match="no entries under 'refs'"):
        list(json_items(path, "refs"))


def test_tables_may_end_their_lines_with_cr_alone(tmp_path):
    """As old spreadsheets do."""
    path = tmp_path / "table.csv"
    path.write_bytes(b'id,text\r1,a ball\r2,"a, b"\r')

    assert list(table_rows(path)) == [{"id": "1", "text": "a ball"}, {"id": "2", "text": "a, b"}]


@pytest.mark.parametrize(
    ("content", "reader", "complaint"),
    [
        (b"[1, 2", json_items, "cut short"),
        (b"[1] [2]", json_items, "more text behind the end"),
        (b'{"a": 1}\n{"a":', json_lines, "line 2: it is no JSON"),
        (b"\xff\xfe\x00", json_lines, "no text in UTF-8"),
        (b"a,b\n1,2,3\n", table_rows, "line 2: it has 3 cells where the head has 2"),
        (b"a,a\n1,2\n", table_rows, "no head with different names"),
        (b"", table_rows, "no head"),
        (b"<a><b></a>", lambda path: [xml_tree(path)], "is no XML"),
        (ENTITY.encode(), lambda path: [xml_tree(path)], "declares a document type"),
    ],
)
def test_a_broken_file_is_one_clear_line(tmp_path, content, reader, complaint):
    """It names the place."""
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(BrokenDataset, match=complaint) as caught:
        list(reader(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reader", [json_items, json_lists, json_members, json_lines, table_rows])
def test_a_file_that_is_not_there_is_one_clear_line(tmp_path, reader):
    """So is a folder."""
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(BrokenDataset, match="cannot be read"):
            list(reader(path))


def test_xml_is_read_in_its_own_encoding(tmp_path):
    """Accents of ISO-8859-1 arrive as such."""
    path = tmp_path / "a.xml"
    path.write_bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a t="está">não</a>'.encode("latin-1"))

    tree = xml_tree(path)
    assert (tree.get("t"), tree.text) == ("está", "não")


def test_the_head_of_anything_is_a_text(tmp_path):
    """Sniffers are shown everything."""
    (tmp_path / "bytes").write_bytes(bytes(range(256)))

    assert head_of(tmp_path) == head_of(tmp_path / "absent") == ""
    assert len(head_of(tmp_path / "bytes")) > 100
