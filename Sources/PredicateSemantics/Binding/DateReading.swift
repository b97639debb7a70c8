// Constant texts that meet dates: `ts >= '2026-01-01'`, whichever side they are on, in lists, as bounds.

import FoundationEssentials
import PredicateSyntax
import RecordModel
import TextAnalysis

extension FieldValue {
    /// The date that a text spells, and the elements of a list so; `nil` where no text spells one.
    var readingDates: FieldValue? {
        switch self {
        case .string(let text): return CivilZone.date(text).map { .date($0) }
        case .list(let elements): return Self.readingDates(elements).map { .list($0) }
        case .set(let elements): return Self.readingDates(elements).map { .set($0) }
        default: return nil
        }
    }

    private static func readingDates(_ elements: [FieldValue]) -> [FieldValue]? {
        var isRead = false
        let read = elements.map { element -> FieldValue in
            guard case .string = element, let date = element.readingDates else { return element }
            isRead = true
            return date
        }
        return isRead ? read : nil
    }

    /// Whether the value is a date.
    fileprivate var isDate: Bool { if case .date = self { true } else { false } }
}

extension OperandType {
    /// Whether values of the kind may be dates.
    fileprivate var mayBeDate: Bool { self == .any || self == .date }
}

extension Operand {
    /// The operand with its constant texts as the dates that they spell; `nil` where none does.
    var readingDates: Operand? {
        switch kind {
        case .constant(let value): return value.readingDates.map { Operand(constant: $0, span: span) }
        case .list(let members):
            let read = members.map { member -> Operand in
                guard case .string = member.constant else { return member }
                return member.readingDates ?? member
            }
            guard zip(members, read).contains(where: { $0.type != $1.type }) else { return nil }
            let first = read[0].type
            return Operand(
                .list(read), type: .list(read.allSatisfy { $0.type == first } ? first : .any), span: span)
        default: return nil
        }
    }

    /// The first constant text in it that spells no date.
    fileprivate var unreadable: (text: String, span: SourceSpan)? {
        switch kind {
        case .constant(.string(let text)): CivilZone.date(text) == nil ? (text, span) : nil
        case .constant(.list(let elements)), .constant(.set(let elements)):
            elements.lazy.compactMap { Operand(constant: $0, span: span).unreadable }.first
        case .list(let members): members.lazy.compactMap(\.unreadable).first
        default: nil
        }
    }
}

extension BoundComparison.Form {
    /// How a side takes part: as a value that is compared, or as a collection that is looked into.
    private enum Role { case value, collection }

    private var roles: (left: Role, right: Role)? {
        switch comparisonOperator {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: (.value, .value)
        case .between: (.value, .collection)
        case .in: searchesWords(rhs) ? nil : (.value, .collection)
        case .contains: searchesWords(lhs) ? nil : (.collection, .value)
        default: nil
        }
    }

    private func searchesWords(_ operand: Operand) -> Bool {
        switch operand.kind {
        case .selfObject, .allTokens: true
        default: false
        }
    }

    /// The kind of what a side gives to be compared, by its role: of the elements of a collection.
    private func kind(_ operand: Operand, _ role: Role, isLeft: Bool) -> OperandType {
        var type = operand.type
        if isLeft, quantifier != nil { type = type.element?.flattened ?? .any }
        return role == .collection ? type.element ?? .null : type
    }

    /// The comparison with constant texts as dates where the other side is known to hold dates.
    ///
    /// - Throws: `BindingError` at a text that is no date, where a date is needed.
    func readingDates() throws(BindingError) -> BoundComparison.Form {
        guard let roles else { return self }
        var form = self
        if kind(lhs, roles.left, isLeft: true) == .date { form.rhs = try read(rhs) }
        if kind(rhs, roles.right, isLeft: false) == .date { form.lhs = try read(lhs) }
        return form
    }

    private var needsOrder: Bool {
        switch comparisonOperator {
        case .equal, .notEqual, .in, .contains: false
        default: true
        }
    }

    private func read(_ operand: Operand) throws(BindingError) -> Operand {
        if needsOrder, let (text, span) = operand.unreadable {
            throw BindingError(
                kind: .typeMismatch, span: span, message: "'\(text)' is no date", hint: DateReading.hint(text))
        }
        return operand.readingDates ?? operand
    }

    /// How texts are read that meet dates when a record is decided: constants beside values of kinds that are not
    /// known, and those of variables; `nil` where none may meet a date.
    var dateReading: DateReading? {
        guard let roles else { return nil }
        let left = kind(rhs, roles.right, isLeft: false).mayBeDate ? DateReading.Side(lhs) : nil
        let right = kind(lhs, roles.left, isLeft: true).mayBeDate ? DateReading.Side(rhs) : nil
        guard left != nil || right != nil else { return nil }
        return DateReading(
            left: left, right: right, isLeftCollection: roles.left == .collection,
            isRightCollection: roles.right == .collection, isRange: comparisonOperator == .between)
    }

