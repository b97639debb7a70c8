// The records that references of other records lead to.

public import QueryFrontEnds
public import RecordModel

extension RecordReading {
    /// The records that the references of others lead to, by identifier.
    ///
    ///     let related = try snapshot.related(to: cities, along: "country.continent")
    ///     if case .reference(let country) = cities[0]["country"] { print(related[country.recordID]?["name"]) }
    ///
    /// - Parameters:
    ///   - records: The records to begin with.
    ///   - path: A field that holds references or lists of them, or several of them in turn: `country.continent`.
    /// - Returns: The records of all steps of the path, without those that are not there any more or may not be read.
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(references): each record is fetched once.
    public func related(
        to records: some Sequence<Record>, along path: String
    ) throws(DatabaseError) -> [Record.ID: Record] {
        var walk = ReferenceWalk(from: records, along: path)
        while let ids = walk.wanted() {
            for id in ids { walk.take(try readable(id), for: id) }
        }
        return walk.found
    }

    /// The value that a reference leads to; `nil` where its record is not there any more or may not be read.
    ///
    /// - Throws: `DatabaseError`; `RecordCodingError` when the record is no value of the type.
    public func value<Target: RecordConvertible>(referencedBy reference: RecordReference.To<Target>) throws -> Target? {
        try readable(reference.recordID)?.value()
    }

    /// The values that references lead to, by identifier, without those that are not there any more or may not be
    /// read.
    ///
    ///     let countries = try snapshot.values(referencedBy: cities.compactMap(\.country))
    ///
    /// - Throws: `DatabaseError`; `RecordCodingError` when a record is no value of the type.
    /// - Complexity: O(references): each record is fetched once.
    public func values<Target: RecordConvertible>(
        referencedBy references: some Sequence<RecordReference.To<Target>>
    ) throws -> [Record.ID: Target] {
        var values: [Record.ID: Target] = [:]
        for id in Set(references.map(\.recordID)) { values[id] = try readable(id)?.value() }
        return values
    }
}

extension CloudDatabase {
    /// The records that the references of others lead to, by identifier.
    ///
    /// Each step of the path is a request, or several where there are more records than one takes; in `Database.read`,
    /// `related(to:along:)` gives those of one moment.
    ///
    /// - Parameters:
    ///   - records: The records to begin with.
    ///   - path: A field that holds references or lists of them, or several of them in turn: `country.continent`.
    /// - Returns: The records of all steps of the path, without those that are not there any more or may not be read.
    /// - Throws: `DatabaseError`.
    public func related(
        to records: [Record], along path: String
    ) async throws(DatabaseError) -> [Record.ID: Record] {
        var walk = ReferenceWalk(from: records, along: path)
        while let ids = walk.wanted() {
            for (id, result) in try await fetchInParts(ids[...]) {
                do throws(DatabaseError) {
                    walk.take(try result.get(), for: id)
                } catch {
                    guard error.isOfNoReadableRecord else { throw error }
                    walk.take(nil, for: id)
                }
            }
        }
        return walk.found
    }

    /// Records by their identifiers, in halves where there are more than a request takes.
    private func fetchInParts(
        _ ids: ArraySlice<Record.ID>
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        do throws(DatabaseError) {
            return try await records(for: Array(ids), desiredKeys: nil)
        } catch {
            guard error.code == .limitExceeded, ids.count > 1 else { throw error }
            let half = ids.startIndex + ids.count / 2
            let (first, second) = (try await fetchInParts(ids[..<half]), try await fetchInParts(ids[half...]))
            return first.merging(second) { $1 }
        }
    }
}

/// A walk from records along fields of references, a field at a time.
private struct ReferenceWalk {
    /// What was reached.
    private(set) var found: [Record.ID: Record] = [:]
    /// What was looked for: what is not among `found` is not there.
    private var visited: Set<Record.ID> = []
    /// The records that the fields that are left begin at.
    private var current: [Record]
    private var fields: ArraySlice<Substring>
    /// What the last field leads to.
    private var step: Set<Record.ID> = []

    init(from records: some Sequence<Record>, along path: String) {
        current = Array(records)
        fields = path.split(separator: ".")[...]
    }

    /// The records of the next step that were not looked for before; `nil` behind the last step.
    mutating func wanted() -> [Record.ID]? {
        if !step.isEmpty { current = step.compactMap { found[$0] } }
        guard !current.isEmpty, let field = fields.popFirst() else { return nil }
        step = Set(current.lazy.flatMap { $0[String(field)].referencedIDs })
        if step.isEmpty { current = [] }
        return step.filter { visited.insert($0).inserted }
    }

    /// Takes a record in, or that there is none.
    mutating func take(_ record: Record?, for id: Record.ID) { found[id] = record }
}

extension FieldValue {
    /// The records that a reference or a list of references names.
    fileprivate var referencedIDs: [Record.ID] {
        switch self {
        case .reference(let reference): [reference.recordID]
        case .list(let elements): elements.flatMap(\.referencedIDs)
        default: []
        }
    }
}

extension DatabaseError {
    /// Whether there is no record, or none that the user may read.
    var isOfNoReadableRecord: Bool { code == .unknownItem || code == .permissionFailure }
}
