"""Every block of docs/patterns.md runs."""

import doctest
import re
from pathlib import Path

import pytest

from subiso.errors import PatternError, UnsupportedError
from subiso.pattern import Pattern

TEXT = (Path(__file__).parents[2] / "docs" / "patterns.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def lines(kind):
    """The patterns of a block's lines; what follows after several spaces explains."""
    found = [line for name, block in BLOCKS if name == kind for line in block.splitlines()]
    return [re.split(r" {3,}", line)[0] for line in found]


def test_every_block_is_of_a_kind_that_is_tested():
    assert {kind for kind, _ in BLOCKS} == {"python", "pattern", "motif", "refused"}
    assert TEXT.count("```") == 2 * len(BLOCKS)


def test_python_blocks():
    pytest.importorskip("networkx")
    source = "\n".join(block for kind, block in BLOCKS if kind == "python")
    test = doctest.DocTestParser().get_doctest(source, {}, "patterns.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert runner.tries > 20


@pytest.mark.parametrize("text", lines("pattern"))
def test_patterns(text):
    pattern = Pattern(text)
    assert Pattern(str(pattern)) == pattern


@pytest.mark.parametrize("text", [block for kind, block in BLOCKS if kind == "motif"])
def test_motifs(text):
    pattern = Pattern.from_dotmotif(text)
    assert Pattern(str(pattern)) == pattern


@pytest.mark.parametrize("text", lines("refused"))
def test_refused(text):
    with pytest.raises((UnsupportedError, PatternError)):
        Pattern(text)
