#!/usr/bin/env python3
"""Times the place workload on DuckDB, Tantivy, Polars, NumPy, and a k-d tree of SciPy.

Reads the same workload and data as `Benchmarks run` and writes what `Benchmarks run --peers` merges. Every peer has a
process of its own with one thread and its data in memory; a query is prepared where the peer can, warmed up, and timed
per run around the whole call. `count` asks how many, `ids` has all numbers delivered.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

WORKLOADS = pathlib.Path(__file__).resolve().parent.parent / "Workloads"
EARTH_RADIUS = 6371008.7714150598
FIELDS = ["id", "name", "category", "rating", "population", "created", "active", "tags", "body", "location", "owner"]


def measure(work, budget):
    """Runs three times to warm up, then 30 times or more; returns the last result, the median in µs, and the runs."""
    for _ in range(3):
        start = time.perf_counter()
        result = work()
        last = time.perf_counter() - start
        if last > 1:
            break
    group = max(1, min(10_000, int(20e-6 / max(last, 1e-9))))  # what is shorter than the clock is timed in groups
    times, begin = [], time.perf_counter()
    while True:
        start = time.perf_counter()
        for _ in range(group):
            result = work()
        end = time.perf_counter()
        times.append((end - start) / group)
        elapsed = end - begin
        if (len(times) >= 30 and elapsed > budget) or (len(times) >= 7 and elapsed > 10):
            return result, statistics.median(times) * 1e6, len(times) * group


class DuckDB:
    """Columns with ART indexes; SQL prepared."""

    def __init__(self, path):
        import duckdb

        self.version = duckdb.__version__
        self.connection = duckdb.connect(config={"threads": 1})
        columns = (
            "{id:'BIGINT', name:'VARCHAR', category:'VARCHAR', rating:'DOUBLE', population:'BIGINT', created:'DOUBLE', "
            "active:'BOOLEAN', tags:'VARCHAR[]', body:'VARCHAR', location:'STRUCT(lat DOUBLE, lon DOUBLE)', owner:'BIGINT'}"
        )
        self.connection.execute(
            "CREATE TABLE place AS SELECT id, name, lower(strip_accents(name)) AS name_cd, category, rating, population, "
            "created, active, tags, location.lat AS lat, location.lon AS lon, owner, body, "
            "lower(strip_accents(body)) AS body_cd "
            f"FROM read_json('{path}', format='newline_delimited', columns={columns})"
        )
        for column in ("name", "category", "owner", "created"):
            self.connection.execute(f"CREATE INDEX by_{column} ON place({column})")
        self.records = self.connection.execute("SELECT count(*) FROM place").fetchone()[0]

    def queries(self, query, form):
        for number, text in enumerate(form.get("duckdb", [])):
            name = f"{query['id'].replace('.', '_')}_{number}"
            counts = query["mode"] == "count"
            sql = text.replace("{columns}", "count(*)" if counts else "p.id")
            self.connection.execute(f"PREPARE {name} AS {sql}")
            run = self.connection.execute
            if counts:
                yield lambda: run(f"EXECUTE {name}").fetchone()[0]
            else:
                yield lambda: run(f"EXECUTE {name}").fetchnumpy()["id"]


class Polars:
    """Columns, scanned."""

    def __init__(self, path):
        import polars

        self.polars, self.version = polars, polars.__version__
        frame = read_frame(path)
        self.records = len(frame)
        fold = lambda name: (
            polars.col(name).str.normalize("NFD").str.replace_all(r"\p{Mn}", "").str.to_lowercase().alias(name + "_cd")
        )
        self.frame = frame.with_columns(
            fold("name"), fold("body"), polars.col("category").cast(polars.Categorical)
        ).rechunk()

    def queries(self, query, form):
        if "polars" not in form:
            return
        matching = self.frame.lazy().filter(eval(form["polars"], {"pl": self.polars}))
        for key in query.get("sort", []):
            field, _, direction = key.partition(":")
            matching = matching.sort(field, descending=direction == "desc")
        if "limit" in query:
            matching = matching.limit(query["limit"])
        if query["mode"] == "count":
            counting = matching.select(self.polars.len())
            yield lambda: counting.collect().item()
        else:
            selecting = matching.select("id")
            yield lambda: selecting.collect()["id"].to_numpy()


class NumPy:
    """Arrays compared element by element; numbers only, categories as codes."""

    def __init__(self, path):
        import numpy

        self.numpy, self.version = numpy, numpy.__version__
        frame = read_frame(path)
        self.records = len(frame)
        codes = {name: code for code, name in enumerate(sorted(frame["category"].unique().to_list()))}

        class Categories:
            def __init__(self, values):
                self.values = values

            def __eq__(self, name):
                return self.values == numpy.int8(codes[name])

            def __ne__(self, name):
                return self.values != numpy.int8(codes[name])

        number = lambda name, missing: frame[name].fill_null(missing).to_numpy().copy()
        nan = float("nan")
        self.columns = {
            "np": numpy,
            "category": Categories(numpy.array([codes[name] for name in frame["category"]], dtype=numpy.int8)),
            "rating": number("rating", nan),
            "population": frame["population"].cast(float).fill_null(nan).to_numpy().copy(),
            "created": number("created", nan),
            "active": frame["active"].cast(int).fill_null(2).to_numpy().astype(numpy.int8),
            "owner": number("owner", -1).astype(numpy.int32),
        }

    def queries(self, query, form):
        if "numpy" not in form:
            return
        code = compile(form["numpy"], query["id"], "eval")
        if query["mode"] == "count":
            yield lambda: int(self.numpy.count_nonzero(eval(code, self.columns)))
        else:
            yield lambda: self.numpy.flatnonzero(eval(code, self.columns))


class SciPy:
    """A k-d tree over unit vectors: distance by chords of a sphere."""

    def __init__(self, path):
        import numpy
        import scipy
        from scipy.spatial import cKDTree

        self.version = scipy.__version__
        frame = read_frame(path)
        self.records = len(frame)
        places = frame.select("id", "lat", "lon").drop_nulls()
        self.ids = places["id"].to_numpy()
        latitude, longitude = (numpy.radians(places[name].to_numpy()) for name in ("lat", "lon"))
        self.tree = cKDTree(
            numpy.column_stack(
                [
                    numpy.cos(latitude) * numpy.cos(longitude),
                    numpy.cos(latitude) * numpy.sin(longitude),
                    numpy.sin(latitude),
                ]
            )
        )

    def queries(self, query, form):
        for name in ("radius", "nearest"):
            if name not in form:
                continue
            latitude, longitude = map(math.radians, form[name][:2])
            point = [
                math.cos(latitude) * math.cos(longitude),
                math.cos(latitude) * math.sin(longitude),
                math.sin(latitude),
            ]
            if name == "nearest":
                limit = form[name][2]
                yield lambda: self.ids[self.tree.query(point, limit)[1]]
                continue
            chord = 2 * math.sin(form[name][2] / EARTH_RADIUS / 2)
            if query["mode"] == "count":
                yield lambda: int(self.tree.query_ball_point(point, chord, return_length=True))
            else:
                yield lambda: self.ids[self.tree.query_ball_point(point, chord, return_sorted=False)]


class Tantivy:
    """Inverted index of body, category, and tags. Numbers are summed inside the engine, not copied out."""

    def __init__(self, path):
        import tantivy

        self.tantivy, self.version = tantivy, tantivy.__version__
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("id", stored=False, indexed=True, fast=True)
        builder.add_text_field("body", tokenizer_name="folded", index_option="basic")
        for name in ("category", "tags"):
            builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
        self.schema = builder.build()
        index = tantivy.Index(self.schema)
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        analyzer = analyzer.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold())
        index.register_tokenizer("folded", analyzer.build())
        writer = index.writer(heap_size=1_500_000_000, num_threads=1)
        self.records = 0
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                place = json.loads(line)
                document = tantivy.Document()
                document.add_unsigned("id", place["id"])
                document.add_text("category", place["category"])
                for tag in place["tags"]:
                    document.add_text("tags", tag)
                if "body" in place:
                    document.add_text("body", place["body"])
                writer.add_document(document)
                self.records += 1
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()

    def queries(self, query, form):
        form = form.get("tantivy")
        if not form:
            return
        make, occur = self.tantivy.Query, self.tantivy.Occur
        terms = [tuple(form["term"])] if "term" in form else [("body", token) for token in form.get("tokens", [])]
        if "prefix" in form:
            matching = make.regex_query(self.schema, "body", form["prefix"] + ".*")
        elif len(terms) == 1:
            matching = make.term_query(self.schema, *terms[0], "basic")
        else:
            matching = make.boolean_query([(occur.Must, make.term_query(self.schema, *term, "basic")) for term in terms])
        unscored = make.const_score_query(matching, 1.0)
        searcher = self.searcher
        if query["mode"] == "count":
            yield lambda: searcher.search(matching, limit=1, count=True).count
            yield lambda: searcher.search(unscored, limit=1, count=True).count
            if len(terms) == 1:  # nothing is deleted, so the dictionary's document frequency is the count
                yield lambda: searcher.doc_freq(*terms[0])
        else:
            wanted = {"count": {"value_count": {"field": "id"}}, "sum": {"sum": {"field": "id"}}}

            def summed():
                values = searcher.aggregate(matching, wanted)
                return int(values["count"]["value"]), int(values["sum"]["value"])

            yield summed


PEERS = {"duckdb": DuckDB, "tantivy": Tantivy, "polars": Polars, "numpy": NumPy, "scipy": SciPy}
NAMES = {"duckdb": "DuckDB", "tantivy": "Tantivy", "polars": "Polars", "numpy": "NumPy", "scipy": "SciPy"}


def read_frame(path):
    """The data as columns, latitude and longitude apart."""
    import polars as pl

    types = [pl.Int64, pl.String, pl.String, pl.Float64, pl.Int64, pl.Float64, pl.Boolean, pl.List(pl.String), pl.String]
    types += [pl.Struct({"lat": pl.Float64, "lon": pl.Float64}), pl.Int64]
    return pl.read_ndjson(path, schema=dict(zip(FIELDS, types))).unnest("location")


def answer(query, result):
    """Count, sum of the numbers, and their order where the query sorts."""
    if query["mode"] == "count":
        return {"count": int(result)}
    if isinstance(result, tuple):
        return {"count": result[0], "sum": result[1]}
    found = {"count": len(result), "sum": int(result.sum())}
    if "sort" in query:
        found["order"] = result.tolist()
    return found


def run_peer(name, options):
    """Loads one peer and answers all queries that it can; the fastest of its ways counts."""
    status = lambda: int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    before, start = status(), time.perf_counter()
    peer = PEERS[name](options.data)
    seconds = time.perf_counter() - start
    rows = []
    results = {
        "peer": NAMES[name],
        "version": peer.version,
        "records": peer.records,
        "records_per_second": peer.records / seconds,
        "bytes_per_record": (status() - before) / max(1, peer.records),
        "queries": rows,
    }
    forms = json.loads((WORKLOADS / "place-peers.json").read_text())
    for query in json.loads((WORKLOADS / "place.json").read_text()):
        if not query["id"].startswith(options.only):
            continue
        best = None
        for work in peer.queries(query, forms.get(query["id"].split(".")[0], {})):
            result, median, runs = measure(work, options.budget / 1000)
            row = {"id": query["id"], "median_us": median, "runs": runs, **answer(query, result)}
            if best and best["count"] != row["count"]:
                sys.exit(f"{name}: two ways of {query['id']} disagree")
            if not best or median < best["median_us"]:
                best = row
        if best:
            rows.append(best)
    json.dump(results, sys.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="NDJSON written by `Benchmarks generate`")
    parser.add_argument("--out", help="JSON file for `Benchmarks run --peers`")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--budget", type=float, default=300, help="milliseconds per query")
    parser.add_argument("--only", default="", help="queries whose name begins so")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return run_peer(options.one, options)
    single = {name: "1" for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    results = []
    for name in options.peers.split(","):
        command = [sys.executable, __file__, *sys.argv[1:], "--one", name]
        process = subprocess.run(command, env={**os.environ, **single}, stdout=subprocess.PIPE, check=True)
        results.append(json.loads(process.stdout))
        print(f"{name}: {len(results[-1]['queries'])} queries", file=sys.stderr)
    text = json.dumps(results, indent=1)
    if options.out:
        pathlib.Path(options.out).write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
