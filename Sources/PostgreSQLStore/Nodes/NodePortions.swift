// Portions of records of several nodes, as one server would give them.

import RecordDatabase
import RecordModel

/// The records of nodes in the order in which they were made: on one node no record is older than the one before it.
final class NodePortions: ServerPortions {
    /// What a node has given, and where the next of its records is.
    private struct Part {
        let node: Int32
        let portions: any ServerPortions
        var rows: [ServerRow] = []
        var next = 0

        var row: ServerRow? { next < rows.count ? rows[next] : nil }

        /// Has the next record there, unless there is none.
        mutating func fill() throws(DatabaseError) {
            guard next == rows.count else { return }
            do throws(DatabaseError) { rows = try portions.next() } catch { throw error.ofNode(node) }
            next = 0
        }
    }

    /// Those that have records left.
    private var parts: [Part]
    /// Rows of a portion at most.
    private static let size = 1_000

    /// - Parameter parts: What each node gives, in the order of their numbers.
    init(_ parts: [(node: Int32, portions: any ServerPortions)]) {
        self.parts = parts.map { Part(node: $0.node, portions: $0.portions) }
    }

    func next() throws(DatabaseError) -> [ServerRow] {
        var rows: [ServerRow] = []
        while rows.count < Self.size {
            for index in parts.indices { try parts[index].fill() }
            parts.removeAll { $0.row == nil }
            // Of records of one time those of the first node come first.
            guard let first = parts.indices.min(by: { isBefore(parts[$0], parts[$1]) }), let row = parts[first].row
            else { break }
            rows.append(row)
            parts[first].next += 1
        }
        return rows
    }

    private func isBefore(_ a: Part, _ b: Part) -> Bool {
        guard let first = a.row, let second = b.row else { return false }
        return first.creationDate < second.creationDate
    }
}
