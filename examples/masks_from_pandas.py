"""Any predicate that pandas can compute restricts a pattern: masks, columns and comparisons.

python examples/masks_from_pandas.py
"""

import pandas as pd

import subiso as si

people = pd.DataFrame(
    {
        "name": ["ann", "bob", "cid", "dan", "eve", "fay"],
        "age": [34, 51, 19, 42, 28, 63],
        "city": ["Basle", "Berne", "Basle", "Zug", "Basle", "Berne"],
    }
)
knows = pd.DataFrame(
    {
        "source": ["ann", "ann", "bob", "cid", "cid", "dan", "eve", "eve", "fay"],
        "target": ["bob", "cid", "cid", "dan", "eve", "eve", "fay", "ann", "ann"],
        "since": [2001, 2015, 2016, 2019, 2020, 2011, 2012, 2018, 1999],
    }
)
g = si.Graph.from_pandas(knows, edge_columns=["since"], vertices=people, vertex_columns=["age"])
print(g)

# Masks stand in the order of the graph's vertices; reindex puts a DataFrame's rows into it.
rows = people.set_index("name").reindex(g.ids)
from_basle = (rows["city"] == "Basle").to_numpy()

triangle = si.Pattern("(a)-[e]-(b), (b)-[f]-(c), (c)-[h]-(a)")
print("triangles", si.count(g, triangle))
print("with somebody of Basle at a", si.count(g, triangle.where(a=from_basle)))
print("in order of age", si.count(g, triangle.where("a.age < b.age", "b.age < c.age")))

# Edge masks go by edge id; this one says: friends since before 2017, on every edge.
old = g.edge_columns["since"] < 2017
frame = si.match(g, triangle.where(edge=old), edges=True, order="sorted").to_pandas()
frame["since"] = [g.edge_columns["since"][list(ids)].max() for ids in frame[["e", "f", "h"]].to_numpy()]
print(frame.to_string(index=False))
