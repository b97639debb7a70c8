// Bytes beside records.

public import FoundationEssentials
import Synchronization

/// Bytes kept outside the record, in a file of their own.
///
/// A save copies the file into the database's folder, where it is named by its content; the asset of a fetched record
/// names the copy.
public struct Asset: Sendable, Codable {
    /// Path of the file that holds the bytes; empty when they cannot be had.
    public let path: String
    /// Size in bytes, where known.
    public let size: Int64?
    private let claim: Claim?

    /// The record that an asset was saved in first: an asset that was made once belongs to one record.
    private final class Claim: Sendable {
        let owner = Mutex<Record.ID?>(nil)
    }

    private enum CodingKeys: String, CodingKey { case path, size }

    /// An asset of the file at a path, not checked here; records of files have such.
    public init(path: String, size: Int64? = nil) {
        self.path = path
        self.size = size
        claim = nil
    }

    /// A new asset of the bytes of a file, for one record.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a URL that names no file.
    public init(fileURL: URL) throws(DatabaseError) {
        guard fileURL.isFileURL else { throw DatabaseError(.invalidArguments, "the URL of an asset names no file") }
        path = fileURL.path
        size = nil
        claim = Claim()
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            path: try container.decode(String.self, forKey: .path),
            size: try container.decodeIfPresent(Int64.self, forKey: .size))
    }

    /// The file that holds the bytes; `nil` when they cannot be had, as in the server record of a conflict.
    public var fileURL: URL? { path.isEmpty ? nil : URL(filePath: path) }

    /// Whether the assets are one: of a file whose bytes are others by now, another one is made.
    func isSame(as other: Asset) -> Bool { self == other && claim === other.claim }

    /// Whether a record may have the asset: the first one to claim it, or any for assets that were not made from a URL.
    package func claim(for id: Record.ID) -> Bool {
        guard let claim else { return true }
        return claim.owner.withLock { owner in
            if owner == nil { owner = id }
            return owner == id
        }
    }
}

extension Asset: Hashable {
    public static func == (a: Asset, b: Asset) -> Bool { a.path == b.path && a.size == b.size }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(size)
    }
}
