// Large files that are removed give back their room in pieces, and only when nobody uses them.

import FoundationEssentials
import Glibc
import Testing

@testable import Campaigns
@testable import RecordStorage

/// A file system that lies over another one, as far as the machine lets a test have one.
private final class Overlay {
    private let folder: TemporaryFolder
    var path: String { folder.file("over") }

    static let canBeMounted = (try? Overlay()) != nil

    init() throws {
        folder = try TemporaryFolder()
        for name in ["below", "changes", "work", "over"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        let parts = [("lowerdir", "below"), ("upperdir", "changes"), ("workdir", "work")]
        let options = parts.map { "\($0)=\(folder.file($1))" }.joined(separator: ",")
        let mount = ChildProcess.run(["/usr/bin/env", "mount", "-t", "overlay", "-o", options, "overlay", path])
        if mount.status != 0 { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit { _ = ChildProcess.run(["/usr/bin/env", "umount", "-l", path]) }
}

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

    /// Such a file system takes who has mapped a file for no user: the file goes as a whole, with its last one, and
    /// nobody waits for that.
    @Test(.enabled(if: Overlay.canBeMounted, "no file system can be mounted over another"))
    func filesOverOthersAreNotCutOff() throws {
        let overlay = try Overlay()
        let path = overlay.path + "/large"
        try Data(repeating: 7, count: Self.size).write(to: URL(filePath: path))
        let opened = try OpenFolder(overlay.path)
        let file = try #require(RemovedFile("large", in: opened, pieceByteCount: Self.piece))
        let own = try #require(Self.descriptor(of: path))
        let reader = open(path, O_RDONLY | O_CLOEXEC)
        let map = mmap(nil, Self.size, PROT_READ, MAP_SHARED, reader, 0)
        close(reader)
        defer { munmap(map, Self.size) }
        #expect(opened.remove("large"))
        #expect(file.giveBackRoom())
        // Reading behind the end would end the process.
        var status = stat()
        #expect(stat("/proc/self/fd/\(own)", &status) == 0)
        #expect(status.st_size == off_t(Self.size))
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
