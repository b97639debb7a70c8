// predicate nodes: the servers of a container on PostgreSQL.

import PostgreSQLStore
import RecordDatabase

/// `predicate nodes ADDRESS [list|check|add CONNECTION|rebuild|sweep]`
enum NodesCommand: Command {
    static let specification = CommandSpecification(
        name: "nodes", operands: "ADDRESS [list|check|add CONNECTION|rebuild|sweep]",
        summary: "List, check, add and look after the servers of a container on PostgreSQL.",
        discussion: """
            A container may be on several servers: a control node, which the address leads to, and others that it lists.
            Each zone lives on one of them. 'list', the default, prints the nodes with the number of zones that have
            their place there; 'check' connects to each and tells what is wrong with it, and warns of settings by which
            what was saved may be lost; 'add' adds a server, given by a connection string without a password: PGPASSWORD
            and ~/.pgpass have that.
            Zones that are there stay where they are, those made later are spread over all nodes. After 'add', programs
            open the container again, and earlier change tokens have expired. While a server is added nobody commits.
            'rebuild' is for after an upgrade of ICU: what was derived from texts with another version is derived again,
            node by node, each in one transaction. Until then programs of the new version read with conditions on other
            values alone, and save nothing. Records are read meanwhile, nobody commits on the node; a call that was
            broken off is made again, and goes on with the nodes that are left. 'sweep' deletes now what programs delete
            every ten minutes: notices that were told, tokens of commits and batches, records of zones that were
            deleted, assets that no record names.
            Exit status: 0 when all is well, 1 when 'check' found something wrong.
            """,
        options: [StoreOperand.container] + SharedOptions.messages,
        examples: [
            Example(
                "a second server", "predicate nodes postgresql://app@db1/records add postgresql://app@db2/records"),
            Example("what is wrong", "predicate nodes postgresql://app@db1/records check"),
            Example("after an upgrade of ICU", "predicate nodes postgresql://app@db1/records rebuild"),
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
                for warning in report.warnings { session.output.write("   warning: \(warning)\n") }
            }
            return reports.allSatisfy { $0.problem == nil } ? .success : .noMatch
        case ("add", 2):
            let number = try operand.nodes { nodes throws(DatabaseError) in try nodes.add(words[1]) }
            session.note("added node \(number); programs open the container again")
            return .success
        case ("rebuild", 1):
            try operand.nodes { nodes throws(DatabaseError) in
                try nodes.rebuild { number, count in
                    session.output.write("\(number)  \(line(rebuilt: count))\n")
                    session.output.flush()
                }
            }
            return .success
        case ("sweep", 1):
            try operand.nodes { nodes throws(DatabaseError) in
                try nodes.sweep { session.output.write("\($0)  \(line($1))\n") }
            }
            return .success
        case ("add", _):
            throw CommandError(
                .usage, "'predicate nodes ADDRESS add' needs one connection string",
                hint: "for example: postgresql://app@db2/records")
        default:
            throw CommandError(
                .usage, "'\(words.joined(separator: " "))' is nothing that 'predicate nodes' does",
                hint: "list, check, add CONNECTION, rebuild or sweep")
        }
    }

    private static func line(_ report: Nodes.Report) -> String {
        "\(report.number)  \(count(report.zoneCount, "zone"))  \(report.connection ?? "control node")"
    }

    /// - Parameter recordCount: How many records were written; `nil` where there was nothing to do.
    private static func line(rebuilt recordCount: Int?) -> String {
        guard let recordCount else { return "nothing to do" }
        return "\(count(recordCount, "record")) derived again"
    }

    private static func line(_ swept: Swept) -> String {
        [
            count(swept.notices, "notice"), count(swept.commits, "token") + " of commits",
            count(swept.batches, "token") + " of batches", count(swept.records, "record") + " of deleted zones",
            count(swept.assets, "asset"),
        ].joined(separator: ", ")
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
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
