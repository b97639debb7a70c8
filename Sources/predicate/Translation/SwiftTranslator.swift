// Predicates as Swift, for the builder: what `City.where { … }` is written with.

import FoundationEssentials
import PredicateEditing
import PredicateSyntax
import RecordDatabase
import TextAnalysis

/// Writes predicates as calls of the builder; a part that it has no words for stays text, as a predicate literal.
struct SwiftTranslator {
    /// The Swift type whose records are queried.
    let type: String

    /// Why a part is not written in Swift: nothing but that it is not.
    private struct Untold: Error {}

    /// The call of the builder.
    /// - Throws: `TranslationRejection` for a part that has neither words in Swift nor a text of its own.
    func call(_ root: BoundNode) throws(TranslationRejection) -> String {
        let text = try condition(root, within: .or)
        return "\(type).where { \(Self.namesRecord(text) ? "" : "_ in ")\(text) }"
    }

    /// Whether `$0` is in Swift text outside of literals: a closure that does not name its argument says so.
    private static func namesRecord(_ text: String) -> Bool {
        var isQuoted = false
        var last: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if scalar == "\"", last != "\\" { isQuoted.toggle() }
            if !isQuoted, last == "$", scalar == "0" { return true }
            // A backslash behind a backslash escapes nothing.
            last = last == "\\" && scalar == "\\" ? " " : scalar
        }
        return false
    }

    /// Whether a text is the name of a type, perhaps inside of others.
    static func isType(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isIdentifier(String($0)) }
    }

    private enum Level: Int { case or, and, atom }

    private func condition(_ node: BoundNode, within outer: Level) throws(TranslationRejection) -> String {
        switch node {
        case .constant(let truth):
            return "(\"\(truth ? "TRUEPREDICATE" : "FALSEPREDICATE")\" as RecordPredicate)"
        case .not(let term):
            // One that begins with a bracket, as of a sum, need not end with it.
            if case .comparison(let comparison) = term, let text = try? self.comparison(comparison) {
                return "!(\(text))"
            }
            let text = try condition(term, within: .atom)
            return "!" + (text.hasPrefix("(") ? text : "(\(text))")
        case .and(let terms): return try group(terms, " && ", .and, within: outer)
        case .or(let terms): return try group(terms, " || ", .or, within: outer)
        case .comparison(let comparison):
            if let text = try? self.comparison(comparison) { return text }
            return try literal(comparison)
        }
    }

    private func group(
        _ terms: [BoundNode], _ connective: String, _ level: Level, within outer: Level
    ) throws(TranslationRejection) -> String {
        var texts: [String] = []
        for term in terms { texts.append(try condition(term, within: level == .or ? .and : .atom)) }
        let text = texts.joined(separator: connective)
        return outer.rawValue > level.rawValue ? "(\(text))" : text
    }

    /// The comparison as a predicate literal.
    private func literal(_ comparison: BoundComparison) throws(TranslationRejection) -> String {
        let parts: Set<FunctionName> = [.year, .month, .day]
        if CivilZone.isElsewhere, comparison.lhs.calls(parts) || comparison.rhs.calls(parts) {
            throw .partsElsewhere(comparison.span)
        }
        let text = Self.text(of: comparison)
        guard let tree = try? SyntaxTree(parsing: text), tree.placeholders.isEmpty else {
            throw TranslationRejection(
                comparison.span, "the builder has no counterpart for this, and its values have no text",
                hint: "write it as an interpolated predicate")
        }
        return "(\(Self.quoted(text)) as RecordPredicate)"
    }

    /// The text of a comparison; a polygon that is an object as GeoJSON.
    private static func text(of comparison: BoundComparison) -> String {
        let text = comparison.description
        guard case .function(.inPolygon, let operands) = comparison.lhs.kind, operands.count == 2,
            case .object(let members)? = operands[1].constant
        else { return text }
        // What else a geometry of GeoJSON may have is of no account.
        let parts = ["type", "coordinates"].map { "\"\($0)\":\(geoJSON(members[$0] ?? .null))" }
        return text.replacing("%@", with: "'{\(parts.joined(separator: ","))}'", maxReplacements: 1)
    }

    /// A part of a geometry that is an area: a type, numbers, lists of them.
    private static func geoJSON(_ value: FieldValue) -> String {
        switch value {
        case .string(let type): "\"\(type)\""
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .list(let elements): "[\(elements.map(geoJSON).joined(separator: ","))]"
        default: "null"
        }
    }

    // MARK: Comparisons

    private func comparison(_ comparison: BoundComparison) throws(Untold) -> String {
        let constant = comparison.rhs.constant
        var lhs = try expression(comparison.lhs)
        if let quantifier = comparison.quantifier { lhs += ".\(quantifier.rawValue.lowercased())" }
        let options = try Self.options(comparison)
        switch comparison.comparisonOperator {
        case .equal, .notEqual:
            if options.isEmpty || constant.map({ $0.isText }) == false { break }
            guard comparison.quantifier == nil, let text = constant, text.isText else { throw Untold() }
            let call = "\(lhs).equals(\(try value(text)), options: \(options))"
            return comparison.comparisonOperator == .equal ? call : "!\(call)"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            if !options.isEmpty, constant.map({ $0.isText }) != false { throw Untold() }
        case .beginsWith: return try text("hasPrefix", lhs, comparison, options)
        case .endsWith: return try text("hasSuffix", lhs, comparison, options)
        case .like: return try text("like", lhs, comparison, options)
        case .matches: return try text("matches", lhs, comparison, options)
        case .contains: return try text("contains", lhs, comparison, options)
        case .tokenMatches:
            guard case .string = constant, comparison.quantifier == nil else { throw Untold() }
            let receiver = if case .allTokens = comparison.lhs.kind { "$0" } else { lhs }
            let argument = try value(constant ?? .null)
            return
                "\(receiver).matchesTokens(\(argument)"
                + (options == ".fullText" ? ")" : ", options: \(options.isEmpty ? "[]" : options))")
        case .in:
            guard comparison.quantifier == nil, options.isEmpty, case .list = constant else { throw Untold() }
            return "\(lhs).in(\(try value(constant ?? .null)))"
        case .between:
            guard comparison.quantifier == nil, options.isEmpty, case .list(let bounds) = constant, bounds.count == 2
            else {
                throw Untold()
            }
            return "\(lhs).between(\(try value(bounds[0])), \(try value(bounds[1])))"
        default: throw Untold()
        }
        return "\(lhs) \(comparison.comparisonOperator.rawValue) \(try right(comparison))"
    }

    private func right(_ comparison: BoundComparison) throws(Untold) -> String {
        guard let constant = comparison.rhs.constant else { return try expression(comparison.rhs) }
        guard case .function(.distanceToLocation, _) = comparison.lhs.kind, constant.isNumber else {
            return try value(constant)
        }
        return ".meters(\(try value(constant)))"
    }

    private func text(
        _ name: String, _ lhs: String, _ comparison: BoundComparison, _ options: String
    ) throws(Untold) -> String {
        guard let constant = comparison.rhs.constant, comparison.quantifier == nil, !constant.isNull else {
            throw Untold()
        }
        if name != "contains", !constant.isText { throw Untold() }
        return "\(lhs).\(name)(\(try value(constant))\(options.isEmpty ? "" : ", options: \(options)"))"
    }

    /// The options in Swift, empty for none.
    private static func options(_ comparison: BoundComparison) throws(Untold) -> String {
        // A phrase has no name in the bound options: the text has it.
        if comparison.comparisonOperator == .tokenMatches, comparison.description.contains("p] ") { throw Untold() }
        let options = comparison.options
        if options.isEmpty { return "" }
        if options == [.caseInsensitive, .diacriticInsensitive] { return ".relaxed" }
        if options == [.caseInsensitive, .diacriticInsensitive, .localeSensitive] { return ".fullText" }
        let names: [(TextOptions, String)] = [
            (.caseInsensitive, ".caseInsensitive"), (.diacriticInsensitive, ".diacriticInsensitive"),
            (.normalized, ".normalized"), (.localeSensitive, ".localeSensitive"),
        ]
        let given = names.filter { options.contains($0.0) }.map(\.1)
        return given.count == 1 ? given[0] : "[\(given.joined(separator: ", "))]"
    }

    // MARK: Values

    private func expression(_ operand: Operand) throws(Untold) -> String {
        switch operand.kind {
        case .constant(let constant): return try value(constant)
        case .field(let field): return "$0." + (try Self.member(field.name))
        case .allTokens: return "$0.allTokens"
        case .path(let base, let steps):
            var text = try expression(base)
            for step in steps { text += try self.step(step) }
            return text
        case .unary(.minus, let inner): return "-\(try expression(inner))"
        case .binary(let operation, let lhs, let rhs):
            guard [.add, .subtract, .multiply, .divide].contains(operation) else { throw Untold() }
            return "(\(try expression(lhs)) \(operation.rawValue) \(try expression(rhs)))"
        case .function(.length, let operands) where operands.count == 1:
            return "\(try expression(operands[0])).length"
        case .function(.lowercase, let operands) where operands.count == 1:
            return "\(try expression(operands[0])).lowercased()"
        case .function(.uppercase, let operands) where operands.count == 1:
            return "\(try expression(operands[0])).uppercased()"
        case .function(.distanceToLocation, let operands) where operands.count == 2 && operands[0].constant == nil:
            return "\(try expression(operands[0])).distance(to: \(try expression(operands[1])))"
        default: throw Untold()
        }
    }

    private func step(_ step: BoundStep) throws(Untold) -> String {
        switch step.kind {
        case .key(let name): return "." + (try Self.member(name))
        case .collection(.count, let argument) where argument.isEmpty: return ".count"
        case .size: return ".count"
        case .first: return ".first"
        case .last: return ".last"
        case .index(let index):
            guard case .int64(let position) = index.constant else { throw Untold() }
            return "[\(position)]"
        case .collection: throw Untold()
        }
    }

    /// A property of the field's name.
    private static func member(_ name: String) throws(Untold) -> String {
        guard isIdentifier(name), name != "_" else { throw Untold() }
        return ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    private func value(_ value: FieldValue) throws(Untold) -> String {
        switch value {
        case .null: return "nil"
        case .bool(let flag): return flag ? "true" : "false"
        case .int64(let number): return String(number)
        case .double(let number):
            guard number.isFinite else { throw Untold() }
            return "\(number)"
        case .string(let text): return Self.quoted(text)
        case .date(let date): return "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
        case .location(let place): return "Location(latitude: \(place.latitude), longitude: \(place.longitude))"
        case .list(let elements):
            var texts: [String] = []
            for element in elements { texts.append(try self.value(element)) }
            return "[\(texts.joined(separator: ", "))]"
        case .data, .reference, .asset, .set, .object: throw Untold()
        }
    }

    /// A text as a literal of Swift.
    private static func quoted(_ text: String) -> String {
        let inner = text.escaping { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            // What ends lines for some readers, cannot be seen, or changes the order of what can.
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200B}"..."\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}", "\u{FEFF}":
                "\\u{\(String(scalar.value, radix: 16))}"
            default: nil
            }
        }
        return "\"\(inner)\""
    }
}

extension FieldValue {
    fileprivate var isText: Bool { if case .string = self { true } else { false } }
}
