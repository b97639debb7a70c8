// The servers that a control node lists.

import RecordDatabase
import RecordModel

/// A server that a control node lists.
struct NodeEntry: Hashable, Sendable {
    let number: Int32
    /// A connection string, without a password.
    let connection: String
    /// That of the server's part of the container.
    let incarnation: String
}

extension PostgreSQLContainer {
    /// The other nodes, by their numbers; none for a container on one server.
    func nodeList() throws(DatabaseError) -> [NodeEntry] {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                // Containers made before there were nodes have no such column.
                let list = Statement(
                    "SELECT number, connection, to_jsonb(n) ->> 'incarnation' FROM node n ORDER BY number")
                guard let rows = try connection.call([list]).first else { throw MomentReader.damaged }
                var entries: [NodeEntry] = []
                for row in 0..<rows.count {
                    guard let number = rows.int64(row, 0), let connection = rows.text(row, 1) else {
                        throw MomentReader.damaged
                    }
                    entries.append(
                        NodeEntry(
                            number: Int32(truncatingIfNeeded: number), connection: connection,
                            incarnation: rows.text(row, 2) ?? ""))
                }
                return entries
            }
        }
    }
}
