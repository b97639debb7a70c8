// What servers did for a query.

package import PredicateSemantics
public import PredicateSyntax
import QueryExecution
import RecordFiles
public import RecordModel

extension QueryExplanation {
    /// What servers were told of the predicate, and what they gave.
    public struct Pushed: Hashable, Sendable {
        /// A part of the predicate that a server does not decide on every row.
        public struct Residual: Hashable, Sendable {
            /// The part, canonical text.
            public var part: String
            /// Its place in the predicate's text.
            public var span: SourceSpan
        }

        /// What one server was told, and what it gave.
        public struct Node: Hashable, Sendable {
            /// The number of the node; `nil` where the container is on one server.
            public var number: Int?
            /// The condition of the rows where the predicate may hold, with its constants as `$1`, `$2`, …
            public var condition: String
            /// The condition of the rows where it certainly holds; `nil` where the server decides each row by itself.
            public var certain: String?
            /// What the server was told of the order, for a page in an order that it makes.
            public var order: String?
            /// The values of `$1`, `$2`, … in the form in which the server compares them.
            public var values: [FieldValue]
            /// The parts of the predicate that are decided here, on rows that are not certain.
            public var residuals: [Residual]
            /// The indexes that the server looked up, by their names there; empty where it read the table.
            public var indexes: [String]
            /// Rows that the server gave.
            public var rows: Int
            /// Of these, rows that were not certain, and that the evaluator decided.
            public var rechecked: Int
            /// Whether the server told no more of texts than that they are there: its columns were derived from them
            /// with another version of ICU.
            public var readsTextsByPresence = false

            /// What was pushed to a server; none of it is checked.
            ///
            /// - Parameter told: The conditions with their values, and the clause of the order.
            package init(
                told: (condition: String, certain: String?, order: String?, values: [FieldValue]),
                undecided: [BoundNode], indexes: [String], rows: Int, rechecked: Int
            ) {
                (condition, certain, order, values) = told
                residuals = undecided.map { Residual(part: $0.description, span: $0.span) }
                (self.indexes, self.rows, self.rechecked) = (indexes, rows, rechecked)
            }
        }

        /// The servers that were read, in the order of their numbers.
        public var nodes: [Node]
        /// Names of records on other nodes that references may lead to, which were looked up before.
        public var names: Int
        /// Whether texts of the explanation have the values of `$1`, `$2`, …, and the parts that are decided here.
        public var showsValues = false

        /// What was pushed to one server.
        package init(_ node: Node, names: Int = 0) { (nodes, self.names) = ([node], names) }

        /// The condition of the rows where the predicate may hold, with its constants as `$1`, `$2`, …; that of the
        /// first node.
        public var condition: String { nodes.first?.condition ?? "" }
        /// The condition of the rows where it certainly holds; `nil` where the server decides each row by itself.
        public var certain: String? { nodes.first?.certain }
        /// The indexes that any of the servers looked up, each once.
        public var indexes: [String] {
            var names: [String] = []
            for name in nodes.flatMap(\.indexes) where !names.contains(name) { names.append(name) }
            return names
        }
        /// Rows that the servers gave.
        public var rows: Int { nodes.reduce(0) { $0 + $1.rows } }
        /// Of these, rows that were not certain, and that the evaluator decided.
        public var rechecked: Int { nodes.reduce(0) { $0 + $1.rechecked } }
        /// Whether any of the servers told no more of texts than that they are there.
        public var readsTextsByPresence: Bool { nodes.contains(where: \.readsTextsByPresence) }
    }
}

// MARK: Text

extension QueryExplanation.Pushed {
    /// The lines of the explanation about the servers.
    var lines: [String] {
        guard let first = nodes.first else { return [] }
        var lines = first.told(showsValues)
        if readsTextsByPresence {
            lines.append(
                "texts by presence alone: they were folded by another version of ICU; "
                    + "predicate nodes ADDRESS rebuild derives them again")
        }
        if names > 0 { lines.append("\(names) names that references may lead to were looked up before") }
        let numbers = nodes.compactMap(\.number).map { "\($0)" }.joined(separator: ", ")
        let place = numbers.isEmpty ? "the server" : "node \(numbers)"
        let total = "\(rows) rows from \(place), \(rechecked) of them rechecked"
        if nodes.count == 1 { return lines + ["\(total); \(first.access)"] }
        lines.append(total)
        for node in nodes {
            lines.append("node \(node.number ?? 0): \(node.rows) rows, \(node.rechecked) rechecked; \(node.access)")
            if !node.isTold(as: first) { lines += node.told(showsValues).map { "  " + $0 } }
        }
        return lines
    }
}

