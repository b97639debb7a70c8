// What operators say of nil against the table of operators and against what they do.

import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

@testable import PredicateSemantics

@Suite struct OperatorTableTests {
    /// An operator that says no more of itself than it must.
    private struct Planted: OperatorSemantics {
        func clash(_: OperandType, _: OperandType) -> TypeClash? { nil }
        func test(_: ConstantOperands, _: TextSettings) throws(ValueFault) -> any ComparisonTest { Always() }
        func constraint(_: BoundComparison) -> FieldConstraint? { nil }

        private struct Always: ComparisonTest {
            func holds(_: FieldValue, _: FieldValue) throws(ValueFault) -> Bool { true }
        }
    }

    @Test func whatAnOperatorDoesNotSayIsUnknown() {
        #expect(!Planted().neverHoldsBesideNil)
    }

    @Test func nilIsAsTheTableSays() throws {
        let lines = try ProjectFiles.text("Grammar/operators.tsv").split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let head = try #require(lines.first)
        let name = try #require(head.firstIndex(of: "operator"))
        let columns = try ["nil,nil", "x,nil"].map { column in try #require(head.firstIndex(of: column)) }
        #expect(lines.count == ComparisonOperator.allCases.count + 1)
        for line in lines.dropFirst() {
            let comparisonOperator = try #require(ComparisonOperator(rawValue: line[name]))
            #expect(
                comparisonOperator.neverHoldsBesideNil == columns.allSatisfy { line[$0] == "false" }, "\(line[name])")
        }
    }

    /// By the tests of the operators themselves, over values of every kind.
    @Test(arguments: ComparisonOperator.allCases)
    func nilIsAsTheOperatorsDo(_ comparisonOperator: ComparisonOperator) throws {
        let values: [FieldValue] = [
            .null, .bool(true), .int64(1), .double(.nan), .string(""), .string("nil"), .date(.distantPast),
            .location(.init(latitude: 1, longitude: 2)), .reference(Reference("r")), .list([]), .list([1, "a"]),
            .set([1]), .object(["a": 1]),
        ]
        let test = try comparisonOperator.semantics.test(ConstantOperands(rhs: .null), TextSettings(options: []))
        let holds = values.filter { (try? test.holds($0, .null)) ?? false }
        #expect(holds.isEmpty == comparisonOperator.neverHoldsBesideNil, "\(holds)")
    }
}
