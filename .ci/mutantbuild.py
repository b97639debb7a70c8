"""One build with all mutants of `.ci/mutants`, each behind a switch, and runs of suites with one of them on."""

import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from mutantrules import SWITCH

ACCESSOR = """// Which mutant is on: the one that MUTANT names. MUTANTS_REACHED names a file that learns which were passed.
import Glibc

private let active: Int = getenv("MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
private let log: Int32 = getenv("MUTANTS_REACHED").map { open($0, O_WRONLY | O_APPEND | O_CREAT, 0o644) } ?? -1
nonisolated(unsafe) private let passed: UnsafeMutablePointer<UInt8> = {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
    bytes.initialize(repeating: 0, count: 1 << 16)
    return bytes
}()

@usableFromInline func isMutant(_ number: Int) -> Bool {
    if log >= 0, passed[number] == 0 {
        passed[number] = 1
        let line = Array("\\(number)\\n".utf8)
        _ = write(log, line, line.count)
    }
    return active == number
}
"""
ERROR = re.compile(r"^(?:/.*?/)?((?:Sources)/\S+?\.swift):(\d+):\d+: error: (.*)$")
BINARY = ".build/debug/swift-record-databasePackageTests.xctest"


class Build:
    """The copy in which mutants are compiled and run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.originals = self.folder / ".build" / "mutants" / "originals"
        self.dropped = []

    # Sources

    def restore(self):
        """Gives every file its text back."""
        for path in self.originals.rglob("*.swift"):
            (self.folder / path.relative_to(self.originals)).write_text(path.read_text())
            path.unlink()
        for path in self.folder.glob("Sources/*/Mutants.swift"):
            path.unlink()

    def files(self, module):
        """The files of a module, in order."""
        paths = (self.folder / "Sources" / module).rglob("*.swift")
        return sorted(str(path.relative_to(self.folder)) for path in paths if path.name != "Mutants.swift")

    def original(self, file):
        """The text of a file without mutants."""
        kept = self.originals / file
        return (kept if kept.exists() else self.folder / file).read_text()

    def keep(self, file):
        kept = self.originals / file
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text((self.folder / file).read_text())

    def write(self, mutants):
        """Writes the files with these mutants in them."""
        by_file = collections.defaultdict(list)
        for mutant in mutants:
            by_file[mutant.file].append(mutant)
        kept = {str(path.relative_to(self.originals)) for path in self.originals.rglob("*.swift")}
        for file in set(by_file) | kept:
            self.keep(file)
            text = self.original(file)
            for mutant in sorted(by_file[file], key=lambda mutant: -mutant.start):
                piece = mutant.text.replace(SWITCH, f"isMutant({mutant.number})")
                text = text[:mutant.start] + piece + text[mutant.end:]
            path = self.folder / file
            if path.read_text() != text:
                path.write_text(text)
        for module in {mutant.module for mutant in mutants}:
            path = self.folder / "Sources" / module / "Mutants.swift"
            if not path.exists():
                path.write_text(ACCESSOR)

    def compile(self, mutants, note, rounds=60):
        """Builds, leaving out what does not compile, which `note` is told; the mutants that do."""
        for _ in range(rounds):
            self.write(mutants)
            build = subprocess.run(
                ["swift", "build", "--build-tests"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            if build.returncode == 0:
                return mutants
            errors = {match.groups() for match in map(ERROR.match, build.stdout.splitlines()) if match}
            bad = self.blamed(mutants, errors)
            if not bad:
                sys.exit("mutants: the build fails, and no mutant is to blame:\n" + build.stdout[-4000:])
            self.dropped += bad
            for mutant in bad:
                print(f"does not compile: {mutant}", flush=True)
                note(mutant)
            mutants = [mutant for mutant in mutants if mutant not in bad]
        sys.exit(f"mutants: the build still fails after {rounds} rounds")

    @staticmethod
    def blamed(mutants, errors):
        """The mutants on the lines of errors, else those of the whole file: an error may show far from its cause."""
        bad = []
        for file, line, _ in errors:
            here = [mutant for mutant in mutants if mutant.file == file]
            exact = [mutant for mutant in here if mutant.line <= int(line) <= mutant.last_line]
            removed = [mutant for mutant in here if mutant.rule == "removed"]
            bad += [mutant for mutant in exact or removed or here if mutant not in bad]
        return bad

    # Suites

    def suites(self, pattern, excluded):
        """The suites whose names match, without the targets that are excluded."""
        listed = subprocess.run(
            [BINARY, "--testing-library", "swift-testing", "--list-tests"], cwd=self.folder, text=True,
            capture_output=True, check=True).stdout
        names = sorted({line.split("/")[0].split("(")[0] for line in listed.splitlines() if "." in line})
        return [
            name for name in names if re.search(pattern, name) and name.split(".")[0] not in excluded]

    def run(self, suite, limit, **variables):
        """Runs one suite: whether it passed, `None` where it took too long; and the seconds."""
        started = time.monotonic()
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", **variables)
        process = subprocess.Popen(
            [BINARY, "--testing-library", "swift-testing", "--no-parallel", "--filter",
             "^" + re.escape(suite) + r"[/(]"], cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
            ran = re.search(r"Test run with [1-9]\d* tests? ", output)
            passed = process.returncode == 0 and ran is not None
        except subprocess.TimeoutExpired:
            passed = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        return passed, time.monotonic() - started
