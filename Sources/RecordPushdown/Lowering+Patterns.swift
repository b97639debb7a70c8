// Beginnings, ends and parts of texts, and patterns.

import PredicateSemantics
import RecordModel
import TextAnalysis

/// Patterns of the server's LIKE.
enum Pattern {
    /// A text that matches itself alone.
    static func escaped(_ text: String) -> String { like(SQLValue.storable(text)) }

    /// As `escaped`, of a text that is in the server's form already.
    static func like(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { scalars.append("\\") }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// A pattern of the language with its literal stretches folded. `?` is one scalar here.
    ///
    /// - Parameter isRaw: Whether it is for texts as they were written, and not as `SQLValue.storable` has them.
    static func translated(_ pattern: String, _ options: TextOptions, isRaw: Bool = false) -> String {
        var (result, literal) = ("", "")
        var isEscaped = false
        func flush() {
            let folded = TextFolding.fold(literal, options)
            result += isRaw ? like(folded) : escaped(folded)
            literal = ""
        }
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "?" || scalar == "*" {
                flush()
                result += scalar == "?" ? "_" : "%"
            } else {
                literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal += "\\" }
        flush()
        return result
    }
}

extension Lowering {
    /// Where in a text another one is.
    enum Place {
        case prefix, suffix, part

        func pattern(_ text: String) -> String { around(Pattern.escaped(text)) }

        /// The pattern of texts that have a part which matches a pattern at the place.
        func around(_ pattern: String) -> String {
            (self == .prefix ? "" : "%") + pattern + (self == .suffix ? "" : "%")
        }
    }

    func affix(_ field: FieldColumn, _ needle: String, _ options: TextOptions, _ place: Place) -> Bounds {
        let wanted = TextFolding.fold(needle, options)
        if wanted.isEmpty { return .never }
        let here = present(field)
        if options.contains(.normalized) {
            let pattern = SQLValue.text(place.pattern(needle))
            let exact = Condition.every([
                .holds("\(column(field.name)) LIKE \(pattern)"), without(.unnormalized),
            ])
            return Bounds(exact, .some([exact, .every([here, isOdd])]))
        }
        let foldings = options.intersection(RowProjection.folding)
        if foldings.isEmpty || foldings == RowProjection.folding {
            let text = foldings.isEmpty ? column(field.name) : folded(field)
            // Heads are what indexes are of, that of the field's order among them.
            let isOfHead = place == .prefix && SQLValue.storable(wanted).unicodeScalars.count <= SQLHead.length
            let source: SQLText = isOfHead ? "left(\(text), 256)" : text
            var found = Condition.holds("\(source) LIKE \(.text(place.pattern(wanted)))")
            if place == .prefix, !isOfHead || foldings.isEmpty && field.name != orderedBy {
                found = .every([foldedHead(field, needle), found])
            }
            // Where no scalar joins another, no character can be cut.
            return Bounds(exact: found).certain(if: without(.joining))
        }
        let possible = Condition.every([here, required(field, .contains(PreparedNeedle(needle, options: options)))])
        guard wanted.utf8.allSatisfy({ $0 < 0x80 }) else { return .superset(possible) }
        let source = foldings == .caseInsensitive ? folded(field) : column(field.name)
        return Bounds(
            .every([.holds("\(source) LIKE \(.text(place.pattern(wanted)))"), isASCII(field)]), possible)
    }

    /// The folded head begins as the folded needle does: what the index of heads finds. It is known of ASCII alone, and
    /// not of what a mark behind it may turn into another scalar.
    private func foldedHead(_ field: FieldColumn, _ needle: String) -> Condition {
        guard needle.utf8.allSatisfy({ $0 < 0x80 }), let last = needle.last, !"<=>".contains(last) else {
            return .constant(true)
        }
        let head = SQLHead.of(SQLValue.storable(TextFolding.fold(needle, RowProjection.folding)))
        return .holds("left(\(folded(field)), 256) LIKE \(.text(Pattern.like(head) + "%"))")
    }

    /// What the heads of texts that match a pattern begin with, where it has text before its first wildcard: for the
    /// indexes of heads. All texts that the pattern itself lets pass satisfy it.
    private func heads(_ field: FieldColumn, _ pattern: String, _ options: TextOptions) -> [Condition] {
        let beginning = LikePattern(pattern, options: options).literalPrefix
        if beginning.isEmpty { return [] }
        let source = options.isEmpty ? column(field.name) : folded(field)
        let head = Pattern.like(SQLHead.of(SQLValue.storable(beginning))) + "%"
        let conditions = [Condition.holds("left(\(source), 256) LIKE \(.text(head))")]
        let isOfFolded = options.isEmpty && field.name != orderedBy
        return isOfFolded ? [foldedHead(field, beginning)] + conditions : conditions
    }

    /// What the folded text of every match holds.
    func required(_ field: FieldColumn, _ condition: TextCondition) -> Condition {
        func lowered(_ requirement: RequiredText) -> Condition {
            switch requirement {
            case .anything: .constant(true)
            case .text(let bytes):
                .holds("\(folded(field)) LIKE \(.text(Place.part.pattern(String(decoding: bytes, as: UTF8.self))))")
            case .all(let parts): .every(parts.map(lowered))
            case .any(let parts): .some(parts.map(lowered))
            }
        }
        return lowered(condition.requirement)
    }

    func like(_ field: FieldColumn, _ pattern: String, _ options: TextOptions) -> Bounds {
        let here = present(field)
        func bounds(
            _ source: SQLText, _ options: TextOptions, _ marks: RowMarks, heads: [Condition] = []
        ) -> Bounds {
            let found = Condition.holds("\(source) LIKE \(.text(Pattern.translated(pattern, options)))")
            let certain = Condition.every(heads + [found, without(marks)])
            return Bounds(certain, .some([certain, .every([here, isOdd])]))
        }
        if options.contains(.normalized) { return bounds(column(field.name), .normalized, .unnormalized) }
        let foldings = options.intersection(RowProjection.folding)
        let heads = heads(field, pattern, foldings)
        if foldings.isEmpty { return bounds(column(field.name), [], .control, heads: heads) }
        if foldings == RowProjection.folding { return bounds(folded(field), foldings, .control, heads: heads) }
        let source = foldings == .caseInsensitive ? folded(field) : column(field.name)
        let certain = Condition.every([
            .holds("\(source) LIKE \(.text(Pattern.translated(pattern, foldings)))"), isASCII(field),
            without(.control),
        ])
        let possible = Condition.every([here, required(field, .like(LikePattern(pattern, options: options)))])
        return Bounds(certain, .some([certain, possible]))
    }
}
