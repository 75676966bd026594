"""The kinds of place that are imagined, and their frequencies."""

from deixis.worlds.photos.imagine._places.table import PLACES as PLACES
