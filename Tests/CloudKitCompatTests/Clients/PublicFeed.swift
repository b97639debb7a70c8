// A feed in the public database, as of 2016: `perform`, pages by cursors, groups of calls, archives of that time.

import CloudKitCompat
import Foundation

public final class PublicFeed: NSObject, @unchecked Sendable {
    public static let didChange = Notification.Name("PublicFeedDidChange")
    let container: CKContainer
    let publicDatabase: CKDatabase
    private let queue = DispatchQueue(label: "PublicFeed")
    private var posts: [CKRecord] = []
    private var observer: (any NSObjectProtocol)?
    public private(set) var cursor: CKQueryOperation.Cursor?

    public init(container: CKContainer) {
        self.container = container
        self.publicDatabase = container.publicCloudDatabase
        super.init()
        observer = NotificationCenter.default.addObserver(
            forName: .CKAccountChanged, object: container, queue: nil
        ) { [weak self] _ in
            guard let self else { return }
            self.queue.async { self.posts.removeAll() }
        }
    }

    public var titles: [String] { queue.sync { posts.compactMap { $0["title"] as? String } } }

    public func publish(_ titles: [String], completion: @escaping @Sendable (Error?) -> Void) {
        let group = DispatchGroup()
        let lock = NSLock()
        nonisolated(unsafe) var failure: Error?
        for (index, title) in titles.enumerated() {
            let record = CKRecord(recordType: "Post", recordID: CKRecord.ID(recordName: "post-\(index)"))
            record["title"] = title as CKRecordValue
            record["order"] = index as CKRecordValue
            group.enter()
            publicDatabase.save(record) { saved, error in
                lock.lock()
                failure = failure ?? error
                lock.unlock()
                group.leave()
            }
        }
        group.notify(queue: .global()) { completion(failure) }
    }

    /// All pages, each by an operation that the one before has made.
    public func loadAll(limit: Int, completion: @escaping (Int, Error?) -> Void) {
        let query = CKQuery(recordType: "Post", predicate: NSPredicate(format: "TRUEPREDICATE"))
        query.sortDescriptors = [NSSortDescriptor(key: "order", ascending: false)]
        run(CKQueryOperation(query: query), limit: limit, pages: 0, completion: completion)
    }

    private func run(
        _ operation: CKQueryOperation, limit: Int, pages: Int, completion: @escaping (Int, Error?) -> Void
    ) {
        operation.resultsLimit = limit
        operation.desiredKeys = ["title"]
        operation.recordFetchedBlock = { record in self.queue.sync { self.posts.append(record) } }
        operation.queryCompletionBlock = { [weak self] (cursor, error) in
            guard let self = self else { return }
            if let error = error {
                completion(pages, error)
            } else if let cursor = cursor {
                self.cursor = cursor
                self.run(CKQueryOperation(cursor: cursor), limit: limit, pages: pages + 1, completion: completion)
            } else {
                NotificationCenter.default.post(name: PublicFeed.didChange, object: self)
                completion(pages + 1, nil)
            }
        }
        publicDatabase.add(operation)
    }

    /// The first match, all records at once.
    public func find(_ title: String, completion: @escaping @Sendable (CKRecord?, Error?) -> Void) {
        let predicate = NSPredicate(format: "%K == %@", "title", title)
        publicDatabase.perform(CKQuery(recordType: "Post", predicate: predicate), inZoneWith: nil) { results, error in
            if let error = error as? CKError, error.code == CKError.Code.unknownItem {
                completion(nil, nil)
                return
            }
            completion(results?.first, error)
        }
    }

    public func author(of record: CKRecord, completion: @escaping @Sendable (CKUserIdentity?, Error?) -> Void) {
        guard let id = record.creatorUserRecordID else { return completion(nil, nil) }
        container.requestApplicationPermission(.userDiscoverability) { status, error in
            guard status == .granted, error == nil else { return completion(nil, error) }
            self.container.discoverUserIdentity(withUserRecordID: id, completionHandler: completion)
        }
    }

    /// The records' system fields in an archive, and back.
    public func archive() -> Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        queue.sync {
            coder.encode(posts.count, forKey: "count")
            posts.first?.encodeSystemFields(with: coder)
        }
        coder.finishEncoding()
        return coder.encodedData
    }

    public static func firstPost(in archive: Data) throws -> CKRecord? {
        let coder = try NSKeyedUnarchiver(forReadingFrom: archive)
        coder.requiresSecureCoding = true
        defer { coder.finishDecoding() }
        return coder.decodeInteger(forKey: "count") > 0 ? CKRecord(coder: coder) : nil
    }

    public func userRecord(completion: @escaping @Sendable (CKRecord?, Error?) -> Void) {
        container.fetchUserRecordID { recordID, error in
            guard let recordID = recordID else { return completion(nil, error) }
            self.publicDatabase.fetch(withRecordID: recordID, completionHandler: completion)
        }
    }
}
