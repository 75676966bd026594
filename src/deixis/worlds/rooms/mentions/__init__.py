"""Features that a caption mentions, read from the text alone and then compared with the target."""

from deixis.worlds.rooms.mentions._judging import Judgement as Judgement
from deixis.worlds.rooms.mentions._judging import Judgements as Judgements
from deixis.worlds.rooms.mentions._judging import Verdict as Verdict
from deixis.worlds.rooms.mentions._judging import false_of as false_of
from deixis.worlds.rooms.mentions._judging import false_of_rows as false_of_rows
from deixis.worlds.rooms.mentions._judging import judge as judge
from deixis.worlds.rooms.mentions._judging import judge_rows as judge_rows
from deixis.worlds.rooms.mentions._reading import Mention as Mention
from deixis.worlds.rooms.mentions._reading import Reading as Reading
from deixis.worlds.rooms.mentions._reading import Span as Span
from deixis.worlds.rooms.mentions._reading import read_mentions as read_mentions
from deixis.worlds.rooms.mentions._reading import read_rows as read_rows
from deixis.worlds.rooms.mentions._released import Faults as Faults
from deixis.worlds.rooms.mentions._released import look_up as look_up
