"""The questions of a datasheet, as the ReaSCAN paper's appendix has them, answered for one dataset.

Most answers are the same for everything that is made here, since nothing is collected from people. A kind of dataset
gives its own where they differ (`Facts.answers`, by the number of the question).
"""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["QUESTIONS", "SYNTHETIC", "datasheet"]

QUESTIONS: dict[str, dict[str, str]] = {
    "Motivation": {
        "A.1": "For what purpose was it created?",
        "A.2": "Who created it?",
        "A.3": "Who paid for it?",
    },
    "Composition": {
        "B.1": "What is an instance?",
        "B.2": "Are these all possible instances, or a sample of them?",
        "B.3": "What does an instance consist of?",
        "B.4": "Is there a label?",
        "B.5": "Is anything missing from instances?",
        "B.6": "Are relations between instances made explicit?",
        "B.7": "Are there recommended splits?",
        "B.8": "Are there errors, noise or redundancies?",
        "B.9": "Is it self-contained?",
        "B.10": "Does it hold anything confidential?",
        "B.11": "Does it hold anything offensive?",
        "B.12": "Does it relate to people?",
        "B.13": "Does it identify groups of people?",
        "B.14": "Can individuals be identified?",
        "B.15": "Does it hold anything sensitive about people?",
    },
    "Collection": {"C": "How was it collected?"},
    "Preprocessing, cleaning, labelling": {
        "D.1": "Was any of it done?",
        "D.2": "Was the raw data kept?",
        "D.3": "Is the software available?",
    },
    "Uses": {
        "E.1": "Has it been used already?",
        "E.2": "Is there a list of papers or systems that use it?",
        "E.3": "What else could it be used for?",
        "E.4": "Does anything about how it was made limit its use?",
        "E.5": "What should it not be used for?",
    },
    "Distribution": {
        "F.1": "Will it be given to others?",
        "F.2": "How?",
        "F.3": "When?",
        "F.4": "Under which licence?",
        "F.5": "Do export controls or other regulations apply?",
    },
    "Maintenance": {
        "G.1": "Who maintains it?",
        "G.2": "How can they be reached?",
        "G.3": "Is there an erratum?",
        "G.4": "Will it be updated?",
        "G.5": "Are there limits on how long data about people is kept?",
        "G.6": "Will older versions stay available?",
        "G.7": "Can others extend it?",
    },
}
SYNTHETIC: dict[str, str] = {
    "A.2": "Whoever ran the generator; this folder does not record a name. Add yours here before you publish it.",
    "A.3": "Not recorded.",
    "B.5": "No. What is unknown is marked as the columns say; there are no gaps.",
    "B.6": "Rows are independent of each other unless a column says otherwise.",
    "B.9": "Yes.",
    "B.10": "No, it is synthetic.",
    "B.11": "No, it is synthetic.",
    "B.12": "No.",
    "B.13": "No.",
    "B.14": "No.",
    "B.15": "No.",
    "C": "It was not collected but computed, from the recipe and the seed in the manifest. No people took part.",
    "D.1": "No. Labels follow from how the data was made.",
    "D.2": "There is no raw data.",
    "D.3": "Yes: Deixis makes, checks and reads this folder.",
    "E.1": "This folder does not record uses.",
    "E.2": "None that this folder knows of.",
    "E.4": "It is small in vocabulary and regular in form, which real language is not. A score on it is no score "
    "on real language.",
    "E.5": "For decisions about people, or as evidence of how a system does in the real world.",
    "F.1": "That is up to whoever holds this folder; it is laid out to be uploaded as it is.",
    "F.2": "As this folder: Parquet, this card, Croissant metadata and a manifest with a hash of every file.",
    "F.3": "Not recorded, so that the same recipe gives the same bytes on any day.",
    "F.5": "None known.",
    "G.1": "Whoever publishes this folder. The generator is maintained by the Deixis authors.",
    "G.2": "Through the place where it is published.",
    "G.3": "None in this folder. `deixis check` looks for errors anew.",
    "G.4": "A changed dataset gets another content digest, so that versions cannot be confused.",
    "G.5": "It holds no data about people.",
    "G.6": "The same version of the generator, recipe and seed give the same bytes again.",
    "G.7": "Yes: change the recipe, make another, and name both digests.",
}


def datasheet(answers: Mapping[str, str]) -> str:
    """All questions with their answers, in Markdown.

    Args:
        answers: by the number of the question; those that are missing are answered as for any synthetic dataset.
    """
    told = {**SYNTHETIC, **answers}
    sections = []
    for heading, questions in QUESTIONS.items():
        lines = [f"- **{question}** {told.get(number, 'Not recorded.')}" for number, question in questions.items()]
        sections.append(f"### {heading}\n\n" + "\n".join(lines))
    return "\n\n".join(sections)
