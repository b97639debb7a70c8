// What operators say of themselves against the table of operators and against what they do.

import Geospatial
import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

@testable import PredicateSemantics

/// An operator that says no more of itself than it must.
private struct Planted: OperatorSemantics {
    func clash(_: OperandType, _: OperandType) -> TypeClash? { nil }
    func test(_: ConstantOperands, _: TextSettings) throws(ValueFault) -> any ComparisonTest { Always() }

    private struct Always: ComparisonTest {
        func holds(_: FieldValue, _: FieldValue) throws(ValueFault) -> Bool { true }
    }
}

/// Kinds of operands: fields by the names of their types in the table, and constants of those types.
private enum Sample {
    static let schema = RecordSchema(
        recordType: "Place",
        fields: [
            FieldDefinition(name: "number", type: .number), FieldDefinition(name: "text", type: .string),
            FieldDefinition(name: "date", type: .date), FieldDefinition(name: "place", type: .location),
            FieldDefinition(name: "numbers", type: .list(.number)),
            FieldDefinition(name: "texts", type: .list(.string)),
        ])

    static let values: [(type: String, values: [FieldValue])] = [
        ("number", [.int64(1), .bool(true), .double(.nan)]), ("text", ["a", ""]), ("date", [.date(.distantPast)]),
        ("place", [.location(.init(latitude: 1, longitude: 2))]), ("numbers", [[1, 2], []]),
        ("texts", [["a", "b"], []]),
    ]

    /// Values of every kind.
    static let all: [FieldValue] =
        [.null, .reference(RecordReference("r")), .list([.null]), .list([1, .null]), .list([1, "a"]), .set([1])]
        + [.object(["a": 1])] + values.flatMap(\.values)

    static func comparison(_ left: String, _ comparisonOperator: ComparisonOperator, _ rhs: FieldValue) throws
        -> BoundComparison
    {
        let tree = try SyntaxTree(parsing: "\(left) \(comparisonOperator.rawValue) %@")
        let bound = try Binder(schema: schema).bind(RecordPredicate(tree, arguments: [rhs]))
        guard case .comparison(let comparison) = bound.root else { throw Constant() }
        return comparison
    }

    private struct Constant: Error {}
}

@Suite struct OperatorTableTests {
    @Test func whatAnOperatorDoesNotSayIsUnknown() throws {
        let comparison = try Sample.comparison("text", .equal, "a")
        #expect(Planted().constraint(comparison) == nil && Planted().canThrow(comparison, .string))
        #expect(!Sample.all.contains { Planted().neverHolds(beside: $0, .string) })
        #expect(Planted().equated(.string, .number) == nil && Planted().purpose == .value)
        #expect(Planted().mirrored == nil && Planted().negated == nil)
    }

    @Test func factsAreAsTheTableSays() throws {
        let lines = try ProjectFiles.text("Grammar/operators.tsv").split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let head = try #require(lines.first)
        #expect(lines.count == ComparisonOperator.allCases.count + 1)
        for line in lines.dropFirst() {
            let row = Dictionary(uniqueKeysWithValues: zip(head, line))
            let known = try #require(row["operator"].flatMap(ComparisonOperator.init))
            let isNever = row["nil,nil"] == "false" && row["x,nil"] == "false"
            #expect(known.semantics.neverHolds(beside: .null, .any) == isNever, "\(known)")
            #expect(known.mirrored?.rawValue ?? "" == row["mirrored"], "\(known)")
            #expect(known.negated?.rawValue ?? "" == row["negated"], "\(known)")
            #expect("\(known.purpose)" == row["asks for"], "\(known)")
            let never = (row["never fails"] ?? "").split(separator: " ").map { $0.split(separator: ",") }
            for (left, _) in Sample.values {
                for (right, constants) in Sample.values {
                    guard let constant = constants.first, let found = try? Sample.comparison(left, known, constant)
                    else { continue }
                    let isListed = never.contains { pair in
                        zip(pair, [left, right]).allSatisfy { $0 == "any" || $0 == $1 }
                    }
                    #expect(found.canThrow == !isListed, "\(found)")
                }
            }
        }
    }

    /// By the tests of the operators themselves, over values of every kind.
    @Test(arguments: ComparisonOperator.allCases)
    func nothingHoldsBesideWhatNeverHolds(_ known: ComparisonOperator) {
        for constant in Sample.all {
            for (left, values) in [(OperandType.any, Sample.all), (.string, [.null, "", "a", "nil"])] {
                // A constant that the operator does not take is an error wherever it is met.
                guard known.semantics.neverHolds(beside: constant, left),
                    let test = try? known.semantics.test(ConstantOperands(rhs: constant), TextSettings(options: []))
                else { continue }
                #expect(!values.contains { (try? test.holds($0, constant)) ?? false }, "\(constant)")
            }
        }
    }

    @Test(arguments: ComparisonOperator.allCases)
    func whatNeverFailsDoesNotFail(_ known: ComparisonOperator) throws {
        for (left, values) in Sample.values {
            for constant in Sample.all {
                guard let found = try? Sample.comparison(left, known, constant), !found.canThrow else { continue }
                for value in values + [.null] {
                    #expect(throws: Never.self, "\(value)") {
                        try found.parts.test.holds(value, constant)
                    }
                }
            }
        }
    }

    @Test(arguments: ComparisonOperator.allCases)
    func mirrorsAndNegationsSayTheSame(_ known: ComparisonOperator) throws {
        func holds(_ other: ComparisonOperator, _ lhs: FieldValue, _ rhs: FieldValue) -> Bool? {
            try? other.semantics.test(ConstantOperands(), TextSettings(options: [])).holds(lhs, rhs)
        }
        for lhs in Sample.all {
            for rhs in Sample.all {
                let truth = holds(known, lhs, rhs)
                if let mirrored = known.mirrored { #expect(holds(mirrored, rhs, lhs) == truth, "\(lhs), \(rhs)") }
                if let negated = known.negated { #expect(holds(negated, lhs, rhs) == truth.map(!), "\(lhs), \(rhs)") }
            }
        }
    }
}
