// What is done on every node of a container: deriving columns again, sweeping, and looking at settings.

package import RecordDatabase
import RecordModel

extension Nodes {
    /// Has all nodes derive the columns that depend on texts again, with the tables of Unicode that this process has,
    /// one node after another, the control node last. Nodes that have such columns are left as they are, so that a call
    /// which did not come to its end is made again.
    ///
    /// While a node is at it, its records are read as before, and nobody commits there.
    ///
    /// - Parameter tell: Gets the number of each node that is done, with how many records were written; `nil` where
    ///   there was nothing to do.
    /// - Throws: `DatabaseError`, which names the node: that node is as it was before.
    package func rebuild(_ tell: (Int, Int?) -> Void) throws(DatabaseError) {
        try onEach { number, node throws(DatabaseError) in tell(number, try node.deriveTexts()) }
    }

    /// Deletes from all nodes what nobody needs any more, as processes do after commits now and then.
    ///
    /// - Parameter tell: Gets the number of each node that is done, with what was deleted.
    /// - Throws: `DatabaseError`, which names the node.
    package func sweep(_ tell: (Int, Swept) -> Void) throws(DatabaseError) {
        try onEach { number, node throws(DatabaseError) in tell(number, try node.sweep()) }
    }

    /// Calls a body with one node after another, the control node last.
    private func onEach(
        _ body: (Int, PostgreSQLContainer) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try withControl { control throws(DatabaseError) in
            for entry in try control.nodeList().reversed() {
                do throws(DatabaseError) {
                    let node = try open(entry)
                    defer { node.close() }
                    try body(Int(entry.number), node)
                } catch {
                    throw error.ofNode(entry.number)
                }
            }
            do throws(DatabaseError) { try body(0, control) } catch { throw error.ofNode(0) }
        }
    }
}

extension PostgreSQLContainer {
    /// Deletes what nobody needs any more.
    fileprivate func sweep() throws(DatabaseError) -> Swept {
        try retrying { () throws(CallError) in
            try withConnection(of: assetPool) { connection throws(CallError) in
                try Sweep(connection: connection).run()
            }
        }
    }

    /// What settings of the server do to what was saved, by their names.
    private static let losses = [
        "fsync": "a power cut may damage all that is stored",
        "full_page_writes": "a power cut may leave pages that are half written",
        "synchronous_commit": "a server that stops at once loses what was saved last",
    ]

    /// The settings of the server by which what was saved may be lost, in words.
    func warnings() throws(DatabaseError) -> [String] {
        let select = Statement(
            "SELECT name FROM pg_settings WHERE setting = 'off' AND name = ANY($1) ORDER BY name",
            [.texts(Self.losses.keys.sorted())])
        return try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                guard let rows = try connection.call([select]).first else { throw MomentReader.damaged }
                return (0..<rows.count).compactMap { row in
                    rows.text(row, 0).flatMap { name in Self.losses[name].map { "\(name) is off: \($0)" } }
                }
            }
        }
    }
}
