"""Patterns: what is looked for. Text, edge lists and a catalogue in; symmetry and canonical forms out."""

from subiso.pattern.elements import Column, Comparison, Label, Mask, PatternEdge
from subiso.pattern.generate import connected_patterns, is_plain
from subiso.pattern.pattern import Pattern

__all__ = [
    "Column",
    "Comparison",
    "Label",
    "Mask",
    "Pattern",
    "PatternEdge",
    "connected_patterns",
    "is_plain",
]
