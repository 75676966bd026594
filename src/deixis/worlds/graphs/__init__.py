"""Scene graphs of photographs: their problems, their cleaning, the rule behind left and right, and an index."""

from deixis.worlds.graphs.clean import Cleaning as Cleaning
from deixis.worlds.graphs.clean import clean_graph as clean_graph
from deixis.worlds.graphs.clean import clean_graphs as clean_graphs
from deixis.worlds.graphs.index import GraphIndex as GraphIndex
from deixis.worlds.graphs.left_right import left_right_pairs as left_right_pairs
from deixis.worlds.graphs.left_right import with_left_right as with_left_right
from deixis.worlds.graphs.problems import GRAPH_CODES as GRAPH_CODES
from deixis.worlds.graphs.problems import GraphFinding as GraphFinding
from deixis.worlds.graphs.problems import GraphReport as GraphReport
from deixis.worlds.graphs.singular import singular as singular
