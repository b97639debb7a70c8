// Photos as assets: files that are written for them, references to albums, downloads with progress, thumbnails.

import CloudKitCompat
import Foundation

public struct Photo: Sendable {
    public let id: CKRecord.ID
    public let caption: String
    public let bytes: Int
}

public final class PhotoAlbum: @unchecked Sendable {
    private let database: CKDatabase
    private let folder: URL
    public let album: CKRecord

    public init(database: CKDatabase, folder: URL, name: String) {
        (self.database, self.folder) = (database, folder)
        album = CKRecord(recordType: "Album", recordID: CKRecord.ID(recordName: "album-" + name))
        album["name"] = name
    }

    private func asset(of data: Data) throws -> CKAsset {
        let url = folder.appendingPathComponent(UUID().uuidString).appendingPathExtension("jpg")
        try data.write(to: url)
        return CKAsset(fileURL: url)
    }

    public func upload(_ images: [(caption: String, data: Data)]) async throws {
        var records = [album]
        for image in images {
            let photo = CKRecord(recordType: "Photo")
            photo["caption"] = image.caption
            photo["image"] = try asset(of: image.data)
            photo["thumbnail"] = image.data.prefix(16)
            photo["album"] = CKRecord.Reference(record: album, action: .deleteSelf)
            photo["taken"] = Date()
            photo.encryptedValues["where"] = "at home"
            records.append(photo)
        }
        let (results, _) = try await database.modifyRecords(saving: records, deleting: [], savePolicy: .allKeys)
        for result in results.values { _ = try result.get() }
    }

    public func photos() async throws -> [Photo] {
        let reference = CKRecord.Reference(recordID: album.recordID, action: .none)
        let query = CKQuery(recordType: "Photo", predicate: NSPredicate(format: "album == %@", reference))
        query.sortDescriptors = [NSSortDescriptor(key: "caption", ascending: true)]
        let (results, _) = try await database.records(matching: query, desiredKeys: ["caption", "image"])
        return try results.map { id, result in
            let record = try result.get()
            guard let asset = record["image"] as? CKAsset, let url = asset.fileURL else {
                throw CKError(.assetNotAvailable)
            }
            return Photo(id: id, caption: record["caption"] as? String ?? "", bytes: try Data(contentsOf: url).count)
        }
    }

    /// With progress, as downloads show it.
    public func download(
        _ ids: [CKRecord.ID], progress: @escaping (Double) -> Void, completion: @escaping (Error?) -> Void
    ) {
        let total = Progress(totalUnitCount: Int64(ids.count))
        let operation = CKFetchRecordsOperation(recordIDs: ids)
        operation.perRecordProgressBlock = { _, done in
            if done >= 1 {
                total.completedUnitCount += 1
                progress(total.fractionCompleted)
            }
        }
        operation.fetchRecordsCompletionBlock = { _, error in completion(error) }
        database.add(operation)
    }

    /// The photos go with their album.
    public func remove() async throws { try await database.deleteRecord(withID: album.recordID) }
}
