"""What the scripts that use the page share: checks that are printed, and waiting."""

import sys
import time

bad = []


def check(name, passed, more=""):
    print("ok" if passed else "FAILED", name, more, flush=True)
    if not passed:
        bad.append(name)


def until(condition, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def run(parts, *arguments):
    """Runs parts one after the other: one that fails does not hide the others."""
    for part in parts:
        try:
            part(*arguments)
        except Exception as error:
            check(part.__name__, False, repr(error)[:600])


def finish():
    print(f"{len(bad)} failed", flush=True)
    sys.exit(1 if bad else 0)
