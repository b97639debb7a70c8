// Stores where something is in the way: an import that is killed, a disk that is full, folders that may not be used.

import Foundation
import Testing
import _TestSupport

@testable import predicate

/// What this machine lets a test do.
private enum Machine {
    static let isRoot = geteuid() == 0

    /// Whether a disk of a fixed size can be mounted.
    static let mounts: Bool = {
        guard isRoot, let folder = try? TemporaryFolder() else { return false }
        return
            (try? CommandRun(
                shell: "mount -t tmpfs -o size=1m tmpfs '\(folder.url.path)' && umount '\(folder.url.path)'"))?
            .status == 0
    }()

    /// What runs a program as somebody to whom permissions mean something: nothing for those, another user for root.
    static let asUser = isRoot ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : ""

    static let runsAsUser: Bool = (try? CommandRun(shell: "\(asUser)$predicate --version"))?.status == 0
}

@Suite(.waits) struct StoreTroubleTests {
    private func run(_ folder: borrowing TemporaryFolder, _ line: String) throws -> CommandRun {
        try CommandRun(shell: "cd '\(folder.url.path)' && \(line)")
    }

    private static func lines(_ count: Int) -> String {
        (0..<count).map { #"{"id":"r\#($0)","type":"T","n":\#($0 % 97),"text":"words of record \#($0)"}"# }
            .joined(separator: "\n") + "\n"
    }

    @Test func anImportThatIsNoLongerWantedEndsBetweenTwoPieces() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("in.ndjson", Self.lines(1000))
        // Control-C comes as soon as 300 records are there.
        try interrupt(folder, "s", [file])
        let rest = try run(folder, "$predicate import s '\(file)' --batch 100")
        #expect(rest.errors.contains("300 of 1,000 records were saved before"), "\(rest.errors)")
        #expect(rest.errors.contains("700 records saved"), "\(rest.errors)")
        #expect(try run(folder, "$predicate query TRUEPREDICATE s --count").output == "1000\n")
    }

