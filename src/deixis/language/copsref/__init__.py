"""Expressions about photographs in words, as Cops-Ref says them, and back."""

from deixis.language.copsref.read import parse_reference as parse_reference
from deixis.language.copsref.read import read_reference as read_reference
from deixis.language.copsref.say import realise_reference as realise_reference
from deixis.language.copsref.styles import RELEASE as RELEASE
from deixis.language.copsref.styles import STYLES as STYLES
from deixis.language.copsref.styles import Style as Style
from deixis.language.copsref.styles import style_named as style_named
from deixis.language.copsref.words import Words as Words
from deixis.language.copsref.words import words_of_photographs as words_of_photographs
