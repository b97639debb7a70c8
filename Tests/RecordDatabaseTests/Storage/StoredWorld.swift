// Stores in folders of their own, and what is in a store, in a form that can be compared.

import Foundation
import RecordColumns
import RecordStore
import Testing

@testable import RecordDatabase

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "record-store-\(UUID().uuidString)")
    var path: String { url.path }

    deinit {
        try? FileManager.default.removeItem(at: url)
        try? FileManager.default.removeItem(atPath: url.path + ".key")
    }
}

extension ContainerStore {
    /// All that the store holds, line by line.
    var contents: [String] {
        var lines = ["container \(identifier)", schema.current.description]
        for database in databases.sorted(by: { ($0.origin.user ?? "") < ($1.origin.user ?? "") }) {
            let state = database.state.withLock { $0 }
            lines.append("database \(database.origin.scope) \(database.origin.user ?? "")")
            lines.append("last change \(state.lastChange) at \(state.lastDate.timeIntervalSinceReferenceDate)")
            lines += state.zones.sorted { $0.key < $1.key }.map { "zone \($0.value.contents)" }
            lines += state.purgedZones.sorted().map { "purged \($0)" }
            lines += state.resetZones.sorted().map { "reset \($0)" }
            lines += state.deletedZones.sorted { $0.key < $1.key }.map { "deleted \($0.key) \($0.value)" }
            lines += state.sentBatches.sorted { $0.key < $1.key }.map {
                "batch \($0.key) \($0.value.token.base64EncodedString()) \($0.value.digest)"
            }
            lines += state.subscriptions.contents + state.sharedSubscriptions.contents.map { "shared \($0)" }
            lines += database.records.snapshot.contents
            lines.append(
                (state.graph ?? ReferenceGraph(of: database.records.snapshot, schema.current)).contents)
            lines.append("next \(database.records.image.nextSequence)")
        }
        return lines
    }
}

extension ZoneState {
    fileprivate var contents: String {
        let deletions = tombstones.map { "\($0.recordName) \($0.recordType) \($0.change) \(isCurrent($0))" }
        return "\(id) \(made) \(capabilities) \(lastChange) \(clientToken?.base64EncodedString() ?? "") "
            + "\(forgottenThrough) \(forgottenCount) \(deletions) \(moves.forgottenThrough) \(moves.all)"
    }
}

extension SubscriptionTable {
    fileprivate var contents: [String] {
        all.map { "subscription \($0.userName) \($0.subscription) \($0.predicate.map { "\($0)" } ?? "unbound")" }
    }
}

extension ReferenceGraph {
    fileprivate var contents: String {
        func text(_ edges: [Record.ID: Set<Record.ID>]) -> String {
            edges.map { "\($0.key) < \($0.value.map { "\($0)" }.sorted())" }.sorted().joined(separator: "; ")
        }
        return "holders \(text(holders)); children \(text(children))"
    }
}

extension Snapshot {
    /// The records in order of insertion, with what the database wrote about them.
    fileprivate var contents: [String] {
        var rows: [(sequence: Int, text: String)] = []
        for stored in segments {
            for row in 0..<stored.segment.count where stored.isLive(row) {
                let record = stored.segment.record(row)
                let fields = record.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                let sequence = stored.sequences[row]
                rows.append((sequence, "\(sequence) \(record.type) \(record.id) \(fields)"))
            }
        }
        return rows.sorted { $0.sequence < $1.sequence }.map(\.text)
    }
}