    /// A store of many zones has many files: a copy needs no more of them open than it has at hand.
    @Test func aStoreOfManyZonesIsCopied() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file(
            "in.ndjson", (0..<150).map { "{\"id\":\"r\",\"type\":\"T\",\"$zone\":\"z\($0)\",\"n\":\($0)}\n" }.joined())
        let made = try run(
            folder,
            """
            $predicate create -q s && $predicate import -q s in.ndjson && (ulimit -n 64; $predicate backup -q s t) &&
            $predicate verify t && $predicate query 'n >= 0' t --count
            """)
        #expect(made.output == "ok\n150\n" && made.status == 0, "\(made)")
    }

    /// What else lies among the assets holds up nobody.
    @Test func aPipeAmongTheAssetsIsLeftAlone() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(10))
        let made = try run(
            folder,
            """
            $predicate create -q s && $predicate import -q s in.ndjson && mkfifo s/assets/pipe && mkdir s/assets/folder &&
            ln -s /dev/zero s/assets/zero &&
            timeout 60 $predicate backup -q s t && ls t/assets && timeout 60 $predicate verify s
            """)
        #expect(made.output == "ok\n" && made.status == 0, "\(made)")
    }

    private static let readers = ["query TRUEPREDICATE t --count", "verify t", "export t", "backup t u"]
    private static let writers = ["import -q t in.ndjson --restart"]
    /// Part of a store, what is put in its place, and the calls that refuse that.
    private static let strangers: [(part: String, replacement: String, calls: [String])] = [
        ("segments/*.segment", "mkfifo", readers + writers),
        ("segments/*.segment", "ln -s /dev/zero", readers + writers),
        ("segments/*.segment", "ln -s $PWD/victim", readers + writers),
        ("segments/*.segment", "mkdir", readers + writers),
        ("data.mdb", "mkfifo", readers + writers),
        ("data.mdb", "ln -s /dev/zero", readers + writers),
        ("data.mdb", "ln -s $PWD/s/data.mdb", readers + writers),
        ("lock.mdb", "mkfifo", readers + writers),
        ("lock.mdb", "ln -s $PWD/victim", readers + writers),
        ("lock.mdb", "ln -s $PWD/nowhere", readers + writers),
        ("writer.lock", "mkfifo", writers),
        ("writer.lock", "ln -s $PWD/victim", writers),
        ("writer.lock", "ln -s $PWD/nowhere", writers),
        ("segments", "ln -s $PWD/folder", readers + writers),
        ("assets", "ln -s $PWD/folder", readers + writers),
    ]

    /// A store may come from a stranger: nothing waits for a pipe, reads a device to its end, or follows a link to what
    /// is not the store's.
    @Test(arguments: strangers.indices)
    func whatIsNoFileIsRejected(_ row: Int) throws {
        let (part, replacement, calls) = Self.strangers[row]
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(300))
        // The folder has what the store would remove or write, if it followed a link there.
        let made = try run(
            folder,
            """
            $predicate import -q s in.ndjson && cp -r s t && echo victim > victim && mkdir folder &&
            for name in data.mdb lock.mdb 1.segment.new copy-1-1 other; do cp victim folder/$name; done
            part=$(ls -d t/\(part) | head -n 1) && rm -r "$part" && \(replacement) "$part"
            """)
        #expect(made.status == 0, "\(made)")
        for call in calls {
            let rejected = try run(folder, "timeout 60 $predicate \(call)")
            #expect((2...4).contains(rejected.status), "\(part), \(replacement), \(call): \(rejected)")
            #expect(rejected.errors.contains("expected a "), "\(part), \(replacement), \(call): \(rejected)")
        }
        let after = try run(folder, "cat victim folder/* | sort | uniq -c; ls -d nowhere; $predicate verify s")
        #expect(after.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["6 victim", "ok"], "\(after)")
    }

    /// A store that is reached by a link is as good as any other.
    @Test func aLinkToAStoreIsFollowed() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(10))
        let made = try run(
            folder,
            """
            $predicate create -q s && ln -s s t && $predicate import -q t in.ndjson && $predicate verify t &&
            $predicate query TRUEPREDICATE t --count
            """)
        #expect(made.output == "ok\n10\n" && made.status == 0, "\(made)")
    }

    /// Names that a writer would make files under are made anew.
    @Test func unfinishedFilesAreNotWrittenThrough() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(10))
        let made = try run(
            folder,
            """
            $predicate create -q s && echo victim > victim
            for n in 1 2 3 4; do ln -s ../../victim s/segments/$n.segment.new; done
            for name in segments/data.mdb segments/lock.mdb assets/copy-1-1; do ln -s ../../victim s/$name; done
            $predicate import -q s in.ndjson && $predicate compact s > compacted && cat victim && $predicate verify s
            """)
        #expect(made.output == "victim\nok\n" && made.status == 0, "\(made)")
    }

    private static let hasPython = (try? CommandRun(shell: "python3 -c 'import fcntl'"))?.status == 0

    /// A program that knows LMDB and nothing of stores keeps its list of readers locked.
    @Test(.requires("python3 with fcntl", hasPython)) func aStoreIsCompactedBesideAForeignReader() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(200))
        _ = try folder.file(
            "hold.py",
            """
            import fcntl, sys
            lock = open("s/lock.mdb", "r+b")
            fcntl.lockf(lock, fcntl.LOCK_SH, 1, 0)
            print("held", flush=True)
            sys.stdin.read()
            """)
        // Whether the number of the last commit is even or odd.
        for batch in [40, 50, 66, 100] {
            let outcome = try run(
                folder,
                """
                rm -rf s && $predicate create -q s && $predicate import -q s in.ndjson --batch \(batch)
                mkfifo end; python3 hold.py < end > held & exec 3> end
                for try in $(seq 1 3600); do grep -qs . held && [ "$(wc -l < held)" = 1 ] && break; sleep 0.05; done
                cat held; rm held
                $predicate compact s > /dev/null && $predicate verify s && $predicate query TRUEPREDICATE s --count
                exec 3>&-; wait; rm end
                $predicate import -q s in.ndjson --restart && $predicate query TRUEPREDICATE s --count
                """)
            #expect(outcome.output == "held\nok\n200\n200\n", "\(batch): \(outcome)")
        }
    }

    @Test func anImportThatIsKilledGoesOnWhereItEnded() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(20_000))
        let killed = try run(
            folder,
            """
            $predicate create -q s
            for round in 1 2; do
              before=$($predicate query TRUEPREDICATE s --count)
              $predicate import -q s in.ndjson --batch 40 & writer=$!
              for try in $(seq 1 400); do
                [ "$($predicate query TRUEPREDICATE s --count)" != "$before" ] && break
              done
              kill -9 $writer; wait $writer
            done 2> /dev/null
            $predicate query TRUEPREDICATE s --count
            """)
        let saved = try #require(Int(killed.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(killed.errors)")
        #expect(saved > 0 && saved < 20_000)
        let rest = try run(folder, "$predicate import s in.ndjson --batch 5000")
        #expect(rest.status == 0)
        // Nothing that was saved is saved again, and nothing is left out.
        #expect(rest.errors.contains("\(Self.grouped(saved)) of 20,000 records were saved before"), "\(rest.errors)")
        #expect(rest.errors.contains("\(Self.grouped(20_000 - saved)) records saved, "), "\(rest.errors)")
        let same = try run(
            folder,
            "$predicate import -q t in.ndjson && $predicate export t > t.out && $predicate export s | cmp - t.out")
        #expect(same.status == 0, "\(same.errors)\(same.output)")
        #expect(try run(folder, "$predicate verify s").output == "ok\n")
    }

    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(number / 1000)," + String("\(1000 + number % 1000)".dropFirst())
    }

    @Test func onlyTheSameImportGoesOn() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("in.ndjson", Self.lines(1000))
        _ = try folder.file("one.ndjson", Self.lines(1))
        _ = try run(folder, "sed 's/r/x/' in.ndjson > other.ndjson")
        _ = try run(folder, "sed 's/{/{\"$zone\":\"Z\",/' in.ndjson > zone.ndjson")
        try interrupt(folder, "s", [file])
        for line in [
            // Other files, other options, what cannot be told from before, and what was changed since.
            "$predicate import t other.ndjson", "$predicate import t '\(file)' --id-field text",
            "$predicate import t - < in.ndjson", "$predicate import t < other.ndjson",
            "$predicate import t '\(file)' --restart",
            "$predicate import -q t one.ndjson; $predicate import t '\(file)'",
            "$predicate import -q t '\(file)'; $predicate import t '\(file)'",
        ] {
            let again = try run(folder, "rm -rf t; cp -r s t; " + line)
            #expect(again.status == 0 && again.errors.hasPrefix("1,000 records saved"), "\(line): \(again.errors)")
        }
        // In a zone, too.
        let zone = folder.url.appendingPathComponent("zone.ndjson").path
        for path in [file, zone] {
            _ = try run(folder, "rm -rf t")
            try interrupt(folder, "t", [path])
            let rest = try run(folder, "$predicate import t '\(path)'")
            #expect(rest.errors.contains("300 of 1,000 records were saved before"), "\(rest.errors)")
        }
    }

    /// Records that were refused are not taken for saved, in an earlier piece and in the last one that was saved.
    @Test(arguments: [7, 250]) func rejectedRecordsAreTriedAgain(_ rejected: Int) throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("app.ckdb", "DEFINE SCHEMA RECORD TYPE T (n INT64);")
        let lines = (0..<1000).map { "{\"id\":\"r\($0)\",\"type\":\"T\",\"n\":\($0 == rejected ? "0.5" : "1")}\n" }
        let file = try folder.file("in.ndjson", lines.joined())
        _ = try run(folder, "$predicate create -q s --schema app.ckdb")
        try interrupt(folder, "s", [file], records: 299)
        for _ in 0..<2 {
            let again = try run(folder, "$predicate import s '\(file)'")
            #expect(again.status == 3 && again.errors.contains("999 records saved"), "\(again.errors)")
            #expect(again.errors.contains("1 rejected"), "\(again.errors)")
        }
    }

    /// Ends an import when a store has so many records.
    private func interrupt(
        _ folder: borrowing TemporaryFolder, _ name: String, _ files: [String], records: Int = 300
    ) throws {
        let store = folder.url.appendingPathComponent(name).path
        let call = try ParsedArguments(
            [store] + files + ["--batch", "100", "--quiet"], for: ImportCommand.specification)
        _ = try ImportCommand.run(call, Session(["import"])) {
            (try? CommandRun(["query", "TRUEPREDICATE", store, "--count"]).output) != "\(records)\n"
        }
        #expect(try CommandRun(["query", "TRUEPREDICATE", store, "--count"]).output == "\(records)\n")
    }

    @Test(.enabled(if: Machine.mounts, "a disk of a fixed size is mounted by root only"))
    func aFullDiskLosesNothing() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(30_000))
        let path = folder.url.path
        _ = try run(folder, "mkdir disk && mount -t tmpfs -o size=1m tmpfs disk")
        defer { _ = try? CommandRun(shell: "umount -l '\(path)/disk'") }
        let full = try run(folder, "$predicate import disk/s in.ndjson --batch 500")
        #expect(full.status == 4 && full.errors.contains("No space left"), "\(full.errors)")
        #expect(full.errors.contains("hint: make room on the disk"), "\(full.errors)")
        let count = try run(folder, "$predicate query TRUEPREDICATE disk/s --count")
        let saved = try #require(Int(count.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(count.errors)")
        #expect(saved > 0 && saved % 500 == 0 && saved < 30_000)
        #expect(try run(folder, "$predicate verify disk/s").output == "ok\n")
        #expect(try run(folder, "$predicate export disk/s | head -n \(saved) | wc -l").output == "\(saved)\n")
        // With more room it goes on.
        let rest = try run(folder, "mount -o remount,size=64m disk && $predicate import disk/s in.ndjson")
        #expect(
            rest.status == 0 && rest.errors.contains("\(Self.grouped(saved)) of 30,000 records were saved before"),
            "\(rest.errors)")
        #expect(try run(folder, "$predicate query TRUEPREDICATE disk/s --count").output == "30000\n")
        // A disk that may only be read.
        let frozen = try run(folder, "mount -o remount,ro disk; $predicate import disk/s in.ndjson --restart")
        #expect(frozen.status == 4 && frozen.errors.contains("Read-only file system"), "\(frozen.errors)")
        #expect(try run(folder, "$predicate query TRUEPREDICATE disk/s --count").output == "30000\n")
        #expect(try run(folder, "$predicate create disk/new").status == 4)
    }

    @Test(.enabled(if: Machine.runsAsUser, "the command cannot be run as a user whom permissions bind"))
    func permissionsThatAreMissing() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", Self.lines(300))
        let made = try run(
            folder,
            "$predicate import -q s in.ndjson && $predicate export s > before && chmod -R a+rX . && ls s/segments/*.segment"
        )
        #expect(made.status == 0 && !made.output.isEmpty, "\(made.errors)")
        let user = Machine.asUser
        // A folder of somebody else, and one's own that is protected.
        _ = try run(folder, "chmod a-w s s/* s/segments/* in.ndjson")
        let read = try run(folder, "\(user)$predicate export s | cmp - before")
        #expect(read.status == 0, "\(read.errors)\(read.output)")
        let write = try run(folder, "\(user)$predicate import s in.ndjson --restart")
        #expect(write.status == 4 && write.errors.contains("ermission"), "\(write.errors)")
        #expect(try run(folder, "\(user)$predicate verify s").output == "ok\n")
        let make = try run(folder, "mkdir shut && chmod 555 shut && \(user)$predicate create shut/s")
        #expect(make.status == 4 && make.errors.contains("Permission denied"), "\(make.errors)")
        let closed = try run(folder, "chmod 000 s/segments/*.segment && \(user)$predicate export s")
        #expect(
            closed.status == 4 && closed.errors.contains(".segment: cannot open the file: Permission denied"),
            "\(closed.errors)")
        #expect(closed.errors.contains("hint: check the owner"))
        let hidden = try run(folder, "chmod 000 s && \(user)$predicate export s")
        #expect(hidden.status == 4 && hidden.errors.contains("Permission denied"), "\(hidden.errors)")
        // Nothing of this changed what is stored.
        let after = try run(
            folder, "chmod 755 s && chmod -R u+rwX s && $predicate export s | cmp - before && $predicate verify s")
        #expect(after.output == "ok\n", "\(after.errors)")
    }

    @Test func storesThatAreNotThere() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("file", "text")
        for verb in ["export", "stat", "verify", "compact", "open"] {
            let run = try run(folder, "$predicate \(verb) none < /dev/null")
            #expect(run.status == 4 && !run.errors.isEmpty, "\(verb): \(run.errors)")
        }
        #expect(try run(folder, "$predicate create file").status == 2)
        #expect(
            try run(folder, "$predicate create -q new && $predicate create new").errors.contains("is a store already"))
    }
}
