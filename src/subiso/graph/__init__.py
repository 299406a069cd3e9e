"""Graphs: the immutable snapshot that everything else reads."""

from subiso.graph.adjacency import Adjacency
from subiso.graph.cleanup import CleanUp
from subiso.graph.graph import Graph
from subiso.graph.info import DegreeInfo, GraphInfo
from subiso.graph.labels import NONE, EdgeLabels, Label, VertexLabels

__all__ = [
    "NONE",
    "Adjacency",
    "CleanUp",
    "DegreeInfo",
    "EdgeLabels",
    "Graph",
    "GraphInfo",
    "Label",
    "VertexLabels",
]
