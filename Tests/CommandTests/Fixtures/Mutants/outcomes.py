"""Prints what `.ci/mutants` says of a mutant that three suites pass, of which one notices it."""

import importlib.machinery
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True
folder = pathlib.Path(__file__).resolve().parents[4] / ".ci"
sys.path.insert(0, str(folder))
loader = importlib.machinery.SourceFileLoader("campaign", str(folder / "mutants"))
campaign = importlib.util.module_from_spec(importlib.util.spec_from_loader("campaign", loader))
loader.exec_module(campaign)


class Suites:
    """A build whose mutant fails one suite."""

    def __init__(self):
        self.runs = []

    def run(self, suite, limit, MUTANT=None):
        if MUTANT:
            self.runs.append(suite)
        return not (MUTANT and suite == "BTests.Noticing"), 1.0


mutant = campaign.Mutant("Sources/A/A.swift", 1, 1, 0, 1, "negation", "a", "b", "c")
mutant.number = 7
suites = {
    "BTests.Quick": (1, {7}), "BTests.Noticing": (30, {7}), "ATests.Slow": (20, {7}), "ATests.Other": (1, {8}),
}
campaign.is_equivalent = lambda mutant: False
found = ""
for budget in (25, 5, 40):
    build = Suites()
    found = campaign.outcome(build, mutant, suites, budget, found)
    print(f"{budget}: {found} ({', '.join(build.runs)})")
print(campaign.outcome(Suites(), mutant, {"ATests.Other": (1, {8})}, 10))
