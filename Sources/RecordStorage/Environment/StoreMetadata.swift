// What a store says about itself.

import FoundationEssentials

/// The form of a store, and whose data it holds. Which ICU made indexes of text is said by each file of records.
package struct StoreMetadata: Hashable, Sendable, Codable {
    /// The form that this version of the library writes. A store of a higher number is not opened.
    package static let currentFormat = 2

    package var format = currentFormat
    /// The identifier of the container whose data the store holds.
    package var identifier: String
    /// The folder that the paths of assets lead to.
    package var assetFolder: String
    /// Which history of changes the store continues; `nil` for a store that only older versions have written.
    package internal(set) var generation: StoreGeneration?

    package init(identifier: String, assetFolder: String) {
        self.identifier = identifier
        self.assetFolder = assetFolder
    }

    private struct Form: Codable { var format: Int }

    /// - Throws: `StorageError` of codes `incompatibleVersion` and `corrupted`.
    init(_ bytes: [UInt8], path: String) throws(StorageError) {
        let decoder = JSONDecoder()
        let data = Data(bytes)
        guard let form = try? decoder.decode(Form.self, from: data) else {
            throw StorageError(.corrupted, path: path, "the store does not say which form it has")
        }
        guard form.format <= Self.currentFormat else {
            throw StorageError(
                .incompatibleVersion, path: path,
                "the store has form \(form.format), and this version knows forms up to \(Self.currentFormat)",
                hint: "use the version that wrote it, or a newer one")
        }
        guard let metadata = try? decoder.decode(Self.self, from: data) else {
            throw StorageError(.corrupted, path: path, "what the store says about itself cannot be read")
        }
        self = metadata
    }

    /// - Throws: `StorageError` when it cannot be encoded.
    func bytes(path: String) throws(StorageError) -> [UInt8] {
        guard let data = try? JSONEncoder().encode(self) else {
            throw StorageError(.ioFailure, path: path, "what the store says about itself cannot be written")
        }
        return Array(data)
    }
}
