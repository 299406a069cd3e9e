"""Files: read a CSV, see what was cleaned up, convert it, and stream matches to Parquet in bounded memory.

python examples/files_and_streams.py
"""

import tempfile
from pathlib import Path

import pyarrow.parquet as pq

import subiso as si

folder = Path(tempfile.mkdtemp())

# A stranger's file: a header, a repeated edge, a self loop.
(folder / "trips.csv").write_text("from,to\nA,B\nB,C\nC,A\nC,A\nD,D\nC,D\n")
g = si.read(folder / "trips.csv")
print(g, g.report.lines())

# The .subiso format is memory-mapped: a graph of any size opens at once, and every byte is checked by verify.
big = si.generators.rmat(12, seed=1)
si.write(big, folder / "rmat12.subiso")
si.write(big, folder / "rmat12.txt")
same = si.read(folder / "rmat12.subiso")
print(same, "equal" if same.equals(big) else "different")

# Rows go to the file batch by batch; the result never stands in memory as a whole.
matches = si.match(same, "(a)--(b)--(c)--(a), (c)--(d)", timeout=60, limit=200_000)
rows = matches.write(folder / "matches.parquet")
print(f"{rows:,} rows, stopped by {matches.stopped_by}")

table = pq.read_table(folder / "matches.parquet")
print(table.num_rows, table.column_names)

# Or handle the batches yourself: Arrow record batches, all of one schema.
largest = max(batch.num_rows for batch in si.match(same, si.Pattern.clique(4), limit=50_000).batches())
print(f"largest batch {largest:,} rows")
