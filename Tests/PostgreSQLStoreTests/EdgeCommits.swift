// Rows and commits as other modules make them, and the statements that they become.

import Foundation
import RecordModel

@testable import PostgreSQLStore
@testable import RecordDatabase

/// Commits to a database of the user `u` whose zones `A`, `B`, `C` and `D` have the numbers 5, 6, 8 and 9.
enum EdgeCommits {
    static let assetFolder = "/assets"
    static let schema = ContainerSchema(recordTypes: [
        "T": ContainerSchema.RecordType(fields: ["n": ContainerSchema.Field(.int64)]),
        "U": ContainerSchema.RecordType(fields: [:]),
    ])

    static func id(_ name: String, _ zone: String? = nil) -> Record.ID {
        Record.ID(name, zoneID: zone.map { RecordZone.ID($0) } ?? .default)
    }

    /// Stores a commit of the user `u`, after those that are there.
    static func store(
        _ change: (inout ServerCommit) -> Void, on server: PostgreSQLContainer, _ origin: DatabaseOrigin
    ) throws {
        try server.write(origin, ServerNeed()) { moment, _ throws(DatabaseError) in
            var commit = ServerCommit(
                userName: "u", client: 0, date: Date(timeIntervalSinceReferenceDate: 0), after: moment.lastChange,
                deletionsKept: 100)
            change(&commit)
            return (commit, ())
        }
    }

    static func row(
        _ name: String, _ zone: String? = nil, type: String = "T", fields: [String: FieldValue] = [:],
        change: Int64 = 1, made: Double = 0
    ) -> ServerRow {
        let date = Date(timeIntervalSinceReferenceDate: made)
        return ServerRow(
            id(name, zone), type: type, fields: fields, parent: nil, made: (date, "maker"),
            changed: (date, "changer", change))
    }

    static func commit(
        saving saves: [(row: ServerRow, isNew: Bool)] = [], deleting deletions: [ServerCommit.Deletion] = [],
        lastChange: Int64 = 12, kept: Int = 100
    ) -> ServerCommit {
        var commit = ServerCommit(
            userName: "u", client: 3, date: Date(timeIntervalSinceReferenceDate: 100), after: 1, deletionsKept: kept)
        commit.lastChange = lastChange
        (commit.saves, commit.deletions) = (saves, deletions)
        return commit
    }

    static func parts(
        _ commit: ServerCommit, on moment: ServerMoment = ServerMoment(schema: schema), copiesFrom: Int = 1_000
    ) -> CommitStatements {
        let paths = AssetPaths(folder: assetFolder)
        return CommitStatements(
            commit: commit, moment: moment,
            zones: ["_defaultZone": -7, "A": 5, "B": 6, "C": 8, "D": 9], database: 7, owner: "u", process: 9,
            assets: CommitAssets(commit, on: moment, paths), coding: RowCoding(assets: paths), copiesFrom: copiesFrom)
    }

    /// What the statements begin with, and the parameters of those that begin so.
    static func parameters(of statements: [Statement], _ beginning: String) -> [[Parameter]] {
        statements.filter { $0.text.hasPrefix(beginning) }.map(\.parameters)
    }
}
