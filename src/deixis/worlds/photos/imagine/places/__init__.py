"""The kinds of place that are imagined, and how often."""

from deixis.worlds.photos.imagine.places.table import PLACES as PLACES
