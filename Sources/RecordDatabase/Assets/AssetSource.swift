// Files of assets that are kept elsewhere, and copied into the folder when somebody wants them.

import FoundationEssentials
import Glibc
package import RecordModel
import RecordStorage

/// Keeps the bytes of assets where several processes get them. May be called from any thread that may wait.
package protocol AssetSource: Sendable {
    /// Gives the bytes of a digest, piece by piece.
    ///
    /// - Returns: Whether there are such bytes.
    /// - Throws: `DatabaseError`, also what `take` throws.
    func readAsset(
        _ digest: String, _ take: ([UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Bool
}

extension AssetFolder {
    /// Makes sure that the file of an asset can be read: one that is not there is copied from where it is kept.
    ///
    /// - Parameter key: The field of the asset, for messages.
    /// - Throws: `DatabaseError` of code `assetNotAvailable`, and others where it cannot be told.
    func checkIsReadable(_ asset: Asset, key: String) throws(DatabaseError) {
        if unsafe Glibc.access(asset.path, R_OK) == 0 { return }
        if let source, owns(asset), try copy(name(of: asset), from: source) { return }
        throw DatabaseError(.assetNotAvailable, "field \(key): the file of the asset is not there")
    }

    /// - Returns: Whether the bytes are there, and are those of the digest.
    private func copy(_ digest: String, from source: any AssetSource) throws(DatabaseError) -> Bool {
        let folder = try begin()
        defer { end() }
        let temporary = AssetName.ofNewCopy()
        let output: Int32
        do throws(StorageError) { output = try folder.makeFile(temporary) } catch { throw Self.unwritable(error) }
        defer {
            close(output)
            folder.remove(temporary)
        }
        var hash = SHA256()
        let isThere = try source.readAsset(digest) { bytes throws(DatabaseError) in
            hash.update(bytes[...])
            try write(bytes[...], to: output)
        }
        guard isThere, hash.hexDigest() == digest else { return false }
        do throws(StorageError) { try place(temporary, as: digest, in: folder) } catch { throw Self.unwritable(error) }
        return true
    }
}
