"""Expressions about photographs in the words of Cops-Ref, and back."""

from deixis.worlds.photos.language._words import RELEASE as RELEASE
from deixis.worlds.photos.language._words import STYLES as STYLES
from deixis.worlds.photos.language._words import Style as Style
from deixis.worlds.photos.language._words import Words as Words
from deixis.worlds.photos.language._words import style_named as style_named
from deixis.worlds.photos.language._words import words_of_photographs as words_of_photographs
from deixis.worlds.photos.language.read import parse_reference as parse_reference
from deixis.worlds.photos.language.read import read_reference as read_reference
from deixis.worlds.photos.language.say import realise_reference as realise_reference