extension QueryExplanation.Pushed.Node {
    /// Whether both servers were told the same.
    fileprivate func isTold(as other: Self) -> Bool {
        condition == other.condition && certain == other.certain && order == other.order && values == other.values
    }

    /// How rows were found.
    fileprivate var access: String {
        indexes.isEmpty ? "the table was read" : "by \(indexes.joined(separator: ", "))"
    }

    /// The lines that tell what the server was told, and what it cannot decide.
    fileprivate func told(_ showsValues: Bool) -> [String] {
        var lines = ["server: \(condition)"]
        if let certain { lines.append("certain: \(certain)") }
        if let order { lines.append("order: \(order)") }
        if showsValues {
            lines += values.enumerated().map { number, value in "$\(number + 1) = \(Self.json(value))" }
        }
        for residual in residuals {
            let place = "bytes \(residual.span.lowerBound)..<\(residual.span.upperBound) of the predicate"
            lines.append("decided here: \(place)" + (showsValues ? ", \(residual.part)" : ""))
        }
        return lines
    }

    private static func json(_ value: FieldValue) -> String {
        var writer = JSONWriter()
        writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

// MARK: JSON

extension QueryExplanation.Pushed {
    var jsonValue: JSONValue {
        var members = nodes.first?.told(showsValues: showsValues) ?? []
        members += [
            .init(key: "indexes", value: .array(indexes.map { .string($0) })),
            .init(key: "rows", value: .int64(Int64(rows))), .init(key: "rechecked", value: .int64(Int64(rechecked))),
        ]
        if readsTextsByPresence { members.append(.init(key: "textsByPresence", value: .bool(true))) }
        if names > 0 { members.append(.init(key: "names", value: .int64(Int64(names)))) }
        if nodes.contains(where: { $0.number != nil }) {
            members.append(.init(key: "nodes", value: .array(nodes.map { $0.json(showsValues, beside: nodes[0]) })))
        }
        return .object(members)
    }
}

extension QueryExplanation.Pushed.Node {
    /// What the server was told, and what it cannot decide.
    fileprivate func told(showsValues: Bool) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = [.init(key: "condition", value: .string(condition))]
        if let certain { members.append(.init(key: "certain", value: .string(certain))) }
        if let order { members.append(.init(key: "order", value: .string(order))) }
        if showsValues {
            members.append(.init(key: "values", value: .array(values.map(Self.tree))))
        }
        let residuals = residuals.map { residual in
            let places: [JSONValue.Member] = [
                .init(key: "start", value: .int64(Int64(residual.span.lowerBound))),
                .init(key: "end", value: .int64(Int64(residual.span.upperBound))),
            ]
            let part = JSONValue.Member(key: "part", value: .string(residual.part))
            return JSONValue.object(showsValues ? [part] + places : places)
        }
        if !residuals.isEmpty { members.append(.init(key: "residuals", value: .array(residuals))) }
        return members
    }

    private static func tree(_ value: FieldValue) -> JSONValue { (try? JSONReader.tree(json(value))) ?? .null }

    /// The node as an object, which has what it was told where another one was told something else.
    fileprivate func json(_ showsValues: Bool, beside first: Self) -> JSONValue {
        var members: [JSONValue.Member] = []
        if let number { members.append(.init(key: "number", value: .int64(Int64(number)))) }
        if !isTold(as: first) { members += told(showsValues: showsValues) }
        members += [
            .init(key: "indexes", value: .array(indexes.map { .string($0) })),
            .init(key: "rows", value: .int64(Int64(rows))), .init(key: "rechecked", value: .int64(Int64(rechecked))),
        ]
        return .object(members)
    }
}
