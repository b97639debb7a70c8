// The calls of a process that changed files, as Tests/CommandTests/Fixtures/Faults/record.c wrote them down.

import FoundationEssentials
import Glibc

/// A call to the system. Files have the numbers of the file system, and paths begin in the folder that was recorded,
/// which is the empty path.
enum RecordedCall: Hashable, CustomStringConvertible {
    /// What the process printed.
    case mark(String)
    /// A new file; without a path when it has no name yet.
    case create(file: UInt64, path: String)
    case write(file: UInt64, path: String, offset: Int, bytes: [UInt8], isSynced: Bool)
    case truncate(file: UInt64, path: String, length: Int)
    /// Room at the end of the file.
    case extend(file: UInt64, path: String, length: Int)
    /// Of a file or of a folder.
    case sync(file: UInt64, path: String)
    case syncAll
    case rename(from: String, to: String)
    case exchange(String, String)
    case link(file: UInt64, path: String)
    case unlink(path: String)
    case makeFolder(path: String)
    case removeFolder(path: String)
    /// A map through which the file can be written, and nothing of that is seen.
    case map(path: String)

    var description: String {
        switch self {
        case .mark(let text): "mark \(text)"
        case .create(_, let path): "create \(path)"
        case .write(_, let path, let offset, let bytes, let isSynced):
            "write \(path) \(bytes.count) at \(offset)\(isSynced ? ", synced" : "")"
        case .truncate(_, let path, let length): "truncate \(path) to \(length)"
        case .extend(_, let path, let length): "extend \(path) to \(length)"
        case .sync(_, let path): "sync \(path)"
        case .syncAll: "sync all"
        case .rename(let from, let to): "rename \(from) to \(to)"
        case .exchange(let first, let second): "exchange \(first) and \(second)"
        case .link(_, let path): "link \(path)"
        case .unlink(let path): "unlink \(path)"
        case .makeFolder(let path): "make folder \(path)"
        case .removeFolder(let path): "remove folder \(path)"
        case .map(let path): "map \(path)"
        }
    }
}

/// Records the calls of processes.
struct CallRecorder {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The library that records.
    let library: String

    /// Builds the library.
    ///
    /// - Parameters:
    ///   - folder: Where it is put.
    ///   - project: The folder of the project's sources.
    init(in folder: String, project: String) throws {
        library = folder + "/record.so"
        try Self.build("record.c", as: library, project: project)
    }

    /// Builds one of the libraries that stand before the C library.
    static func build(_ source: String, as library: String, project: String) throws {
        let path = "\(project)/Tests/CommandTests/Fixtures/Faults/\(source)"
        let outcome = ChildProcess.run([
            "/usr/bin/env", "cc", "-shared", "-fPIC", "-O1", "-o", library, path, "-ldl",
        ])
        guard outcome.status == 0 else { throw Failure(description: "\(path) cannot be built") }
    }

    /// Runs a process to its end, and gives its calls.
    ///
    /// - Parameters:
    ///   - root: The folder that is recorded. It is there, and has no links in its path.
    ///   - record: The file to record in, which is removed; it lies elsewhere.
    func calls(of arguments: [String], in root: String, record: String) throws -> [RecordedCall] {
        unsafe unlink(record)
        defer { unsafe unlink(record) }
        let outcome = ChildProcess.run(
            arguments, environment: ["LD_PRELOAD": library, "RECORD_FOLDER": root, "RECORD_FILE": record])
        guard outcome.status == 0, let bytes = FileManager.default.contents(atPath: record) else {
            throw Failure(description: "the writer ended with status \(outcome.status): \(outcome.lines.suffix(3))")
        }
        return try Self.calls(Array(bytes), root: root)
    }

    // MARK: Reading

    private static let headSize = 40

    /// Reads a record.
    static func calls(_ bytes: [UInt8], root: String) throws -> [RecordedCall] {
        var calls: [RecordedCall] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= headSize else { throw Failure(description: "the record ends in an entry") }
            let head = rest.prefix(headSize)
            func number(_ place: Int, _ size: Int) -> UInt64 {
                head.dropFirst(place).prefix(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            rest = rest.dropFirst(headSize)
            func text(_ length: UInt64) -> [UInt8] {
                defer { rest = rest.dropFirst(Int(length)) }
                return Array(rest.prefix(Int(length)))
            }
            let lengths = [number(24, 4), number(28, 4), number(32, 8)]
            guard lengths.reduce(0, +) <= UInt64(rest.count) else {
                throw Failure(description: "the record ends in an entry")
            }
            let (path, target) = (relative(text(lengths[0]), root), relative(text(lengths[1]), root))
            let entry = Entry(
                kind: number(0, 4), flag: number(4, 4) != 0, file: number(8, 8), offset: Int(number(16, 8)),
                path: path, target: target, bytes: text(lengths[2]))
            guard let call = entry.call else { throw Failure(description: "a call of kind \(entry.kind)") }
            calls.append(call)
        }
        return calls
    }

    private static func relative(_ path: [UInt8], _ root: String) -> String {
        let path = String(decoding: path, as: UTF8.self)
        guard path.hasPrefix(root) else { return path }
        return String(path.dropFirst(root.count).drop { $0 == "/" })
    }

    private struct Entry {
        let kind: UInt64
        let flag: Bool
        let file: UInt64
        let offset: Int
        let path: String
        let target: String
        let bytes: [UInt8]

        var call: RecordedCall? {
            switch kind {
            case 1: .mark(String(decoding: bytes, as: UTF8.self))
            case 2: .create(file: file, path: path)
            case 3: .write(file: file, path: path, offset: offset, bytes: bytes, isSynced: flag)
            case 4: .truncate(file: file, path: path, length: offset)
            case 5: .extend(file: file, path: path, length: offset)
            case 6: .sync(file: file, path: path)
            case 7: flag ? .exchange(path, target) : .rename(from: path, to: target)
            case 8: .link(file: file, path: target)
            case 9: .unlink(path: path)
            case 10: .makeFolder(path: path)
            case 11: .removeFolder(path: path)
            case 12: .map(path: path)
            case 13: .syncAll
            default: nil
            }
        }
    }
}
