"""Checks of examples, each with a stable code, which trust no source.

They read the words, resolve them in the world, plan and carry out the plan anew, and compare. E is for what makes an
example wrong, W for what makes it worse than it could be, I for information.

| code | found |
|------|-------|
| E001 | The file, its columns or a row cannot be read |
| E002 | The file is not what the manifest says |
| E003 | The id is not that of the content |
| E004 | The recorded facts about the command do not match its text |
| E005 | The recorded facts about the world do not match the world |
| W006 | A file lies in the folder that the manifest does not list |
| E008 | The stored expression is not what the command means |
| E101 | The command fits no object of its world |
| E102 | The command fits more than one object of its world |
| E103 | The recorded target is not the object that the command fits |
| E104 | The command cannot be read |
| W105 | The command breaks a rule of the language |
| E106 | The world is impossible |
| W107 | Size words mean another object when read as smallest and biggest |
| W201 | A clause is not needed to find the target |
| I202 | A word of a noun phrase is not needed to find the target |
| E203 | The recorded necessity of the parts is not what comes out |
| E204 | A content word is not needed, although the recipe of the dataset promises that every one is |
| E301 | The recorded plan is not the planner's |
| E302 | The recorded plan, carried out, does not reach the target |
| I303 | Pushing or pulling moves nothing, so that the plan is that of walking |
| E401 | The same content is in two splits |
| W402 | The same content is twice in one split |
| E403 | Something held out occurs in train, dev or test |
| W501 | A distractor does not satisfy the misreading that it was made for |
| W502 | The roles of the objects do not fit the command |
| W503 | The recorded distractors do not match the objects |
| E601 | The determiners are not those that the world asks for |
"""

from deixis.worlds.grid.checks import _content as _content
from deixis.worlds.grid.checks import _distractors as _distractors
from deixis.worlds.grid.checks import _reference as _reference
from deixis.worlds.grid.checks import _splits as _splits
from deixis.worlds.grid.checks._content import ShardFile as ShardFile
from deixis.worlds.grid.checks._registry import CHECKS as CHECKS
from deixis.worlds.grid.checks._run import check as check
from deixis.worlds.grid.checks._run import check_dataset as check_dataset
from deixis.worlds.grid.checks._run import check_files as check_files
from deixis.worlds.grid.checks._run import check_tables as check_tables
from deixis.worlds.grid.checks._splits import HoldOut as HoldOut


codes = CHECKS.messages
runs_on_clusters = True
