// The records as batches must have left them.

import PredicateSemantics
import RecordDatabase
import RecordModel

/// What is stored after some batch.
struct CrashModel {
    /// Number of the last batch.
    var last = 0
    var privateRecords: [String: [String: FieldValue]] = [:]
    var publicRecords: [String: [String: FieldValue]] = [:]
    /// Names in the zone that were saved or deleted since changes were listed last.
    var touched: Set<String> = []
    /// Names that were there when changes were listed last.
    var listed: Set<String> = []

    mutating func apply(_ batch: CrashBatch) {
        last = batch.number
        var records = batch.isPublic ? publicRecords : privateRecords
        for (name, fields) in batch.saves { records[name, default: [:]].merge(fields) { $1 } }
        for name in batch.deletes { records[name] = nil }
        if batch.isPublic {
            publicRecords = records
        } else {
            touched.formUnion(batch.saves.map(\.name) + batch.deletes)
            privateRecords = records
        }
    }

    /// Whether the records of a container are these.
    func holds(_ container: Container) async throws -> Bool {
        let found = try await Self.publicRecords(container)
        return try publicRecords == found && privateRecords == Self.privateRecords(container)
    }

    /// The records of the private zone; none when there is no zone yet.
    static func privateRecords(_ container: Container) throws -> [String: [String: FieldValue]] {
        let changes = try? container.privateDatabase.zoneChanges(CrashBatch.zone, since: nil, limit: 1_000_000)
        var records: [String: [String: FieldValue]] = [:]
        for (id, result) in changes?.modifications ?? [] { records[id.recordName] = try result.get().fields }
        return records
    }

    /// The records of the public database; none as long as nothing of the type was saved.
    static func publicRecords(_ container: Container) async throws -> [String: [String: FieldValue]] {
        var records: [String: [String: FieldValue]] = [:]
        guard container.schema.recordTypes[CrashBatch.type] != nil else { return records }
        let found = try await container.publicDatabase.recordPage(
            matching: Query(CrashBatch.type), in: .default, resultsLimit: 1_000_000)
        for (id, result) in found.matchResults { records[id.recordName] = try result.get().fields }
        return records
    }

    /// Compares the answers that indexes give with those of looking at every record of the zone; `nil` when they are
    /// right.
    func faultOfResults(_ container: Container, number: Int64, word: String) async throws -> String? {
        if privateRecords.isEmpty { return nil }
        let cases: [(RecordPredicate, ([String: FieldValue]) -> Bool)] = [
            ("batch == \(number)", { $0["batch"] == .int64(number) }),
            (
                "half >= \(Double(number) / 2)",
                { if case .double(let half)? = $0["half"] { half >= Double(number) / 2 } else { false } }
            ),
            (
                "tags CONTAINS \(word)",
                { if case .list(let tags)? = $0["tags"] { tags.contains(.string(word)) } else { false } }
            ),
            (
                "text BEGINSWITH \(word)",
                { if case .string(let text)? = $0["text"] { text.hasPrefix(word + " ") } else { false } }
            ),
        ]
        for (predicate, test) in cases {
            let found = try await container.privateDatabase.recordPage(
                matching: Query(CrashBatch.type, predicate), in: .zone(CrashBatch.zone), resultsLimit: 1_000_000)
            let names = Set(found.matchResults.map(\.0.recordName))
            let expected = Set(privateRecords.filter { test($0.value) }.keys)
            guard names == expected else {
                return "\(predicate): \(names.count) found instead of \(expected.count)"
            }
        }
        return nil
    }
}