    /// The operator's test, prepared for what is known of the sides.
    ///
    /// - Parameter readsLeft: Whether texts on the left side may be read as dates.
    /// - Throws: `ValueFault` when a constant side has no meaning.
    func test(_ constants: ConstantOperands, readsLeft: Bool = true) throws(ValueFault) -> any ComparisonTest {
        let semantics = comparisonOperator.semantics
        let plain = try semantics.test(constants, text)
        guard var reading = dateReading else { return plain }
        if !readsLeft { reading.left = nil }
        var dated = constants
        if let left = reading.left { dated.lhs = constants.lhs.map { left.reading($0) ?? $0 } }
        if let right = reading.right { dated.rhs = constants.rhs.map { right.reading($0) ?? $0 } }
        return DateReadingTest(
            reading: reading, plain: plain,
            leftDated: try semantics.test(.init(lhs: dated.lhs, rhs: constants.rhs), text),
            rightDated: try semantics.test(.init(lhs: constants.lhs, rhs: dated.rhs), text))
    }
}

/// How the elements of a quantified list that is written out are decided: texts of fields are never read as dates.
struct WrittenElements: Sendable {
    /// The places of texts and variables, which are read where they meet a date.
    let read: Set<Int>
    /// The comparison's test for the others.
    let test: any ComparisonTest

    /// `nil` where no element is read.
    init?(_ form: BoundComparison.Form) {
        guard form.quantifier != nil, case .list = form.lhs.kind,
            case .members(let dates, let variables)? = form.dateReading?.left,
            let test = (try? form.test(form.constants, readsLeft: false))
                ?? (try? form.test(ConstantOperands(), readsLeft: false))
        else { return nil }
        read = Set(dates.keys).union(variables)
        self.test = test
    }
}

/// Which constants of a comparison are read as dates where they meet one.
struct DateReading: Sendable {
    /// What people write, for messages.
    static let forms = "a date is written '2026-01-31' or '2026-01-31T12:00:00Z'"

    /// What to write in place of a text: the day with which a year or a month begins.
    static func hint(_ text: String) -> String {
        let missing = text.utf8.count == 4 ? "-01-01" : text.utf8.count == 7 ? "-01" : ""
        guard !missing.isEmpty, RFC3339.day(text + missing) != nil else { return forms }
        return "'\(text + missing)' is its first day"
    }

    /// A side with constant texts.
    enum Side: Sendable {
        /// All of it, with what it becomes.
        case value(FieldValue)
        /// Some members of a list, by their places, and the places of its variables.
        case members([Int: FieldValue], variables: [Int])
        /// A variable, whose value is known when a record is decided.
        case variable

        init?(_ operand: Operand) {
            switch operand.kind {
            case .constant(let value):
                guard let read = value.readingDates else { return nil }
                self = .value(read)
            case .variable: self = .variable
            case .list(let members):
                var dates: [Int: FieldValue] = [:]
                var variables: [Int] = []
                for (index, member) in members.enumerated() {
                    if case .string = member.constant { dates[index] = member.constant?.readingDates }
                    if case .variable = member.kind { variables.append(index) }
                }
                guard !dates.isEmpty || !variables.isEmpty else { return nil }
                self = .members(dates, variables: variables)
            default: return nil
            }
        }

        /// The value of the side with its texts read.
        func reading(_ value: FieldValue) -> FieldValue? {
            switch self {
            case .value(let read):
                // The elements of a quantified list come one by one.
                if value.isCollection == read.isCollection { return read }
                return value.readingDates
            case .variable: return value.readingDates
            case .members(let dates, let variables):
                // So do the constant ones of a list with others.
                guard case .list(var elements) = value else { return value.readingDates }
                for (index, date) in dates where elements.indices.contains(index) { elements[index] = date }
                for index in variables where elements.indices.contains(index) {
                    guard case .string = elements[index], let date = elements[index].readingDates else { continue }
                    elements[index] = date
                }
                return .list(elements)
            }
        }
    }

    var left: Side?
    let right: Side?
    let isLeftCollection: Bool
    let isRightCollection: Bool
    /// Whether the right side is a pair of bounds.
    let isRange: Bool
}

/// A comparison of a constant text with values that may be texts or dates.
private struct DateReadingTest: ComparisonTest {
    let reading: DateReading
    let plain: any ComparisonTest
    /// The tests with the texts of one side read.
    let leftDated: any ComparisonTest
    let rightDated: any ComparisonTest

    func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
        if let right = reading.right, Self.meetsDate(lhs, isCollection: reading.isLeftCollection),
            let read = right.reading(rhs)
        {
            // A collection may hold the text itself.
            if reading.isLeftCollection, try plain.holds(lhs, rhs) { return true }
            return try rightDated.holds(lhs, read)
        }
        if let left = reading.left, Self.meetsDate(rhs, isCollection: reading.isRightCollection),
            let read = left.reading(lhs)
        {
            if reading.isRightCollection, !reading.isRange, try plain.holds(lhs, rhs) { return true }
            return try leftDated.holds(read, rhs)
        }
        return try plain.holds(lhs, rhs)
    }

    private static func meetsDate(_ value: FieldValue, isCollection: Bool) -> Bool {
        isCollection ? value.elements?.contains(where: \.isDate) ?? false : value.isDate
    }
}
