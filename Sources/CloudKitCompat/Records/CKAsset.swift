// Assets under CloudKit's names.

public import Foundation
public import RecordDatabase

/// Bytes kept beside a record, in a file. An asset made of a file belongs to the first record that is saved with it.
public final class CKAsset: NSObject, Sendable {
    let asset: Asset

    /// An asset of a file; one of a URL of anything else has no file, and cannot be saved.
    public init(fileURL: URL) { asset = (try? Asset(fileURL: fileURL)) ?? Asset(path: "") }

    /// The same asset under CloudKit's name.
    public init(_ asset: Asset) { self.asset = asset }

    /// The file that holds the bytes; `nil` when they cannot be had, as in the server record of a conflict.
    public var fileURL: URL? { asset.fileURL }

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKAsset)?.asset == asset }
    public override var hash: Int { asset.hashValue }
    /// No path, which may say who the user is.
    public override var description: String { "<CKAsset>" }
}
