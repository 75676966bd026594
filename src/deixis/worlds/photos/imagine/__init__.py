"""Imagined scene graphs: whole corpora of them, and single scenes with a picture and the truth."""

from deixis.worlds.photos.imagine._annotate import Annotator as Annotator
from deixis.worlds.photos.imagine._corpus import draw_sheet as draw_sheet
from deixis.worlds.photos.imagine.imagined import ImaginedPicture as ImaginedPicture
from deixis.worlds.photos.imagine.imagined import draw_imagined as draw_imagined
from deixis.worlds.photos.imagine.imagined import imagine as imagine
