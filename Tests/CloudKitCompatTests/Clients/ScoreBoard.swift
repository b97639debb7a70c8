// Scores with results as callbacks: generic decoding, the user's record, lists of references, deletions by query.

import CloudKitCompat
import Foundation

public protocol RecordDecodable {
    static var recordType: CKRecord.RecordType { get }
    init(record: CKRecord) throws
}

public enum ScoreError: Error { case missing(field: String, in: CKRecord.ID) }

public struct Score: RecordDecodable, Equatable, Sendable {
    public static let recordType = "Score"
    public let player: String
    public let points: Int
    public let friends: [CKRecord.ID]

    public init(record: CKRecord) throws {
        func field<Value>(_ name: String) throws -> Value {
            guard let value = record[name] as? Value else { throw ScoreError.missing(field: name, in: record.recordID) }
            return value
        }
        player = try field("player")
        points = try field("points")
        friends = (record["friends"] as? [CKRecord.Reference] ?? []).map(\.recordID)
    }
}

public final class ScoreBoard: Sendable {
    public typealias Completion<Value> = @Sendable (Result<Value, Error>) -> Void
    private let container: CKContainer
    private var database: CKDatabase { container.publicCloudDatabase }
    public init(container: CKContainer) { self.container = container }

    public func fetch<Value: RecordDecodable & Sendable>(
        _ type: Value.Type, limit: Int = CKQueryOperation.maximumResults, completion: @escaping Completion<[Value]>
    ) {
        let query = CKQuery(recordType: Value.recordType, predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "points", ascending: false)]
        database.fetch(
            withQuery: query, inZoneWith: nil, desiredKeys: ["player", "points", "friends"], resultsLimit: limit
        ) { result in
            completion(
                result.flatMap { matchResults, queryCursor in
                    Result { try matchResults.map { try Value(record: $0.1.get()) } }
                })
        }
    }

    public func submit(
        _ player: String, _ points: Int, friends: [CKRecord] = [], completion: @escaping Completion<CKRecord>
    ) {
        let record = CKRecord(recordType: Score.recordType, recordID: .init(recordName: "score-" + player))
        record["player"] = player
        record["points"] = points
        record["friends"] = friends.map { CKRecord.Reference(record: $0, action: .none) }
        database.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys) { result in
            switch result {
            case .success((let saveResults, _)):
                completion(saveResults[record.recordID] ?? .failure(CKError(.unknownItem)))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Where the user keeps their nickname: their own record.
    public func setNickname(_ name: String, completion: @escaping Completion<String?>) {
        let fetch = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
        fetch.perRecordResultBlock = { [database] _, result in
            switch result {
            case .success(let user):
                user["nickname"] = name
                database.save(user) { saved, error in
                    if let error {
                        completion(.failure(error))
                    } else {
                        completion(.success(saved?["nickname"] as? String))
                    }
                }
            case .failure(let error): completion(.failure(error))
            }
        }
        database.add(fetch)
    }

    public func deleteAll(below points: Int) async throws -> Int {
        let query = CKQuery(recordType: Score.recordType, predicate: NSPredicate(format: "points < %i", points))
        var deleted = 0
        var page = try await database.records(matching: query, desiredKeys: [])
        while true {
            let ids = page.matchResults.map(\.0)
            if !ids.isEmpty {
                let results = try await database.modifyRecords(saving: [], deleting: ids).deleteResults
                deleted += results.values.filter { if case .success = $0 { true } else { false } }.count
            }
            guard let cursor = page.queryCursor else { return deleted }
            page = try await database.records(continuingMatchFrom: cursor)
        }
    }
}
