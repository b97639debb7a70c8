// What comes out of a case, and whether that is what its line says.

import PredicateSemantics
import RecordModel
import _TestSupport

/// What came out of a case.
enum CaseOutcome: Equatable {
    case parses
    case result(Bool)
    case matches([Int])
    case error(stage: String, offset: Int, message: String)

    init(_ error: RecordPredicateError) {
        self = .error(stage: error.stage.rawValue, offset: error.scalarRange.lowerBound, message: error.message)
    }

    /// - Parameter matches: The values that match, by their places.
    init(_ matches: [Int], of one: ConformanceCase) {
        self = one.values == nil ? .result(!matches.isEmpty) : .matches(matches)
    }

    /// An error found at binding may be stated as one of evaluation: constants are looked at early.
    func agrees(with expectation: ConformanceCase.Expectation) -> Bool {
        switch (expectation, self) {
        case (.parses, .parses): true
        case (.result(let wanted), .result(let found)): wanted == found
        case (.matches(let wanted), .matches(let found)): wanted == found
        case (.error(let stage, let offset), .error(let foundStage, let foundOffset, _)):
            (stage == nil || stage == foundStage || stage == "evaluation" && foundStage == "binding")
                && (offset == nil || offset == foundOffset)
        default: false
        }
    }
}
