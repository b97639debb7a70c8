"""One build with all mutants of `.ci/mutants`, each behind a switch, and runs of suites with one of them on."""

import collections
import concurrent.futures
import json
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
BINARY = ".build/release/swift-record-databasePackageTests.xctest"
# Words of a compiler's command that say what is written, with how many follow each.
OUTPUTS = {
    "-c": 0, "-emit-module": 0, "-emit-dependencies": 0, "-emit-objc-header": 0, "-parseable-output": 0, "-O": 0,
    "-serialize-diagnostics": 0, "-emit-module-path": 1, "-output-file-map": 1, "-emit-objc-header-path": 1,
    "-num-threads": 1, "-index-store-path": 1,
}


class Build:
    """The copy in which mutants are compiled and run."""

    def __init__(self, folder, built=None):
        """The copy in a folder; `built` is the checkout whose build has the modules that others import."""
        self.folder, self.built = pathlib.Path(folder), pathlib.Path(built or folder)
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
        commands = self.commands()
        unchecked = {mutant.module for mutant in mutants} & commands.keys()
        for _ in range(rounds):
            self.write(mutants)
            if unchecked:
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    output = "".join(pool.map(lambda module: self.check(module, commands[module]), sorted(unchecked)))
                bad = self.blamed(mutants, self.errors(output))
                unchecked = {mutant.module for mutant in bad}
            else:
                build = subprocess.run(
                    ["swift", "test", "list", "-c", "release"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT)
                if build.returncode == 0:
                    return mutants
                bad = self.blamed(mutants, self.errors(build.stdout))
                if not bad:
                    sys.exit("mutants: the build fails, and no mutant is to blame:\n" + build.stdout[-4000:])
            self.dropped += bad
            for mutant in bad:
                print(f"does not compile: {mutant}", flush=True)
                note(mutant)
            mutants = [mutant for mutant in mutants if mutant not in bad]
        sys.exit(f"mutants: the build still fails after {rounds} rounds")

    def commands(self):
        """The compiler's command for each module, without what it writes; none where nothing was built before."""
        plan = self.built / ".build" / "release.yaml"
        commands, module = {}, None
        for line in plan.read_text().splitlines() if plan.exists() else ():
            if named := re.match(r'  "C\.(\w+)-.*\.module":', line):
                module = named.group(1)
            elif module and line.startswith("    args: "):
                words, kept = iter(json.loads(line.removeprefix("    args: "))), []
                for word in words:
                    if word in OUTPUTS:
                        for _ in range(OUTPUTS[word]):
                            next(words)
                    elif not word.startswith("@"):
                        kept.append(word)
                commands[module], module = kept, None
        return commands

    def check(self, module, command):
        """What the compiler says of a module on its way to code, much sooner than a build would: a mutant changes no
        declaration, so that the modules of the build before are still those that it imports."""
        files = [str(path) for path in (self.folder / "Sources" / module).rglob("*.swift")]
        return subprocess.run(
            [*command, "-Onone", "-emit-sil", "-o", os.devnull, *files], cwd=self.built, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout

    @staticmethod
    def errors(output):
        return {match.groups() for match in map(ERROR.match, output.splitlines()) if match}

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
