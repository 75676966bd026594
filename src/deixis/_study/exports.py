"""A study for Label Studio and for potato, and the answers that Label Studio gives back.

Both get the main items with the same answers; practice, attention items and each participant's own order are features
of the studio's page alone. Neither file holds a right answer.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from deixis._study.bundle import copy_images, demand_empty
from deixis._study.items import FURTHER


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis._study.design import Study
    from deixis._study.items import Item


MAX_RADIO = 24  # different answers among which potato offers a choice; beyond that they are typed
FIELD = "answer"


def write_label_studio(study: Study, out: Path, *, images: str = "/data/local-files/?d=images") -> list[Path]:
    """Write tasks, the labelling configuration and pictures for Label Studio, and return the files.

    Args:
        study: what to write.
        out: a folder that is empty or not there yet.
        images: where Label Studio finds the folder of pictures; by default its local files.
    """
    demand_empty(out)
    out.mkdir(parents=True, exist_ok=True)
    tasks = [{"data": _task(study, item, images)} for item in study.of_kind("main")]
    _write(out / "tasks.json", json.dumps(tasks, indent=1, ensure_ascii=False))
    _write(out / "config.xml", _label_config(study.items[0]))
    copy_images(study, out / "images")
    return [out / "tasks.json", out / "config.xml", out / "images"]


def _task(study: Study, item: Item, images: str) -> dict[str, Any]:
    shown = {"images": [f"{images}/{name}" for name in _pictures(item)]}
    told = "\n\n".join(part["text"] for part in item.shown if "text" in part)
    options = [{"value": choice} for choice in (*item.choices, *FURTHER)] if not item.is_typed else []
    return {"study": study.digest, "item": item.id, "ask": item.ask, "text": told, "options": options, **shown}


def _label_config(item: Item) -> str:
    """Return the labelling interface, after the kind of the items, which are all alike."""
    lines = ["<View>", '  <Header value="$ask"/>', '  <Text name="text" value="$text"/>']
    lines += ['  <Image name="images" valueList="$images"/>'] if _pictures(item) else []
    lines.append(
        f'  <TextArea name="{FIELD}" toName="text" required="true" maxSubmissions="1"/>'
        if item.is_typed
        else f'  <Choices name="{FIELD}" toName="text" value="$options" choice="single-radio" required="true"/>'
    )
    return "\n".join((*lines, "</View>", ""))


def is_label_studio(values: object) -> bool:
    """Return whether a JSON document is an export of Label Studio."""
    return (
        isinstance(values, list)
        and bool(values)
        and all(isinstance(one, dict) and "annotations" in one and isinstance(one.get("data"), dict) for one in values)
    )


def rows_of_label_studio(tasks: Any) -> Iterator[dict[str, Any]]:
    """Yield the annotations of an export of Label Studio as rows.

    An annotator is a participant, and the time that the annotation took is the response time.
    """
    for place, task in enumerate(tasks):
        data = task["data"]
        for one in task["annotations"] if isinstance(task["annotations"], list) else []:
            if not isinstance(one, dict) or one.get("was_cancelled"):
                continue
            who = one.get("completed_by")
            who = who.get("id") if isinstance(who, dict) else who
            seconds = one.get("lead_time")
            yield {
                "format": 1,
                "study": data.get("study"),
                "form": "label-studio",
                "participant": f"annotator-{who}",
                "trial_index": place,
                "item": data.get("item"),
                "response": _choice_in(one.get("result")),
                "rt": 1e3 * seconds if isinstance(seconds, int | float) and not isinstance(seconds, bool) else None,
            }


def _choice_in(result: Any) -> str | None:
    for part in result if isinstance(result, list) else []:
        value = part.get("value") if isinstance(part, dict) and part.get("from_name") == FIELD else None
        if isinstance(value, dict):
            given = value.get("choices") or value.get("text")
            given = given[0] if isinstance(given, list) and given else given
            return given if isinstance(given, str) else None
    return None


# -------------------------------------------------------------------------------- potato


def write_potato(study: Study, out: Path) -> list[Path]:
    """Write a project for potato, and return the files: `potato start` in the folder opens it."""
    demand_empty(out)
    (out / "data").mkdir(parents=True)
    items = study.of_kind("main")
    lines = [
        json.dumps({"id": item.id, "study": study.digest, "text": _markup(item)}, ensure_ascii=False) for item in items
    ]
    _write(out / "data" / "items.jsonl", "\n".join(lines) + "\n")
    answers = list(dict.fromkeys(choice for item in items for choice in item.choices))
    is_typed = items[0].is_typed or len(answers) > MAX_RADIO
    told = (
        ""
        if items[0].is_typed
        else f" Type one of the answers below the pictures, or “{FURTHER[0]}”, or “{FURTHER[1]}”."
    )
    scheme: dict[str, Any] = {"annotation_type": "text", "name": FIELD, "description": f"Your answer.{told}"}
    if not is_typed:
        scheme |= {"annotation_type": "radio", "description": "Your answer.", "labels": [*answers, *FURTHER]}
    config = {
        "annotation_task_name": f"study {study.digest}",
        "server_name": f"study-{study.digest}",
        "port": 8000,
        "task_dir": ".",
        "output_annotation_dir": "annotation_output/",
        "output_annotation_format": "jsonl",
        "data_files": ["data/items.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "user_config": {"allow_all_users": True, "users": []},
        "alert_time_each_instance": 10_000_000,
        "annotation_schemes": [scheme],
        "html_layout": "default",
        "base_html_template": "default",
        "header_file": "default",
        "site_dir": "default",
    }
    _write(out / "config.yaml", json.dumps(config, indent=1, ensure_ascii=False) + "\n")  # JSON is YAML, too
    copy_images(study, out / "data" / "images")
    return [out / "config.yaml", out / "data" / "items.jsonl", out / "data" / "images"]


def _markup(item: Item) -> str:
    """The question as HTML, which potato shows as it is."""
    parts = [f"<p><strong>{escape(item.ask)}</strong></p>"]
    for part in item.shown:
        if "image" in part:
            title = escape(part["title"])
            parts.append(
                f'<p>{title}<br><img src="data/images/{escape(part["image"])}" alt="{title}" width="100%"></p>'
            )
        else:
            parts.append(f"<pre>{escape(part['text'])}</pre>")
    if len(item.choices) > 2:
        parts.append(f"<p>Answers: {escape('; '.join(item.choices))}</p>")
    return "".join(parts)


def _pictures(item: Item) -> list[str]:
    return [part["image"] for part in item.shown if "image" in part]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
