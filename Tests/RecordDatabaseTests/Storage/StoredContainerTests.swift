// Containers in folders: opening, one writer, readers, and what may be wrong with a folder.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct StoredContainerTests {
    private func open(
        _ folder: TemporaryFolder, _ mode: StorageOptions.Mode = .readWrite, identifier: String = "test",
        durability: StorageOptions.Durability = .full
    ) throws -> Container {
        try Container(
            identifier: identifier, storedAt: folder.url, options: StorageOptions(mode: mode, durability: durability))
    }

    @Test(arguments: [StorageOptions.Durability.full, .normal, .off])
    func whatWasSavedIsThereAgain(_ durability: StorageOptions.Durability) async throws {
        let folder = TemporaryFolder()
        var container = try open(folder, durability: durability)
        for number in 0..<3 {
            let records = (0..<100).map { record("r\(number)-\($0)", ["n": .int64($0), "t": .string("text \($0)")]) }
            _ = try await container.privateDatabase.modifyRecords(saving: records, deleting: [])
            let contents = container.client.store.contents
            container.close()
            container = try open(folder, durability: durability)
            #expect(container.client.store.contents == contents)
        }
        let found = try await container.privateDatabase.records(
            matching: Query(recordType: "T", predicate: "n == \(7) AND t == \("text 7")"))
        #expect(found.matchResults.count == 3)
    }

    @Test func thereIsOneWriter() async throws {
        let folder = TemporaryFolder()
        let first = try open(folder)
        try await first.privateDatabase.put(record("a"))
        let error = await fails(.serviceUnavailable) { try open(folder) }
        #expect(error?.reason.contains("this process has the store open for writing") == true)
        let reader = try open(folder, .readOnly)
        #expect(await reader.privateDatabase.has("a"))
        try await first.privateDatabase.put(record("b"))
        // A reader sees the store as it was when it was opened.
        #expect(await !reader.privateDatabase.has("b"))
        #expect(try await open(folder, .readOnly).privateDatabase.has("b"))
        await fails(.permissionFailure) { try await reader.privateDatabase.save(record("c")) }
        await fails(.permissionFailure) { try reader.setSchema(ContainerSchema(recordTypes: ["T": .init()])) }
        await fails(.permissionFailure) { try reader.setRoles(["a"], ofUser: "_b") }
        #expect(await !reader.privateDatabase.has("c"))
        first.close()
        first.close()
        #expect(try await open(folder).privateDatabase.has("b"))
    }

    @Test func aStoreIsOfOneContainer() async throws {
        let folder = TemporaryFolder()
        try open(folder).close()
        await fails(.invalidArguments) { try open(folder, identifier: "other") }
    }

    @Test func foldersThatAreNoStores() async throws {
        let missing = TemporaryFolder()
        await fails(.serviceUnavailable) { try open(missing, .readOnly) }
        #expect(!FileManager.default.fileExists(atPath: missing.path))
        let other = TemporaryFolder()
        try FileManager.default.createDirectory(at: other.url, withIntermediateDirectories: true)
        await fails(.invalidArguments) { try open(other, .readOnly) }
        try Data("x".utf8).write(to: other.url.appending(path: "notes.txt"))
        let error = await fails(.invalidArguments) { try open(other) }
        #expect(error?.reason.contains("notes.txt") == true)
        let file = TemporaryFolder()
        try Data("x".utf8).write(to: file.url)
        await fails(.invalidArguments) { try open(file) }
        await fails(.invalidArguments) { try open(file, .readOnly) }
        let garbage = TemporaryFolder()
        try FileManager.default.createDirectory(at: garbage.url, withIntermediateDirectories: true)
        try Data((0..<20000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(
            to: garbage.url.appending(path: "data.mdb"))
        await fails(.invalidArguments) { try open(garbage) }
    }

    @Test func aFolderThatIsRemovedWhileItIsOpen() async throws {
        let folder = TemporaryFolder()
        let container = try open(folder)
        try await container.privateDatabase.put(record("a"))
        try FileManager.default.removeItem(at: folder.url)
        let error = await fails(.serviceUnavailable) { try await container.privateDatabase.save(record("b")) }
        #expect(error?.reason.contains("removed") == true)
        // What was read before can be read on, and nothing of what failed is there.
        #expect(await container.privateDatabase.has("a"))
        #expect(await !container.privateDatabase.has("b"))
    }
}
