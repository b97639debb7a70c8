// predicate nodes: the servers of a container on PostgreSQL.

import PostgreSQLStore
import RecordDatabase

/// `predicate nodes ADDRESS [list|check|add CONNECTION]`
enum NodesCommand: Command {
    static let specification = CommandSpecification(
        name: "nodes", operands: "ADDRESS [list|check|add CONNECTION]",
        summary: "List, check and add the servers of a container on PostgreSQL.",
        discussion: """
            A container may be on several servers: a control node, which the address leads to, and others that it lists.
            Each zone lives on one of them. 'list', the default, prints the nodes with the number of zones that have
            their place there; 'check' connects to each and tells what is wrong with it; 'add' adds a server, given by a
            connection string without a password: PGPASSWORD and ~/.pgpass have that.
            Zones that are there stay where they are, those made later are spread over all nodes. After 'add', programs
            open the container again, and earlier change tokens have expired. While a server is added nobody commits.
            Exit status: 0 when all is well, 1 when 'check' found something wrong.
            """,
        options: [StoreOperand.container] + SharedOptions.messages,
        examples: [
            Example(
                "a second server", "predicate nodes postgresql://app@db1/records add postgresql://app@db2/records"),
            Example("what is wrong", "predicate nodes postgresql://app@db1/records check"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "nodes")
        guard operand.isServer else {
            throw CommandError(
                .usage, "'predicate nodes' needs the address of a server",
                hint: "for example: predicate nodes postgresql://app@db/records")
        }
        let words = Array(arguments.operands.dropFirst())
        switch (words.first ?? "list", words.count) {
        case ("list", 0...1):
            for report in try operand.nodes({ nodes throws(DatabaseError) in try nodes.list() }) {
                session.output.write(line(report) + "\n")
            }
            return .success
        case ("check", 1):
            let reports = try operand.nodes { nodes throws(DatabaseError) in try nodes.check() }
            for report in reports {
                session.output.write("\(line(report)): \(report.problem ?? "well")\n")
            }
            return reports.allSatisfy { $0.problem == nil } ? .success : .noMatch
        case ("add", 2):
            let number = try operand.nodes { nodes throws(DatabaseError) in try nodes.add(words[1]) }
            session.note("added node \(number); programs open the container again")
            return .success
        case ("add", _):
            throw CommandError(
                .usage, "'predicate nodes ADDRESS add' needs one connection string",
                hint: "for example: postgresql://app@db2/records")
        default:
            throw CommandError(
                .usage, "'\(words.joined(separator: " "))' is nothing that 'predicate nodes' does",
                hint: "list, check or add CONNECTION")
        }
    }

    private static func line(_ report: Nodes.Report) -> String {
        let zones = "\(report.zoneCount) zone\(report.zoneCount == 1 ? "" : "s")"
        return "\(report.number)  \(zones)  \(report.connection ?? "control node")"
    }
}

extension StoreOperand {
    /// What a body says of the nodes of the container.
    /// - Throws: `CommandError`.
    fileprivate func nodes<Outcome>(
        _ body: (Nodes) throws(DatabaseError) -> Outcome
    ) throws(CommandError) -> Outcome {
        do throws(DatabaseError) {
            return try body(Nodes(identifier: container, connectingTo: path))
        } catch {
            throw CommandError(error)
        }
    }
}
