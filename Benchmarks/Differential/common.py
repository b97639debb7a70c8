"""What the comparisons with independent programs have in common: the command, arguments, the report of differences."""

import argparse
import subprocess
import sys


def arguments(description, runs):
    """The options of a comparison; `runs` is how many cases it tries by default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--predicate", required=True, help="the built command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=runs)
    return parser


def skip(reason):
    """Ends with the status that stands for a peer that is not here."""
    print(f"skipped: {reason}")
    sys.exit(77)


def run(command, text=None, statuses=(0,), merged=False):
    """What a command prints, `merged` with its messages; its failure ends the comparison."""
    errors = subprocess.STDOUT if merged else subprocess.PIPE
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
    if done.returncode not in statuses:
        sys.exit(f"{' '.join(command[:3])} … failed with {done.returncode}: {(done.stderr or done.stdout)[:500]}")
    return done.stdout


class Differences:
    """Counts differences and shows the first ones."""

    def __init__(self):
        self.count = 0

    def add(self, text):
        self.count += 1
        if self.count <= 20:
            print("DIFFERENT " + text)

    def finish(self, summary):
        """Prints the outcome; the status is 1 where there were differences."""
        print(f"{summary}: {self.count} differences")
        sys.exit(1 if self.count else 0)
