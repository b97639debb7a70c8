// Commits of a transaction that the server was not sent yet.

import RecordDatabase
import RecordModel

/// Commits that are made, as the statements that store them: one for the records of several commits, where they do
/// not depend on each other.
struct UnsentCommits: Sendable {
    private var earlier: [Statement] = []
    /// The last one, which may grow.
    private var last: (parts: CommitStatements, schema: ContainerSchema)?
    private var ending: [Statement] = []

    /// Adds a commit behind the others.
    /// - Throws: `DatabaseError` for a record in a zone that the server does not have.
    mutating func add(_ parts: CommitStatements, _ schema: ContainerSchema) throws(DatabaseError) {
        if let last, let both = last.parts.joined(with: parts) {
            self.last = (both, schema)
            return
        }
        earlier = try statements()
        last = (parts, schema)
    }

    /// Adds a statement behind them.
    mutating func add(_ statement: Statement) { ending.append(statement) }

    /// All statements, in their order.
    /// - Throws: `DatabaseError` for a record in a zone that the server does not have.
    func statements() throws(DatabaseError) -> [Statement] {
        guard let last else { return earlier + ending }
        return earlier + (try last.parts.all(last.schema)) + ending
    }
}

extension CommitStatements {
    /// The statements of this commit and a later one; `nil` where one of them does more than to save records, or where
    /// they save the same.
    fileprivate func joined(with later: CommitStatements) -> CommitStatements? {
        // So few records are inserted, whatever their types.
        guard commit.onlySaves, later.commit.onlySaves, assets.isEmpty, later.assets.isEmpty,
            commit.saves.count + later.commit.saves.count < copiesFrom
        else { return nil }
        let known = Set(commit.saves.map(\.row.id))
        if later.commit.saves.contains(where: { known.contains($0.row.id) }) { return nil }
        var commit = later.commit
        commit.saves = self.commit.saves + commit.saves
        commit.removedLinks = self.commit.removedLinks + commit.removedLinks
        commit.addedLinks = self.commit.addedLinks + commit.addedLinks
        // Each was read with its own zones; none is made or deleted between them.
        return CommitStatements(
            commit: commit, moment: moment, zones: zones.merging(later.zones) { $1 }, database: database, owner: owner,
            process: process, assets: assets, coding: coding, copiesFrom: copiesFrom)
    }
}

extension ServerCommit {
    /// Whether it saves records, with their links, and does nothing else.
    fileprivate var onlySaves: Bool {
        isPlain && deletions.isEmpty && notices.isEmpty && batch == nil && linksApart.isEmpty
    }
}
