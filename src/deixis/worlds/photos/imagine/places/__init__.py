"""The kinds of place that are imagined, and how often."""

from deixis.worlds.graphs.imagine.places.table import PLACES as PLACES
