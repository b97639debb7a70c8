#!/usr/bin/env python3
"""Times groups and facets of the places on DuckDB and Polars, for `Benchmarks groups`, which starts it.

Each peer has the data in memory as columns, categories as its type for few texts where that is faster, and one thread.
Arguments: the data as NDJSON, milliseconds a query, the queries as a JSON list. Times and groups go to standard output.
"""
import json
import os
import sys

for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import peers


class DuckDB(peers.DuckDB):
    """SQL prepared; a copy of the table with an enumeration in place of the category is a second way."""

    name = "DuckDB"

    def __init__(self, path):
        super().__init__(path)
        self.connection.execute(
            "CREATE TYPE kind AS ENUM (SELECT DISTINCT category FROM place WHERE category IS NOT NULL ORDER BY 1)"
        )
        self.connection.execute(
            "CREATE TABLE coded AS SELECT id, category::kind AS category, owner, active, rating, population FROM place"
        )

    def ways(self, query):
        for table in ("place", "coded"):
            text = f"SELECT {query['key']}, {query['columns']} FROM {table}{query['condition']}"
            text += " GROUP BY 1" + (f" ORDER BY 2 DESC, 1 LIMIT {query['limit']}" if query.get("limit") else "")
            yield lambda text=text: self.connection.execute(text).fetchall()


class Polars:
    """Lazy frames; categories as texts and as Categorical."""

    name = "Polars"

    def __init__(self, path):
        import polars as pl

        self.pl, self.version = pl, pl.__version__
        frame = peers.read_frame(path).select("id", "category", "owner", "active", "rating", "population")
        self.frames = [frame, frame.with_columns(pl.col("category").cast(pl.Categorical))]

    def value(self, text):
        """What SQL writes as `sum(population)`."""
        pl, (function, field) = self.pl, text.rstrip(")").replace("DISTINCT ", "distinct.").split("(")
        if field.startswith("distinct."):
            function, field = field.split(".")
        return {
            "count": lambda: pl.len(),
            "sum": lambda: pl.col(field).sum(),
            "avg": lambda: pl.col(field).mean(),
            "max": lambda: pl.col(field).max(),
            "distinct": lambda: pl.col(field).drop_nulls().n_unique(),
        }[function]().alias(text)

    def ways(self, query):
        pl = self.pl
        columns = query["columns"].split(", ")
        for frame in self.frames:
            lazy = frame.lazy()
            if query.get("least") is not None:
                lazy = lazy.filter(pl.col("rating") >= query["least"])
            if query.get("limit"):
                lazy = lazy.filter(pl.col(query["key"]).is_not_null())
            lazy = lazy.group_by(query["key"]).agg([self.value(text) for text in columns])
            if query.get("limit"):
                lazy = lazy.sort([columns[0], query["key"]], descending=[True, False]).head(query["limit"])
            yield lambda lazy=lazy: lazy.collect().rows()


def main():
    path, budget, queries = sys.argv[1], float(sys.argv[2]) / 1000, json.loads(sys.argv[3])
    results = []
    for make in (DuckDB, Polars):
        peer = make(path)
        for query in queries:
            ways = []
            for work in peer.ways(query):
                rows, median, _ = peers.measure(work, budget)
                ways.append((median, rows))
            median, rows = min(ways, key=lambda way: way[0])
            # Places without a value are a group of their own.
            groups = {"" if row[0] is None else str(row[0]).lower(): [float(v or 0) for v in row[1:]] for row in rows}
            results.append(
                {"peer": f"{peer.name} {peer.version}", "id": query["id"], "medianMicroseconds": median, "groups": groups}
            )
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
