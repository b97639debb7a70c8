// The queries of `groups`, and what they give.

import RecordDatabase

/// A query for groups of places.
struct GroupQuery: Encodable {
    let id: String
    /// The field that groups have in common.
    let key: String
    /// What is computed, as SQL writes it.
    let columns: String
    /// The least rating of the places; `nil` for all places.
    var least: Double?
    /// How many groups, the largest first; `nil` for all.
    var limit: Int?
    private let aggregates: [Aggregate]

    /// Which places, as SQL writes it: facets are of those with a value.
    var condition: String {
        let conditions = [least.map { "rating >= \($0)" }, limit.map { _ in "\(key) IS NOT NULL" }].compactMap(\.self)
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    private enum CodingKeys: String, CodingKey { case id, key, columns, condition, least, limit }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(key, forKey: .key)
        try container.encode(columns, forKey: .columns)
        try container.encode(condition, forKey: .condition)
        try container.encodeIfPresent(least, forKey: .least)
        try container.encodeIfPresent(limit, forKey: .limit)
    }

    private init(_ key: String, _ aggregates: [Aggregate], _ columns: String) {
        (self.key, self.aggregates, self.columns) = (key, aggregates, columns)
        id = "\(columns) by \(key)"
    }

    /// Facets.
    private init(_ key: String, least: Double? = nil) {
        (self.key, self.least, aggregates, columns, limit) = (key, least, [.count], "count(*)", 10)
        id = "ten most frequent \(key)" + (least.map { ", rating >= \($0)" } ?? "")
    }

    /// Fields of 2 to 1,000 values and more, and aggregates of all kinds.
    static let all: [GroupQuery] =
        ["category", "owner", "active"].flatMap { key in
            [
                GroupQuery(key, [.count], "count(*)"), GroupQuery(key, [.sum("population")], "sum(population)"),
                GroupQuery(key, [.average("rating"), .maximum("population")], "avg(rating), max(population)"),
                GroupQuery(key, [.distinct("population")], "count(DISTINCT population)"),
            ]
        } + ["category", "owner"].flatMap { [GroupQuery($0), GroupQuery($0, least: 4), GroupQuery($0, least: 4.9)] }

    /// Runs the query on a set, with another bound every time where it has one.
    func measure(on set: RecordSet, budget: Int) throws -> GroupResult {
        var groups: [(key: FieldValue, values: [FieldValue])] = []
        let time = try Measurement.of(runs: 7, budget: Double(budget) / 1000) { groups = try result(on: set) }
        return GroupResult(
            peer: "ours", id: id, medianMicroseconds: time.median * 1e6,
            groups: Dictionary(
                groups.map { (GroupResult.name($0.key), $0.values.map(GroupResult.number)) }
            ) { first, _ in first })
    }

    private func result(on set: RecordSet) throws -> [(key: FieldValue, values: [FieldValue])] {
        guard let limit else { return try set.group(by: [key], aggregates).map { ($0.keys[0], $0.values) } }
        let facets = try set.facets(
            key, where: least == nil ? nil : "rating >= $least", variables: least.map { ["least": .double($0)] } ?? [:],
            limit: limit)
        return facets.values.map { ($0.value, [.int64(Int64($0.count))]) }
    }
}

/// The groups of a query and the time that they took.
struct GroupResult: Decodable {
    let peer: String
    let id: String
    /// The median of many runs, in microseconds.
    let medianMicroseconds: Double
    /// What was computed, by the key in lower case; the empty key for records without one.
    let groups: [String: [Double]]

    /// - Throws: `WrongResult` where another engine has other groups; sums of fractions may differ in their last bits.
    func check(_ other: GroupResult) throws {
        let areEqual =
            id == other.id && groups.keys == other.groups.keys
            && groups.allSatisfy { key, values in
                zip(values, other.groups[key] ?? []).allSatisfy { abs($0 - $1) <= abs($1) * 1e-9 }
            }
        guard areEqual else { throw WrongResult(description: "\(id): groups differ from those of \(other.peer)") }
    }

    /// A key as text.
    static func name(_ key: FieldValue) -> String {
        switch key {
        case .null: ""
        case .string(let text): text.lowercased()
        case .bool(let truth): truth ? "true" : "false"
        case .int64(let number): "\(number)"
        default: "\(key)"
        }
    }

    /// A number; 0 for no value, as SQLite reads a null.
    static func number(_ value: FieldValue) -> Double {
        switch value {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: 0
        }
    }
}
