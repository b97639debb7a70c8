"""Calls to the system that fail, one after another, under the commands that read and write stores.

Every call of a command that concerns the store fails once, by itself or with all after it, moves half of what it is
asked to, or is where the command is killed, before or in the middle of it. A command that is not killed must end with one
of its own statuses; a store that was written must verify and hold the records from before and after in whole pieces, all
of them when the command said so; and it must take the same command again.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

PIECE = 40
ERRORS = {"EIO": 5, "ENOSPC": 28, "EACCES": 13, "EMFILE": 24, "ENOMEM": 12}


class Campaign:
    def __init__(self, options, folder):
        self.predicate = options.predicate
        self.chance = random.Random(options.seed)
        self.folder = folder
        self.shim = os.path.join(folder, "faults.so")
        self.log = os.path.join(folder, "log")
        self.faults = []
        self.injected = {}
        self.runs = 0
        self.kills = 0
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.shim, source, "-ldl"], check=True)

    def call(self, arguments, fault=None):
        """Runs the command; gives its status, what it printed, and the call that failed."""
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
        if os.path.exists(self.log):
            os.unlink(self.log)
        if fault:
            environment.update(fault, LD_PRELOAD=self.shim, FAULT_LOG=self.log)
        self.runs += 1
        try:
            done = subprocess.run(
                [self.predicate, *arguments], capture_output=True, encoding="utf-8", errors="replace",
                env=environment, timeout=300)
        except subprocess.TimeoutExpired:
            return "hangs", "", "", "?"
        failed = open(self.log).read().split()[0] if os.path.exists(self.log) else None
        return done.returncode, done.stdout, done.stderr, failed

    def report(self, what, fault, failed, text):
        shown = {key: value for key, value in fault.items() if key != "FAULT_FOLDER"}
        self.faults.append(f"{what}: {failed} {shown}: {text.strip()[:300]}")
        print("FAULT " + self.faults[-1], flush=True)

    def records(self, store):
        status, out, err, _ = self.call(["export", store])
        if status != 0:
            return None, err
        found = {}
        for line in out.split("\n"):
            if line:
                record = json.loads(line)
                found[record.pop("id")] = record
        return found, ""

    def every(self, kind, mode, limit):
        """Call numbers to fail: all of the first ones, later ones at random steps."""
        number = 1
        while number <= limit:
            yield {
                "FAULT_KIND": kind, "FAULT_MODE": mode, "FAULT_CALL": str(number),
                "FAULT_ERRNO": str(self.chance.choice(list(ERRORS.values()))),
            }
            number += 1 if number < limit // 4 else self.chance.randint(1, 3)

    def ended_well(self, what, fault, status, err, failed, allowed):
        if status in allowed and (status == 0 or err.strip()):
            return True
        self.report(what, fault, failed, f"status {status}: {err}")
        return False

    def writing(self, what, before, arguments, expected, limit):
        """One command that writes, with every call failing; `expected` are the records after it."""
        base = os.path.join(self.folder, "base")
        work = os.path.join(self.folder, "work", "store")
        old, _ = self.records(base) if before else ({}, "")
        for mode in ["once", "on", "short", "kill", "torn"]:
            for fault in self.every("write", mode, limit):
                shutil.rmtree(os.path.dirname(work), ignore_errors=True)
                os.makedirs(os.path.dirname(work))
                if before:
                    shutil.copytree(base, work)
                fault["FAULT_FOLDER"] = work
                line = [work if word == "STORE" else word for word in arguments]
                status, _, err, failed = self.call(line, fault)
                if failed is None:
                    break
                self.injected[failed] = self.injected.get(failed, 0) + 1
                if mode in ("kill", "torn"):
                    self.kills += 1
                    if status != -signal.SIGKILL:
                        self.report(what, fault, failed, f"status {status} of a command that is killed")
                elif not self.ended_well(what, fault, status, err, failed, (0, 1, 2, 3, 4)):
                    continue
                if not os.path.exists(work) or (not before and not os.listdir(work)):
                    # Nothing was begun.
                    if status == 0:
                        self.report(what, fault, failed, "said to be done, and there is no store")
                    continue
                self.check(what, fault, failed, work, old, expected, status)
                again, _, err, _ = self.call(line)
                found, reason = self.records(work)
                if again != 0 or found != expected:
                    self.report(what + " again", fault, failed, err or reason or "other records than expected")

    def check(self, what, fault, failed, work, old, expected, status):
        """A store behind a fault: whole, and between before and after."""
        verified, out, err, _ = self.call(["verify", work])
        if verified != 0:
            # A store that was not yet made is told from a damaged one by its error.
            if not old and verified in (2, 4):
                return
            self.report(what, fault, failed, f"verify {verified}: {out}{err}")
            return
        found, reason = self.records(work)
        if found is None:
            self.report(what, fault, failed, "export: " + reason)
            return
        if status == 0 and found != expected:
            self.report(what, fault, failed, f"said to be done with {len(found)} of {len(expected)} records")
        changed = 0
        for name in set(found) | set(old) | set(expected):
            if found.get(name) == expected.get(name):
                changed += expected.get(name) != old.get(name)
            elif found.get(name) != old.get(name):
                self.report(what, fault, failed, f"record {name} is neither old nor new")
                return
        whole = sum(expected.get(name) != old.get(name) for name in set(old) | set(expected))
        if changed % PIECE and changed != whole:
            self.report(what, fault, failed, f"{changed} records are new: a piece is there in part")

    @staticmethod
    def plain(text):
        """An answer without the order of an object's keys."""
        return json.dumps(json.loads(text), sort_keys=True) if text.startswith("{") and text.count("\n") < 2 else text

    def reading(self, what, arguments, limit):
        """One command that reads: the right answer, or an error."""
        base = os.path.join(self.folder, "base")
        line = [base if word == "STORE" else word for word in arguments]
        status, right, _, _ = self.call(line)
        for mode in ["once", "on", "short"]:
            for fault in self.every("read", mode, limit):
                fault["FAULT_FOLDER"] = arguments[-1] if arguments[-1] != "STORE" and "STORE" not in arguments else base
                found, out, err, failed = self.call(line, fault)
                if failed is None:
                    break
                self.injected[failed] = self.injected.get(failed, 0) + 1
                if not self.ended_well(what, fault, found, err, failed, (0, 2, 3, 4)):
                    continue
                if found == 0 and self.plain(out) != self.plain(right):
                    self.report(what, fault, failed, f"another answer: {out[:100]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--predicate", required=True, help="the built command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=400, help="the last call of a command that is made to fail")
    options = parser.parse_args()
    if not shutil.which("cc"):
        print("skipped: there is no C compiler (cc)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(options, folder)
        first = {f"r{n}": {"n": n, "text": f"text {n}"} for n in range(3 * PIECE)}
        second = {f"r{n}": {"n": -n, "text": f"other {n}", "more": n * 0.5} for n in range(PIECE, 5 * PIECE)}
        files = {}
        for name, records in [("first", first), ("second", second)]:
            files[name] = os.path.join(folder, name + ".ndjson")
            with open(files[name], "w") as file:
                for key, record in records.items():
                    file.write(json.dumps({"id": key, **record}) + "\n")
        base = os.path.join(folder, "base")
        status, _, err, _ = campaign.call(["import", base, files["first"], "--batch", str(PIECE)])
        assert status == 0, err
        old, _ = campaign.records(base)
        scratch = os.path.join(folder, "expected")
        shutil.copytree(base, scratch)
        campaign.call(["import", scratch, files["second"], "--batch", str(PIECE)])
        both, _ = campaign.records(scratch)
        step = ["--batch", str(PIECE)]
        campaign.writing("import into a new store", False, ["import", "STORE", files["first"], *step], old, options.calls)
        campaign.writing("import", True, ["import", "STORE", files["second"], *step], both, options.calls)
        campaign.writing("compact", True, ["compact", "STORE"], old, options.calls)
        for what, arguments in [
            ("query of a store", ["query", "n >= 20 AND text CONTAINS '3'", "STORE", "-o", "ids"]),
            ("export", ["export", "STORE"]), ("stat", ["stat", "STORE", "-o", "json"]), ("verify", ["verify", "STORE"]),
            ("query of a file", ["query", "n >= 20", "-o", "ids", files["first"]]),
        ]:
            campaign.reading(what, arguments, options.calls)
        total = sum(campaign.injected.values())
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(campaign.injected.items()))
        print(f"seed {options.seed}: {total} faults, {campaign.kills} of them kills, in {campaign.runs} runs ({kinds}): {len(campaign.faults)} findings")
        sys.exit(1 if campaign.faults else 0)


main()
