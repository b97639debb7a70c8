// The files of the page, as they are sent.

import CCompression
import CExplorePage
import FoundationEssentials

/// A file of the page, for a client that unpacks gzip and for one that does not.
struct PageFile: Sendable {
    let type: String
    /// As the program has it: outlines of the world are packed there already.
    let bytes: [UInt8]
    /// A gzip stream.
    let packed: [UInt8]

    init(type: String, bytes: [UInt8]) {
        (self.type, self.bytes) = (type, bytes)
        packed = Self.isPacked(bytes) ? bytes : Self.gzip(bytes)
    }

    /// All files by their paths. They are packed once, when the first is requested.
    static let all: [String: PageFile] = {
        var files: [String: PageFile] = [:]
        var number = 0
        while let file = unsafe cexplore_page(number)?.pointee {
            number += 1
            // SAFETY: constants of the program.
            let (path, type) = unsafe (String(cString: file.path), String(cString: file.type))
            let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.length))
            files[path] = PageFile(type: type, bytes: bytes)
        }
        return files
    }()

    /// Headers and bytes for a client.
    ///
    /// - Parameter accepted: The values of its headers `Accept-Encoding`.
    func reply(accepting accepted: [String]) -> (headers: [(name: String, value: String)], bytes: [UInt8]) {
        let isSmaller = !packed.isEmpty && packed.count < bytes.count && Self.isAccepted("gzip", in: accepted)
        let sent = isSmaller ? packed : bytes
        let encoding = Self.isPacked(sent) ? [("Content-Encoding", "gzip")] : []
        return ([("Content-Type", type), ("Vary", "Accept-Encoding")] + encoding, sent)
    }

    /// Whether an encoding is named, or all are, and not with the weight 0.
    static func isAccepted(_ encoding: String, in values: [String]) -> Bool {
        let items = values.flatMap { $0.split(separator: ",") }.map { item in
            let parts = item.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return (name: parts.first ?? "", isWanted: weight != 0)
        }
        return (items.first { $0.name == encoding } ?? items.first { $0.name == "*" })?.isWanted ?? false
    }

    private static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Empty where there is no memory for it.
    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let room = ccompression_gzip_room(bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            // SAFETY: no more is written than the room that is given.
            count = unsafe ccompression_gzip(bytes, bytes.count, start, room)
        }
    }
}
