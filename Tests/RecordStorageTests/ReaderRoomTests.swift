// The room of a list of readers that is there already.

import Foundation
import Glibc
import Testing

@testable import RecordStorage

@Suite struct ReaderRoomTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Bytes that a file has on the disk, and its length.
    private func sizes(_ name: String) throws -> (room: Int, length: Int) {
        var status = stat()
        try #require(stat(folder.file(name), &status) == 0)
        return (Int(status.st_blocks) * 512, Int(status.st_size))
    }

    /// A list with holes, however long it is, gets the room of a new one, and keeps its length.
    @Test func listsWithHolesGetTheirRoom() throws {
        try ReaderTable.allocate(folder.file("new"), in: nil, isOptional: false)
        let room = try sizes("new").room
        for (name, length) in [("short", 8_192), ("long", 1 << 20)] {
            let path = try folder.write([], name)
            try #require(truncate(path, length) == 0)
            try ReaderTable.allocate(path, in: nil, isOptional: false)
            let found = try sizes(name)
            #expect(found.room >= room && found.length == length, "\(name): \(found)")
        }
    }
}
