// Comparisons that are decided again and again for one record: what is the same each time is prepared once.

import PredicateSyntax
import RecordModel

/// Decisions after which preparing a side that stays the same pays for itself.
private let decisionsBeforePreparing = 16

/// What is known of a comparison within SUBQUERY that has a side which is the same for every element.
struct PreparedSides {
    /// The value of a side that stays the same, once it was needed.
    var lhs: FieldValue?
    var rhs: FieldValue?
    /// Steps that looking at those values takes.
    var leftSteps = 0
    var rightSteps = 0
    /// Decisions so far, up to that which prepares.
    var decisions = 0
    /// The comparison's test, prepared for those values.
    var test: (any ComparisonTest)?
    /// The elements of the left side of `ANY list == x` and its kin.
    var members: MemberSet?
}

/// A comparison of the elements of a list with one value.
struct ElementTest {
    let parts: BoundComparison.Parts
    let rhs: FieldValue
    private var test: any ComparisonTest
    /// Decisions until the value is prepared; negative for a value that is, or that gains nothing.
    private var left: Int

    init(_ parts: BoundComparison.Parts, _ rhs: FieldValue, prepared: (any ComparisonTest)?) {
        test = prepared ?? parts.test
        self.rhs = rhs
        self.parts = parts
        let gains =
            switch rhs {
            case .string, .list, .set, .object: prepared == nil && parts.constant == nil
            default: false
            }
        left = gains ? decisionsBeforePreparing : -1
    }

    /// Whether the comparison holds for an element.
    mutating func holds(_ element: FieldValue) throws(EvaluationError) -> Bool {
        if left >= 0 {
            // What cannot be prepared is left to complain of the elements that it does not suit.
            if left == 0, let prepared = try? parts.test(preparedFor: ConstantOperands(lhs: nil, rhs: rhs)) {
                test = prepared
            }
            left -= 1
        }
        return try parts.decide(element, rhs, test)
    }
}

extension BoundComparison.Parts {
    /// The test of the comparison for sides that are known.
    func test(preparedFor constants: ConstantOperands) throws(ValueFault) -> any ComparisonTest {
        try form.test(constants)
    }

    /// Whether two values pass a test of the comparison.
    func decide(_ lhs: FieldValue, _ rhs: FieldValue, _ test: any ComparisonTest) throws(EvaluationError) -> Bool {
        do {
            return try test.holds(lhs, rhs)
        } catch {
            throw error.located([form.lhs.span, form.rhs.span], whole: form.span)
        }
    }

    /// Whether `ANY list == x`, or what says the same, looks for a member of the left side, as it is.
    fileprivate var searchesMember: Bool {
        switch (form.quantifier, form.comparisonOperator) {
        case (.some(.any), .equal), (.some(.none), .equal), (.some(.all), .notEqual): form.dateReading == nil
        default: false
        }
    }
}

extension Evaluator {
    /// Decides a comparison with a side that is the same for every element of the enclosing SUBQUERY.
    mutating func holdsAgain(_ parts: BoundComparison.Parts) throws(EvaluationError) -> Bool {
        let key = ObjectIdentifier(parts)
        var sides = preparations[key] ?? PreparedSides()
        let lhs = if let known = sides.lhs { known } else { try value(parts.form.lhs) }
        let rhs = if let known = sides.rhs { known } else { try value(parts.form.rhs) }
        if sides.decisions <= decisionsBeforePreparing {
            if parts.isLeftFixed, sides.lhs == nil { (sides.lhs, sides.leftSteps) = (lhs, lhs.steps) }
            if parts.isRightFixed, sides.rhs == nil { (sides.rhs, sides.rightSteps) = (rhs, rhs.steps) }
            if sides.decisions == decisionsBeforePreparing { prepare(&sides, parts) }
            sides.decisions += 1
            preparations[key] = sides
        }
        if let members = sides.members {
            try spend(1 &+ rhs.steps, parts.form.span)
            return members.contains(rhs) == (parts.form.quantifier == .any)
        }
        let left = parts.isLeftConstant ? 0 : sides.lhs == nil ? lhs.steps : sides.leftSteps
        let right = parts.constant != nil ? 0 : sides.rhs == nil ? rhs.steps : sides.rightSteps
        try spend(1 &+ cost(lhs, left, rhs, right, parts, isPrepared: sides.test != nil), parts.form.span)
        let isPrepared = parts.form.quantifier == nil || parts.isRightFixed
        return try decide(lhs, rhs, parts, prepared: isPrepared ? sides.test : nil)
    }

    /// Steps of deciding values that take so many each.
    private func cost(
        _ lhs: FieldValue, _ left: Int, _ rhs: FieldValue, _ right: Int, _ parts: BoundComparison.Parts,
        isPrepared: Bool
    ) -> Int {
        // Collections are looked up in, and lists compared as far as they are alike.
        let isLookedUp = isPrepared && (parts.form.quantifier == nil || parts.form.comparisonOperator == .in)
        switch parts.form.comparisonOperator {
        case .in where isLookedUp && parts.isRightFixed && rhs.isCollection: return left
        case .contains where isLookedUp && parts.isLeftFixed && lhs.isCollection: return right
        case .equal, .notEqual:
            if case .set = lhs, case .set = rhs { break }
            if lhs.isCollection || rhs.isCollection { return min(left, right) }
        default: break
        }
        return left &+ right
    }

    private func prepare(_ sides: inout PreparedSides, _ parts: BoundComparison.Parts) {
        if parts.searchesMember, let elements = sides.lhs?.elements {
            sides.members = MemberSet(KeyPaths.flattened(elements), text: parts.form.text)
            return
        }
        let constants = ConstantOperands(
            lhs: parts.form.quantifier == nil ? sides.lhs ?? parts.form.lhs.constant : nil,
            rhs: sides.rhs ?? parts.constant)
        sides.test = try? parts.test(preparedFor: constants)
    }
}

extension Operand {
    /// Whether the value is the same for every element of the enclosing SUBQUERY expressions, and no constant.
    var isFixed: Bool { constant == nil && isSteady }

    private var isSteady: Bool {
        switch kind {
        case .element, .subquery, .ternary: false
        case .function(let name, _) where !name.isPure && name != .now: false
        case .constant, .field, .selfObject, .allTokens, .variable, .path, .list, .function, .unary, .binary, .moved,
            .cast:
            allChildren(\.isSteady)
        }
    }
}

extension FieldValue {
    /// Steps that looking at the whole value takes: elements of lists at any depth, and stretches of texts.
    /// - Complexity: O(elements).
    var steps: Int {
        switch self {
        case .string(let text): text.utf8.count >> 6
        case .data(let bytes): bytes.count >> 6
        case .list(let elements), .set(let elements): elements.reduce(elements.count) { $0 &+ $1.steps }
        case .object(let members): members.reduce(members.count) { $0 &+ $1.value.steps }
        default: 0
        }
    }

    /// The number of elements of a list or set, 0 of anything else.
    var listCount: Int {
        switch self {
        case .list(let elements), .set(let elements): elements.count
        default: 0
        }
    }
}
