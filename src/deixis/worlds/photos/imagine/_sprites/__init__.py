"""The look of each kind of thing: a function per kind that is handed a pen."""

from deixis.worlds.photos.imagine._sprites import animals as animals
from deixis.worlds.photos.imagine._sprites import backdrops as backdrops
from deixis.worlds.photos.imagine._sprites import food as food
from deixis.worlds.photos.imagine._sprites import furniture as furniture
from deixis.worlds.photos.imagine._sprites import household as household
from deixis.worlds.photos.imagine._sprites import outdoors as outdoors
from deixis.worlds.photos.imagine._sprites import people as people
from deixis.worlds.photos.imagine._sprites import vehicles as vehicles
from deixis.worlds.photos.imagine._sprites.table import SPRITES as SPRITES
