"""What the built documentation looks like and holds, without building it."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from types import SimpleNamespace

import pytest

from tests.docs.pages import DOCS, ROOT


def test_figures_for_the_dark_lie_on_no_white_ground():
    """Whatever a rule paints white in the dark theme, it leaves out pictures that were drawn for it."""
    sheet = re.sub(r"/\*.*?\*/", "", (DOCS / "stylesheets" / "deixis.css").read_text(encoding="utf-8"), flags=re.DOTALL)
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", sheet)
    white = [one.strip() for heads, body in rules if "background: #fff" in body for one in heads.split(",")]

    assert white
    assert [one for one in white if ':not([src$="#only-dark"])' not in one and "[src$=" not in one] == []


@pytest.mark.parametrize(("address", "is_kept"), [("", False), ("https://example.org/", True)])
def test_there_is_no_map_of_a_site_without_an_address(tmp_path, address, is_kept):
    """It would be empty."""
    spec = spec_from_file_location("site_map", DOCS / "site_map.py")
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (tmp_path / name).write_bytes(b"<urlset/>")

    hook.on_post_build(SimpleNamespace(site_url=address, site_dir=str(tmp_path)))

    assert [path.exists() for path in (tmp_path / "sitemap.xml", tmp_path / "sitemap.xml.gz")] == [is_kept, is_kept]


def test_tables_of_settings_come_from_the_records():
    """Every mark on the page is filled in with a table of all fields; nothing else is changed."""
    spec = spec_from_file_location("settings_tables", DOCS / "settings_tables.py")
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    page = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")

    built = hook.on_page_markdown(page, page=None, config=None, files=None)

    assert page.count("<!-- settings: ") == 7
    assert "<!-- settings" not in built
    assert "| `--lr` | a number above 0 and up to 10 | `0.001` | learning rate after the warm-up |" in built
    assert len([line for line in built.splitlines() if line.startswith("| `")]) > 80
    assert hook.on_page_markdown("# Plain", page=None) == "# Plain"


def test_scripts_and_byte_code_beside_pages_are_left_out():
    """Pages are drawn by scripts that lie among them."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    left_out = re.search(r"^exclude_docs: \|\n((?:  .*\n)+)", settings, re.MULTILINE)

    assert left_out is not None
    assert {"*.py", "__pycache__/"} <= set(left_out.group(1).split())


def test_the_overview_of_results_names_every_page_of_the_menu():
    """In the same order, with the same titles."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    menu = re.findall(r"^      - (.+): results/(\S+\.md)$", settings, re.MULTILINE)
    text = (DOCS / "results" / "index.md").read_text(encoding="utf-8")
    overview = re.findall(r"^\| \[(.+?)\]\((\S+\.md)\)", text, re.MULTILINE)

    assert len(menu) > 10
    assert overview == menu
