// A model of a view, on the main actor: functions that wait, handlers that come back to the main actor, calls at the
// same time, and a query that is typed ahead.

import CloudKitCompat
import Foundation

public struct NoteItem: Identifiable, Hashable, Sendable {
    public let id: CKRecord.ID
    public var text: String
    public var isPinned: Bool

    init?(_ record: CKRecord) {
        guard record.recordType == "Note", let text = record["text"] as? String else { return nil }
        id = record.recordID
        self.text = text
        isPinned = record["isPinned"] as? Bool ?? false
    }
}

@MainActor
public final class NotesModel {
    public private(set) var notes: [NoteItem] = []
    public private(set) var status = CKAccountStatus.couldNotDetermine
    public private(set) var userName: String?
    public private(set) var message: String?
    public private(set) var isLoading = false
    private let container: CKContainer
    private lazy var database = container.privateCloudDatabase
    private var loading: Task<Void, Never>?

    public init(container: CKContainer = .default()) { self.container = container }

    public func start() async {
        do {
            async let status = container.accountStatus()
            async let user = container.userRecordID()
            (self.status, userName) = try await (status, user.recordName)
        } catch let error as CKError where error.code == .notAuthenticated {
            message = "not signed in"
        } catch {
            message = error.localizedDescription
        }
        switch status {
        case .available: message = nil
        case .noAccount, .restricted: message = "no account"
        case .couldNotDetermine, .temporarilyUnavailable: message = "later"
        @unknown default: message = "?"
        }
    }

    public func add(_ texts: [String]) async throws {
        let database = database
        try await withThrowingTaskGroup(of: CKRecord.self) { group in
            for text in texts {
                group.addTask {
                    let record = CKRecord(recordType: "Note")
                    record["text"] = text
                    record["isPinned"] = text.hasPrefix("!")
                    return try await database.save(record)
                }
            }
            for try await record in group { if let note = NoteItem(record) { notes.append(note) } }
        }
        notes.sort { $0.text < $1.text }
    }

    public func reload(matching prefix: String = "") async {
        isLoading = true
        defer { isLoading = false }
        let predicate = prefix.isEmpty ? NSPredicate(value: true) : NSPredicate(format: "text BEGINSWITH %@", prefix)
        let query = CKQuery(recordType: "Note", predicate: predicate)
        query.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        do {
            var found: [NoteItem] = []
            var (results, cursor) = try await database.records(matching: query, resultsLimit: 3)
            found += results.compactMap { try? $0.1.get() }.compactMap(NoteItem.init)
            while let next = cursor {
                (results, cursor) = try await database.records(continuingMatchFrom: next, resultsLimit: 3)
                found += results.compactMap { try? $0.1.get() }.compactMap(NoteItem.init)
            }
            notes = found
        } catch {
            message = "\(error)"
        }
    }

    /// What is typed ends the query for what was typed before.
    public func type(_ prefix: String) -> Task<Void, Never> {
        loading?.cancel()
        let task = Task { await reload(matching: prefix) }
        loading = task
        return task
    }

    /// With a handler, which comes back to the main actor.
    public func remove(_ note: NoteItem, completion: @escaping @MainActor (Error?) -> Void) {
        database.delete(withRecordID: note.id) { [weak self] id, error in
            Task { @MainActor in
                if error == nil { self?.notes.removeAll { $0.id == id } }
                completion(error)
            }
        }
    }

    /// An operation whose blocks come back by the main queue.
    public func pinAll() {
        let operation = CKFetchRecordsOperation(recordIDs: notes.map(\.id))
        operation.desiredKeys = ["isPinned"]
        operation.qualityOfService = .userInitiated
        operation.perRecordResultBlock = { id, result in
            if case .success(let record) = result { record["isPinned"] = true }
        }
        operation.fetchRecordsResultBlock = { result in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    if case .failure(let error) = result { self.message = error.localizedDescription }
                }
            }
        }
        database.add(operation)
    }
}
