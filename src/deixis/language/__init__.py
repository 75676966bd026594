"""Text in, text out: lexicon, realisation, parsing and grounded determiners."""

from deixis.language.determiners import grounded_determiners as grounded_determiners
from deixis.language.lexicon import Lexicon as Lexicon
from deixis.language.lexicon import lexicon as lexicon
from deixis.language.parse import parse as parse
from deixis.language.parse import parse_instruction as parse_instruction
from deixis.language.parse import read as read
from deixis.language.parse import read_typed as read_typed
from deixis.language.realise import phrase_words as phrase_words
from deixis.language.realise import realise as realise
from deixis.language.utterance import Instruction as Instruction
from deixis.language.utterance import Utterance as Utterance
