// Large files that are removed give back their room in pieces, and only when nobody uses them.

import FoundationEssentials
import Glibc
import Testing

@testable import RecordStorage

@Suite struct RemovedFileTests {
    /// Who has the file besides the one that removes it.
    enum User: CaseIterable {
        case nobody
        case descriptor
        case map
        case otherName
        /// Its name was not removed.
        case name
    }

    private static let size = 1 << 20
    private static let piece = 1 << 18

    @Test(arguments: User.allCases) func roomOfUsedFilesIsKept(_ user: User) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(.init(repeating: 7, count: Self.size), "large")
        let opened = try OpenFolder(folder.path)
        let file = try #require(RemovedFile("large", in: opened, pieceByteCount: Self.piece))
        var descriptor: Int32 = -1
        var map: UnsafeMutableRawPointer?
        // Looks at the file itself: a descriptor would make this test a user.
        var status = stat()
        let own = try #require(Self.descriptor(of: path))
        switch user {
        case .nobody, .name: break
        // Processes that other tests start would be users, too.
        case .descriptor: descriptor = open(path, O_RDONLY | O_CLOEXEC)
        case .map:
            let reader = open(path, O_RDONLY | O_CLOEXEC)
            map = mmap(nil, Self.size, PROT_READ, MAP_SHARED, reader, 0)
            close(reader)
        case .otherName: #expect(link(path, folder.file("other")) == 0)
        }
        if user != .name { #expect(opened.remove("large")) }
        if user == .descriptor || user == .map {
            #expect(!file.giveBackRoom())
        } else {
            #expect(Self.isGivenBack(file))
        }
        #expect(stat("/proc/self/fd/\(own)", &status) == 0)
        #expect(status.st_size == (user == .nobody ? off_t(Self.piece) : off_t(Self.size)))
        if let map {
            #expect(unsafe map.load(fromByteOffset: Self.size - 1, as: UInt8.self) == 7)
            munmap(map, Self.size)
        }
        if descriptor >= 0 { close(descriptor) }
        // The last user is gone: the room can be given back now.
        if user == .descriptor || user == .map {
            #expect(Self.isGivenBack(file))
            #expect(stat("/proc/self/fd/\(own)", &status) == 0)
            #expect(status.st_size == off_t(Self.piece))
        }
    }

    @Test func smallFilesNeedNoCare() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(.init(repeating: 7, count: Self.piece), "small")
        #expect(RemovedFile("small", in: try OpenFolder(folder.path), pieceByteCount: Self.piece) == nil)
        #expect(RemovedFile("absent", in: try OpenFolder(folder.path), pieceByteCount: Self.piece) == nil)
    }

    /// Whether the room is given back at last: a process that another test starts has all descriptors of this one until
    /// its program begins, and is a user until then.
    private static func isGivenBack(_ file: RemovedFile) -> Bool {
        for _ in 0..<1_000 {
            if file.giveBackRoom() { return true }
            usleep(10_000)
        }
        return false
    }

    /// The descriptor by which this process has a file open.
    private static func descriptor(of path: String) -> Int32? {
        (0..<4096).first { number in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
        }
    }
}
