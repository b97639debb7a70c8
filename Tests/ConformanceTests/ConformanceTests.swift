// Every case of Grammar/Conformance through every way of evaluating a predicate.
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

/// What came out of a case.
private enum Outcome: Equatable {
    case parses
    case result(Bool)
    case matches([Int])
    case error(stage: String, offset: Int, message: String)
}

/// A way of answering a predicate; the per-record evaluator is the first.
private struct ExecutionPath: Sendable {
    let name: String
    /// The truth of a bound predicate on each value.
    let evaluate: @Sendable (BoundPredicate, [FieldValue]) throws(EvaluationError) -> [Bool]
}

private let executionPaths = [
    ExecutionPath(name: "evaluator") { (predicate, values) throws(EvaluationError) in
        var truths: [Bool] = []
        for value in values { truths.append(try predicate.evaluate(onValue: value)) }
        return truths
    }
]

@Suite struct ConformanceTests {
    private func run(_ one: ConformanceCase, by path: ExecutionPath) throws -> Outcome {
        func failure(_ error: RecordPredicateError, stage: String? = nil) -> Outcome {
            .error(
                stage: stage ?? error.stage.rawValue, offset: error.scalarRange.lowerBound, message: error.message)
        }
        let tree: SyntaxTree
        do throws(SyntaxError) {
            tree = try SyntaxTree(parsing: one.predicate)
            try tree.validate(for: one.isCloudKit ? .cloudKit : .full)
        } catch {
            return failure(RecordPredicateError(error, in: one.predicate))
        }
        if one.arguments == nil, one.value == nil, one.values == nil { return .parses }
        let arguments = try (one.arguments ?? []).map(FieldValue.init)
        let variables = try one.variables.mapValues(FieldValue.init)
        let values = try (one.values ?? [one.value ?? .null]).map(FieldValue.init)
        let bound: BoundPredicate
        do throws(BindingError) {
            bound = try Binder().bind(tree, arguments: arguments, variables: variables)
        } catch {
            return failure(RecordPredicateError(error, in: one.predicate))
        }
        do throws(EvaluationError) {
            let truths = try path.evaluate(bound, values)
            return one.values == nil ? .result(truths[0]) : .matches(truths.indices.filter { truths[$0] })
        } catch {
            return failure(RecordPredicateError(error, in: one.predicate))
        }
    }

    /// An error found at binding may be stated as one of evaluation: constants are looked at early.
    private func agrees(_ outcome: Outcome, with expectation: ConformanceCase.Expectation) -> Bool {
        switch (expectation, outcome) {
        case (.parses, .parses): true
        case (.result(let wanted), .result(let found)): wanted == found
        case (.matches(let wanted), .matches(let found)): wanted == found
        case (.error(let stage, let offset), .error(let foundStage, let foundOffset, _)):
            (stage == nil || stage == foundStage || stage == "evaluation" && foundStage == "binding")
                && (offset == nil || offset == foundOffset)
        default: false
        }
    }

    @Test func everyCaseOnEveryPath() throws {
        var count = 0
        for path in executionPaths {
            for one in try ConformanceCase.all.get() {
                let outcome = try run(one, by: path)
                count += 1
                if !agrees(outcome, with: one.expectation) {
                    Issue.record("\(path.name), \(one): \(outcome), not \(one.expectation)")
                }
            }
        }
        #expect(count > 1200)
    }
}
