"""Features that a caption mentions, read from the text alone and then compared with the target."""

from deixis.worlds.rooms.mentions.judging import Judgement as Judgement
from deixis.worlds.rooms.mentions.judging import Judgements as Judgements
from deixis.worlds.rooms.mentions.judging import Verdict as Verdict
from deixis.worlds.rooms.mentions.judging import false_of as false_of
from deixis.worlds.rooms.mentions.judging import false_of_rows as false_of_rows
from deixis.worlds.rooms.mentions.judging import judge as judge
from deixis.worlds.rooms.mentions.judging import judge_rows as judge_rows
from deixis.worlds.rooms.mentions.reading import Mention as Mention
from deixis.worlds.rooms.mentions.reading import Reading as Reading
from deixis.worlds.rooms.mentions.reading import Span as Span
from deixis.worlds.rooms.mentions.reading import read_mentions as read_mentions
from deixis.worlds.rooms.mentions.reading import read_rows as read_rows
from deixis.worlds.rooms.mentions.released import Faults as Faults
from deixis.worlds.rooms.mentions.released import look_up as look_up
