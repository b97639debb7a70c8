#!/usr/bin/env python3
"""Times the command on lines of JSON that it does not keep, beside jq and DuckDB: streams.py COMMAND [--report FILE]

A file of 1,000,000 records or more and 231 MB is made by a seed on first use. Programs take turns, so that whatever else
the machine does meets all of them. A process is timed from its start: `first` until its first line can be read, `all`
until it has ended. DuckDB runs in a process of its own that has loaded it and connected, and is timed from the query on.
Lines and counts must be equal. Memory is the most that a process had resident.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

SIZE, LINES = 231_000_000, 1_000_000
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
DUCKDB = """
import duckdb, json, sys, time
connection = duckdb.connect(config={"threads": int(sys.argv[1])})
print(duckdb.__version__, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    row = connection.execute(json.loads(line)).fetchone()
    print(json.dumps([time.perf_counter() - start, str(row[0])]), flush=True)
"""


def make(path):
    """Writes the records."""
    chance = random.Random(1)
    size = number = 0
    with open(path + ".part", "w", encoding="ascii") as file:
        while number < LINES or size < SIZE:
            line = json.dumps({
                "id": f"r{number}", "n": number, "kind": chance.choice(WORDS), "score": round(chance.random() * 1000, 3),
                "name": " ".join(chance.choices(WORDS, k=3)), "text": " ".join(chance.choices(WORDS, k=17)),
                "at": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T{number % 24:02}:00:00Z"}) + "\n"
            file.write(line)
            size, number = size + len(line), number + 1
    os.rename(path + ".part", path)


class Process:
    """A program's run on the file."""

    def __init__(self, words, waits_for_first=False):
        start = time.perf_counter()
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.line = child.stdout.readline()
        self.seconds = time.perf_counter() - start
        if waits_for_first:
            os.kill(child.pid, signal.SIGKILL)  # not `kill`, which may wait for it
        else:
            while child.stdout.read(1 << 16):
                pass
        _, status, usage = os.wait4(child.pid, 0)
        if not waits_for_first:
            self.seconds = time.perf_counter() - start
        child.returncode = status
        child.stdout.close()
        self.memory = usage.ru_maxrss / 1024


class DuckDB:
    """A process that runs queries."""

    def __init__(self, python, threads):
        self.child = subprocess.Popen(
            [python, "-c", DUCKDB, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self.child.stdout.readline().strip()

    def run(self, query):
        """Seconds, and the first value of the first row."""
        self.child.stdin.write(json.dumps(query) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())


class Row:
    """Times of one query by all programs."""

    def __init__(self, name):
        self.name, self.times, self.results = name, {}, {}

    def add(self, peer, seconds, result):
        self.times.setdefault(peer, []).append(seconds)
        self.results.setdefault(peer, set()).add(result)

    def median(self, peer):
        return statistics.median(self.times[peer]) * 1000 if peer in self.times else None

    def check(self):
        if len(set().union(*self.results.values())) != 1:
            sys.exit(f"results differ: {self.name}: {self.results}")

    def markdown(self, peers):
        cells = [self.median(peer) for peer in peers]
        return f"| {self.name} | " + " | ".join("" if cell is None else f"{cell:,.1f}" for cell in cells) + " |"


def identifier(line):
    return str(json.loads(line)["id"])


def first(options, duckdb, name, condition, jq, sql):
    """How long the first match takes."""
    row = Row(name)
    for _ in range(options.runs):
        run = Process([options.command, "query", condition, options.data], waits_for_first=True)
        row.add("first match", run.seconds, identifier(run.line))
        run = Process([options.command, "query", condition, options.data, "--limit", "1"])
        row.add("--limit 1", run.seconds, identifier(run.line))
        run = Process([options.jq, "-c", f"select({jq})", options.data], waits_for_first=True)
        row.add("jq", run.seconds, identifier(run.line))
        row.add("DuckDB", *duckdb.run(f"SELECT id FROM read_json('{options.data}') WHERE {sql} LIMIT 1"))
    row.check()
    return row


def count(options, duckdb, name, condition, sql):
    """How long counting takes."""
    row = Row(name)
    for _ in range(max(5, options.runs // 2)):
        run = Process([options.command, "query", condition, options.data, "--count"])
        row.add("ours", run.seconds, run.line.decode().strip())
        row.add("DuckDB", *duckdb.run(f"SELECT count(*) FROM read_json('{options.data}') WHERE {sql}"))
    row.check()
    return row


def memory(options):
    """Megabytes of queries that print or count all of the file."""
    rows = []
    calls = [
        ("printed", ["n >= 0"]), ("fields as CSV", ["n >= 0", "-o", "csv", "--fields", "id,n,at"]),
        ("CSV with all columns", ["n >= 0", "-o", "csv"]), ("counted", ["kind == 'mu'", "--count"]),
        ("words searched", ["text TOKENMATCHES 'iota mu'", "-o", "ids"]),
    ]
    for name, words in calls:
        runs = [Process([options.command, "query", words[0], options.data, *words[1:]]) for _ in range(3)]
        rows.append(f"| {name} | {max(run.memory for run in runs):.0f} | "
                    f"{statistics.median(run.seconds for run in runs) * 1000:,.0f} |")
    return rows


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    return (f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, "
            + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))


def renew(path, text):
    """Puts the figures between the comments that mark their place."""
    start, end = "<!-- figures: streams -->", "<!-- end of figures: streams -->"
    file = pathlib.Path(path)
    before, rest = file.read_text(encoding="utf-8").split(start)
    file.write_text(before + start + "\n" + text + "\n" + end + rest.split(end)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command")
    parser.add_argument("--data", default=".build/benchmarks/streams.ndjson")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--jq", default="jq")
    parser.add_argument("--python", default=".build/benchmarks/venv/bin/python", help="one that has duckdb")
    parser.add_argument("--report", help="a file of Markdown that takes the tables")
    options = parser.parse_args()
    if not os.path.exists(options.data):
        os.makedirs(os.path.dirname(options.data) or ".", exist_ok=True)
        make(options.data)
    begin = machine()
    duckdb = DuckDB(options.python, os.cpu_count())
    jq = subprocess.run([options.jq, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    peers = ["first match", "--limit 1", "jq", "DuckDB"]
    lines = ["| ms, medians | " + " | ".join(peers) + " |", "|---|---:|---:|---:|---:|"]
    for row in (
        first(options, duckdb, "among the first records", "kind == 'mu'", '.kind == "mu"', "kind = 'mu'"),
        first(options, duckdb, "one in 100,000", "n == 100000", ".n == 100000", "n = 100000"),
    ):
        lines.append(row.markdown(peers))
    lines += ["", f"| ms, {os.path.getsize(options.data) / 1e6:.0f} MB counted | ours | DuckDB |", "|---|---:|---:|"]
    for row in (
        count(options, duckdb, "`n > 500000`", "n > 500000", "n > 500000"),
        count(options, duckdb, "`kind == 'mu' AND score < 500`", "kind == 'mu' AND score < 500",
              "kind = 'mu' AND score < 500"),
    ):
        lines.append(row.markdown(["ours", "DuckDB"]))
    lines += ["", "| all of it | MB at most | ms |", "|---|---:|---:|", *memory(options)]
    words = " ".join(word for word in sys.argv[1:] if "/" not in word or word == options.report)
    lines += ["", f"`Benchmarks/Peers/streams.py predicate {words}`".replace(" `", "`")
              + f", {options.runs} turns, {jq}, DuckDB {duckdb.version}: {begin}; load {os.getloadavg()[0]:.2f} at the end."]
    text = "\n".join(lines)
    print(text)
    if options.report:
        renew(options.report, text)


if __name__ == "__main__":
    main()
