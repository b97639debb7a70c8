// The file of tables beside others: one that another process made longer, one that cannot be opened, one whose writer
// does not wait for the disk.

import Foundation
import Glibc
import RecordStore
import Testing
import _TestSupport

@testable import RecordStorage

@Suite struct TableFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ durability: Durability = .full) throws -> StorageEnvironment {
        try StorageEnvironment(
            path: folder.file("store"), mode: .readWrite, durability: durability,
            new: StoreMetadata(identifier: "test", assetFolder: ""))
    }

    /// Says in both heads of a file that it has so many bytes more than a gigabyte, which its address space is made for,
    /// as if another process had written so much. The file has no room on the disk for them.
    private func lengthen(_ tables: String, by bytes: Int) throws {
        let size = 1 << 30 + bytes
        try #require(truncate(tables, off_t(size)) == 0)
        try writeHeads(of: tables, size: size)
    }

    /// Says in both heads of a file that it has so many bytes.
    private func writeHeads(of tables: String, size: Int) throws {
        let pageSize = 4096
        let file = try FileHandle(forUpdating: URL(filePath: tables))
        defer { try? file.close() }
        for head in 0..<2 {
            // Behind the head of the page: magic, version, address and size of the map, and two tables.
            try file.seek(toOffset: UInt64(head * pageSize + 16 + 8 + 8 + 8 + 2 * 48))
            try file.write(contentsOf: withUnsafeBytes(of: UInt64(size / pageSize - 1).littleEndian) { Data($0) })
        }
    }

    /// Whoever has the tables open goes on, though they are longer than they were when they were opened.
    @Test(arguments: [TableFile.Access.write, .read, .readWithoutLock], [4096, 1 << 31])
    func tablesThatAnotherProcessMadeLonger(_ access: TableFile.Access, by bytes: Int) throws {
        try open().close()
        let path = folder.file("store")
        let tables = try TableFile(path: path, access: access, durability: .off)
        defer { tables.close() }
        func identifier() throws -> String {
            try tables.read { transaction throws(StorageError) in
                _ = try transaction.openTables(makes: false)
                return try transaction.metadata(path: path).identifier
            }
        }
        #expect(try identifier() == "test")
        try lengthen(path + "/data.mdb", by: bytes)
        #expect(try identifier() == "test")
        guard access == .write else { return }
        try tables.write { transaction throws(StorageError) in try transaction.put([7], for: [1], in: .log) }
        #expect(try tables.read { transaction throws(StorageError) in try transaction.value(of: [1], in: .log) } == [7])
    }

    /// Tables that find no room in the address space are told so each time, and read again when there is some.
    @Test(arguments: [TableFile.Access.write, .read, .readWithoutLock])
    func tablesThatCannotBeMapped(_ access: TableFile.Access) throws {
        try open().close()
        let path = folder.file("store")
        let tables = try TableFile(path: path, access: access, durability: .off)
        defer { tables.close() }
        func identifier() throws -> String {
            try tables.read { transaction throws(StorageError) in
                _ = try transaction.openTables(makes: false)
                return try transaction.metadata(path: path).identifier
            }
        }
        #expect(try identifier() == "test")
        let heads = Data(try folder.bytes("store/data.mdb").prefix(2 * 4096))
        // More than there are addresses.
        try writeHeads(of: path + "/data.mdb", size: 1 << 50)
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try identifier() }
            #expect(error?.code == .ioFailure)
        }
        let file = try FileHandle(forUpdating: URL(filePath: path + "/data.mdb"))
        try file.write(contentsOf: heads)
        try file.close()
        #expect(try identifier() == "test")
        guard access == .write else { return }
        try tables.write { transaction throws(StorageError) in try transaction.put([7], for: [1], in: .log) }
        #expect(try tables.read { transaction throws(StorageError) in try transaction.value(of: [1], in: .log) } == [7])
    }

    /// The files of the store's tables that this process has open.
    private func openFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }.filter { $0.hasPrefix(folder.path) && $0.contains(".mdb") }
    }

    /// Tables that are refused are not left open, however often they are tried.
    @Test func tablesThatHoldNothingAreNotLeftOpen() throws {
        let environment = try open()
        try environment.append([1])
        let (tables, list) = (environment.folder.tables, environment.folder.readerTable)
        let empty = folder.file("empty")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        try TableFile(path: empty, access: .write, durability: .off).close()
        #expect(throws: StorageError.self) {
            try environment.compactTables { step in
                guard step == .alone else { return }
                unlink(list)
                mkdir(list, 0o755)
            }
        }
        rmdir(list)
        try FileManager.default.removeItem(atPath: tables)
        try FileManager.default.copyItem(atPath: empty + "/data.mdb", toPath: tables)
        #expect(try openFiles() == [])
        for _ in 0..<3 {
            let error = #expect(throws: StorageError.self) { try environment.sizes() }
            #expect(error?.code == .corrupted && error?.reason == "the tables hold nothing")
            #expect(try openFiles() == [])
        }
        environment.close()
    }

    /// How long writers wait for the disk says nothing about what the store holds: a state and the changes behind it.
    @Test(arguments: [
        [Durability.off], [.off, .full], [.off, .normal, .off], [.full, .off, .off, .full], [.normal, .off, .normal],
    ])
    func writersOfEveryDurability(_ durabilities: [Durability]) throws {
        var environment = try open()
        for number in 1...3 { try environment.append([UInt8(number)]) }
        try environment.checkpoint(["part": [9]], through: 2)
        environment.close()
        var log: [[UInt8]] = [[3]]
        for durability in durabilities {
            environment = try open(durability)
            var contents = try environment.contents()
            #expect(contents.log == log && contents.parts == ["part": [9]], "\(durability)")
            #expect(environment.lastChange == UInt64(2 + log.count), "\(durability)")
            log.append([UInt8(log.count)])
            try environment.append(log[log.count - 1])
            contents = try environment.contents()
            #expect(contents.log == log && contents.parts == ["part": [9]], "\(durability)")
            environment.close()
        }
    }

    /// What may not be on the disk is noted until a writer has brought it there.
    @Test func filesThatMayNotBeOnTheDiskAreNoted() throws {
        let sessions: [(durability: Durability, isNoted: Bool)] = [
            (.full, false), (.off, true), (.off, true), (.normal, false), (.off, true), (.full, false),
        ]
        for (number, (durability, isNoted)) in sessions.enumerated() {
            let environment = try open(durability)
            let found = try environment.read { transaction throws(StorageError) in
                try transaction.value(of: StoreKeys.unsynced, in: .meta) != nil
            }
            #expect(found == isNoted, "\(number)")
            environment.close()
        }
    }

    /// A session that may lose changes says so until it has ended well, and no other one does.
    @Test func sessionsThatMayLackChangesAreNotedUntilTheyEnd() throws {
        for (durability, isNoted) in [(Durability.full, false), (.normal, true), (.off, true)] {
            let environment = try open(durability)
            _ = try environment.beginSession()
            #expect(try environment.metadata().generation?.mayLackChanges == isNoted, "\(durability)")
            environment.close()
            let after = try StorageEnvironment(reading: folder.file("store")).metadata()
            #expect(after.generation?.mayLackChanges == false, "\(durability)")
        }
    }

    /// What a session may lack is not told again under the same numbers; one that lacks nothing goes on.
    @Test func aNewHistoryBeginsWhereChangesMayBeMissing() throws {
        let environment = try open()
        defer { environment.close() }
        let first = try environment.beginSession()
        #expect(try environment.beginSession().incarnation == first.incarnation)
        var metadata = try environment.metadata()
        metadata.generation?.mayLackChanges = true
        try environment.write { transaction throws(StorageError) in
            try transaction.replace(metadata, path: environment.folder.path)
        }
        let second = try environment.beginSession()
        #expect(second.incarnation != first.incarnation && second.lastForeignChange > first.lastForeignChange)
        #expect(try environment.beginSession().incarnation == second.incarnation)
    }

    /// A writer gives a store its own form, though the history goes on: versions that know less must not open it.
    @Test func storesGetTheFormOfTheirWriter() throws {
        let environment = try open()
        defer { environment.close() }
        let first = try environment.beginSession()
        var metadata = try environment.metadata()
        metadata.format = 1
        try environment.write { transaction throws(StorageError) in
            try transaction.replace(metadata, path: environment.folder.path)
        }
        #expect(try environment.metadata().format == 1)
        #expect(try environment.beginSession().incarnation == first.incarnation)
        #expect(try environment.metadata().format == 2)
    }

    /// 1,024 for each millisecond since 1970; where the clock was set back, far after those of the other history.
    @Test func numbersOfHistoriesAreOfTheirTime() throws {
        let nowhere = StoreFolder(path: "/nowhere")
        var known: StoreGeneration?
        for (seconds, number) in [(1000.0, 1_024_000_000), (2000, 2_048_000_000)] as [(TimeInterval, Int64)] {
            known = StoreGeneration(of: nowhere, after: known, date: Date(timeIntervalSince1970: seconds))
            #expect(known?.lastForeignChange == number)
        }
        let later = StoreGeneration(of: nowhere, after: known, date: Date(timeIntervalSince1970: 1500))
        #expect((later.lastForeignChange ?? 0) >= 2_048_000_000 + 1 << 32)
    }

    /// The list of readers has as much room on the disk as LMDB makes it long, and no block more.
    @Test func theListOfReadersTakesNoMoreRoomThanItsLength() throws {
        let environment = try open()
        defer { environment.close() }
        var status = stat()
        try #require(stat(environment.folder.readerTable, &status) == 0)
        #expect(Int(status.st_blocks) * 512 < Int(status.st_size) + Int(status.st_blksize))
    }

    /// Only who reads does without a list of readers that may not be written.
    @Test func aListOfReadersThatMayNotBeWritten() throws {
        // A file of the system that no user may write.
        let path = "/proc/sys/kernel/osrelease"
        try ReaderTable.allocate(path, in: nil, isOptional: true)
        let error = #expect(throws: StorageError.self) { try ReaderTable.allocate(path, in: nil, isOptional: false) }
        #expect(error?.code == .noPermission || error?.code == .readOnly)
    }

    /// A store that was closed tells nobody that its last commit lasts, where commits do not wait for that themselves.
    @Test(arguments: Durability.allCases) func theLastCommitOfAClosedStore(_ durability: Durability) throws {
        let environment = try open(durability)
        try environment.append([1])
        try environment.syncState()
        environment.close()
        guard durability == .normal else { return try environment.syncState() }
        let error = #expect(throws: StorageError.self) { try environment.syncState() }
        #expect(error?.code == .missing)
    }

    /// New tables whose name a failure of the machine might take away are read, and take no change until it lasts.
    @Test func changesWaitForTheNameOfNewTables() throws {
        try open().close()
        let (store, link) = (StoreFolder(path: folder.file("store")), folder.file("link"))
        func makeLink() throws {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        }
        try makeLink()
        let owner = try OwnedFolder(store)
        let tables = try TableFile(path: link, access: .write, durability: .full)
        defer {
            tables.close()
            owner.close {}
        }
        try tables.copy(to: owner.segments)
        // The new tables get their name, and cannot be opened yet.
        unlink(store.readerTable)
        mkdir(store.readerTable, 0o755)
        #expect(throws: StorageError.self) { try tables.replace(in: owner) }
        rmdir(store.readerTable)
        func value() throws -> [UInt8]? {
            try tables.read { transaction throws(StorageError) in try transaction.value(of: [1], in: .log) }
        }
        func change() throws {
            try tables.write { transaction throws(StorageError) in try transaction.put([7], for: [1], in: .log) }
        }
        #expect(try value() == nil)
        try FileManager.default.removeItem(atPath: link)
        let error = #expect(throws: StorageError.self) { try change() }
        #expect(error?.code == .missing && error?.path == link)
        #expect(try value() == nil)
        try makeLink()
        try change()
        #expect(try value() == [7])
    }

    /// Who reads in the process of a writer reads by the writer's tables, and by those that took their place, as long
    /// as they are open.
    @Test func readersUseTheTablesOfTheirWriter() throws {
        let environment = try open()
        try environment.append([1])
        func isOfWriter() throws -> Bool {
            try OpenTables.read(environment.folder, patience: .seconds(10)) { tables throws(StorageError) in
                tables === environment.tables
            }
        }
        #expect(try isOfWriter())
        try environment.compactTables()
        #expect(try isOfWriter())
        #expect(try StorageEnvironment(reading: environment.folder.path).contents().log == [[1]])
        environment.close()
        #expect(try !isOfWriter())
        #expect(try StorageEnvironment(reading: environment.folder.path).contents().log == [[1]])
    }

    /// Tables that contradict themselves may be those of a writer that went on meanwhile: they are looked at again, but
    /// not for ever. Whatever else is wrong with them is told at once.
    @Test func tablesThatChangedMeanwhileAreLookedAtAgain() throws {
        let environment = try open()
        try environment.append([1])
        environment.close()
        let folder = environment.folder
        var looks = 0
        func read(failing times: Int, _ code: StorageError.Code) throws(StorageError) -> Int {
            looks = 0
            return try OpenTables.read(folder, patience: .seconds(10)) { _ throws(StorageError) -> Int in
                looks += 1
                if looks <= times { throw StorageError(code, path: "tables", "not as they were written") }
                return looks
            }
        }
        for times in [0, 1, 3] { #expect(try read(failing: times, .corrupted) == times + 1) }
        let damaged = #expect(throws: StorageError.self) { try read(failing: 1_000, .corrupted) }
        #expect(damaged?.code == .corrupted && looks > 1 && looks < 1_000)
        let missing = #expect(throws: StorageError.self) { try read(failing: 1_000, .missing) }
        #expect(missing?.code == .missing && looks == 1)
    }

    /// Disks where a file without a name cannot be made say how much room they have: those that live in the kernel
    /// have none, and what is no folder is on a disk that has some.
    @Test(arguments: [("/proc", true), ("file", false), ("", false), ("absent/folder", false)])
    func disksWithAndWithoutRoom(_ place: String, isUsedUp: Bool) throws {
        _ = try folder.write([1], "file")
        #expect(DiskRoom.isUsedUp(place.hasPrefix("/") ? place : folder.file(place)) == isUsedUp)
    }
}
