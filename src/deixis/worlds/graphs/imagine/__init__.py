"""Scene graphs that nobody photographed: whole corpora of them, and single scenes with a picture and the truth."""

from deixis.worlds.graphs.imagine.annotate import Annotator as Annotator
from deixis.worlds.graphs.imagine.imagined import Imagined as Imagined
from deixis.worlds.graphs.imagine.imagined import draw_imagined as draw_imagined
from deixis.worlds.graphs.imagine.imagined import imagine as imagine
from deixis.worlds.graphs.imagine.sheet import draw_sheet as draw_sheet
