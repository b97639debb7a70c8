// What plans expect of their parts, and terms of programs: which numbers come out, and what no program computes.

import CKernels
import OrdinalSets
import PredicateSemantics
import PredicateSyntax
import RecordColumns
import Testing

@testable import QueryPlanning

@Suite struct PlanEstimateDetailTests {
    private static let use = IndexUse(field: "f", kind: "k", request: "==")
    private static func rows(_ count: UInt32) -> PlanNode { .rows(Array(0..<count), use) }
    private static let evaluated = PlannedTest(.evaluate(.constant(true)))

    @Test func estimatesOfParts() {
        let bitmap = Bitmap(ordinals: [1, 5, 7], count: 90)
        let member = PlannedTest(.member(bitmap, cardinality: 3))
        let cases: [(name: String, node: PlanNode, estimate: Int)] = [
            ("none", .none, 0), ("all", .all, 90), ("rows", Self.rows(4), 4),
            ("bitmap", .bitmap(bitmap, cardinality: 3, Self.use), 3), ("the others", .complement(Self.rows(4)), 86),
            ("no others", .complement(.all), 0), ("any", .union([Self.rows(4), Self.rows(5)]), 9),
            ("all of any", .union([.all, Self.rows(5)]), 90), ("none of any", .union([]), 0),
            ("both", .intersection([Self.rows(45), Self.rows(30)], []), 15), ("every", .intersection([], []), 90),
            ("tested", .intersection([Self.rows(30)], [Self.evaluated]), 10), ("scan", .scan(Self.evaluated), 30),
            ("members", .scan(member), 3), ("half", .intersection([Self.rows(45)], [member]), 1),
        ]
        for (name, node, estimate) in cases { #expect(node.estimate(rowCount: 90) == estimate, "\(name)") }
        #expect(PlanNode.intersection([.all], []).estimate(rowCount: 0) == 0)
        #expect(PlanNode.intersection([], [Self.evaluated]).estimate(rowCount: 0) == 0)
    }

    @Test func whatLooksAtEveryRow() {
        let scan = PlanNode.scan(Self.evaluated)
        let cases: [(name: String, node: PlanNode, isScanning: Bool)] = [
            ("none", .none, false), ("all", .all, false), ("rows", Self.rows(1), false), ("scan", scan, true),
            ("other rows", .complement(Self.rows(1)), false), ("the others", .complement(scan), true),
            ("tests alone", .intersection([], [Self.evaluated]), true),
            ("tests of rows", .intersection([Self.rows(1)], [Self.evaluated]), false),
            ("rows and a scan", .intersection([Self.rows(1), scan], []), true),
            ("rows or a scan", .union([Self.rows(1), scan]), true), ("any", .union([Self.rows(1), .all]), false),
            ("nothing", .union([]), false),
        ]
        for (name, node, isScanning) in cases { #expect(node.isScanning == isScanning, "\(name)") }
    }

    /// Members are there already: no part of a predicate is unserved for them.
    @Test func membersAreServed() {
        let part = UnservedPart(node: .constant(true), reason: .noIndex)
        let member = RowTest.member(Bitmap(ordinals: [1], count: 2), cardinality: 1)
        #expect(PlannedTest(member, unserved: [part]).unserved.isEmpty)
        #expect(PlannedTest(.evaluate(.constant(true)), unserved: [part]).unserved.count == 1)
        #expect(member.isKernel && !RowTest.evaluate(.constant(true)).isKernel)
    }

    // MARK: Terms of programs

    private static var int: ProgramTerm { .column(.int, input: 0, bits: 0) }
    private static var double: ProgramTerm { .column(.double, input: 1, bits: 0) }
    private static var mixed: ProgramTerm { .column(.mixed, input: 2, bits: 3) }
    private static var date: ProgramTerm { .column(.date, input: 4, bits: 0) }
    private static var truth: ProgramTerm { .truth(input: 5) }

    @Test func sumsAreOfTheWiderKind() {
        let cases: [(lhs: ProgramTerm, rhs: ProgramTerm, kind: ProgramTerm.Kind?)] = [
            (Self.int, Self.int, .int), (Self.int, Self.truth, .int), (Self.int, Self.double, .double),
            (Self.double, Self.int, .double), (Self.mixed, Self.int, .mixed), (Self.int, Self.mixed, .mixed),
            (Self.mixed, Self.double, .double), (.int(1), .double(1), .double), (Self.date, Self.int, nil),
            (Self.int, Self.date, nil), (Self.date, Self.date, nil), (.date(1), .double(1), nil),
        ]
        for (number, (lhs, rhs, kind)) in cases.enumerated() {
            for operation: BinaryOperator in [.add, .subtract, .multiply] {
                #expect(ProgramTerm(operation, lhs, rhs)?.kind == kind, "\(number) \(operation)")
            }
        }
    }

    /// Quotients of whole numbers are by constants other than zero; those of fractions by what has a sure sign.
    @Test func quotients() {
        let negative = ProgramTerm(negating: Self.mixed) ?? Self.mixed
        let widened = ProgramTerm(.multiply, Self.mixed, .double(2)) ?? Self.mixed
        let behind = ProgramTerm(.multiply, .double(2), Self.mixed) ?? Self.mixed
        let rounded = ProgramTerm(.sqrt, of: Self.mixed) ?? Self.mixed
        let sum = ProgramTerm(.add, Self.double, Self.int) ?? Self.mixed
        let cases: [(lhs: ProgramTerm, rhs: ProgramTerm, kind: ProgramTerm.Kind?)] = [
            (Self.int, .int(2), .int), (Self.int, .int(0), nil), (Self.int, Self.int, nil), (Self.int, .int(-1), .int),
            (Self.truth, .int(3), .int), (Self.int, Self.truth, nil), (Self.double, .int(0), .double),
            (Self.double, Self.double, .double), (Self.int, Self.double, .double), (Self.double, Self.int, .double),
            (Self.mixed, Self.double, .double), (Self.double, Self.mixed, nil), (Self.mixed, .int(2), nil),
            (Self.mixed, Self.mixed, nil), (Self.double, negative, nil), (Self.double, widened, nil),
            (Self.double, behind, nil), (Self.double, rounded, nil), (Self.double, sum, .double),
            (Self.date, .int(2), nil), (Self.double, Self.date, nil),
        ]
        for (number, (lhs, rhs, kind)) in cases.enumerated() {
            #expect(ProgramTerm(.divide, lhs, rhs)?.kind == kind, "\(number)")
        }
        // By -1 is a product, which is checked; by others it is none.
        for (divisor, isProduct) in [(-1, true), (1, false), (-2, false)] as [(Int64, Bool)] {
            guard case .binary(let operation, _, _, _) = ProgramTerm(.divide, Self.int, .int(divisor)) else {
                Issue.record("no quotient by \(divisor)")
                continue
            }
            #expect((operation == .multiply) == isProduct, "\(divisor)")
        }
    }

    /// Opposites and functions keep the kind of number; roots are fractions; whole numbers are whole already.
    @Test func functionsOfOneNumber() {
        let functions: [FunctionName] = [.floor, .ceiling, .trunc]
        for (term, kind) in [(Self.int, .int), (Self.double, .double), (Self.mixed, .mixed), (Self.truth, .int)]
            as [(ProgramTerm, ProgramTerm.Kind)]
        {
            #expect(ProgramTerm(negating: term)?.kind == kind && ProgramTerm(.sqrt, of: term)?.kind == .double)
            guard case .unary(let operation, _, kind) = ProgramTerm(.abs, of: term) else {
                Issue.record("no magnitude of \(kind)")
                continue
            }
            #expect(operation == (kind == .int ? KERNELS_MAGNITUDE_WHOLE : KERNELS_MAGNITUDE))
            for function in functions {
                let result = ProgramTerm(function, of: term)
                let isRounding = if case .unary? = result { true } else { false }
                #expect(result?.kind == kind && isRounding == (kind != .int), "\(function) of \(kind)")
            }
        }
        #expect(ProgramTerm(negating: Self.date) == nil && ProgramTerm(.sqrt, of: Self.date) == nil)
        for function in functions + [.abs] { #expect(ProgramTerm(function, of: Self.date) == nil, "\(function)") }
        #expect(ProgramTerm(.ln, of: Self.double) == nil)
    }
}
