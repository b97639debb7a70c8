// Texts of tables that others made: as they were written, with nothing beside them that was folded.

import PredicateSemantics
import RecordModel
import TextAnalysis

/// A text of a row as it was written, or NULL. The server decides on texts of ASCII, of which folding is known, and on
/// those that have one way of writing; of others it finds what may match.
struct RawText {
    /// The text under its own collation, which indexes have.
    private let plain: SQLText
    /// The text by the order of scalars.
    private let ordered: SQLText

    /// - Parameters:
    ///   - text: An expression of type `text`.
    ///   - isBytewise: Whether texts are equal under its collation only if their bytes are.
    init(text: SQLText, isBytewise: Bool) {
        ordered = "(\(text) COLLATE \"C\")"
        plain = isBytewise ? text : ordered
    }

    private static let cd = RowProjection.folding

    private var isHere: Condition { .holds("\(plain) IS NOT NULL") }
    private var isASCII: Condition { .holds("octet_length(\(plain)) = char_length(\(plain))") }
    private var isForeign: Condition { .holds("octet_length(\(plain)) > char_length(\(plain))") }

    /// Scalars of which a text may hold others in their place, or that may be written in several ways.
    private static let uncomposed = "[^\\u0001-\\u02FF\\u0380-\\u0386\\u0388-\\u047F]"
    /// The text is its own composed normal form, as no scalar in it is written in another way.
    private var isComposed: Condition { .holds("\(ordered) !~ \(.text(Self.uncomposed))") }
    private var mayBeUncomposed: Condition { .holds("\(ordered) ~ \(.text(Self.uncomposed))") }

    /// The rows that meet a requirement; `nil` where nothing is known.
    func bounds(_ requirement: FieldConstraint.Requirement) -> Bounds? {
        switch requirement {
        case .equal(.string(let text), let options): return texts([text], options)
        case .equal(let value, _): return value.isNull ? nil : .never
        case .membership(let values, let options):
            var texts: [String] = []
            for case .string(let text) in values { texts.append(text) }
            return self.texts(texts, options)
        case .range(let lower, let upper, let options): return range(lower, upper, options)
        case .prefix(let needle, let options): return affix(needle, options, .prefix)
        case .suffix(let needle, let options): return affix(needle, options, .suffix)
        case .substring(let needle, let options): return affix(needle, options, .part)
        case .pattern(.like(let pattern), let options): return like(pattern, options)
        case .pattern(.regularExpression(let pattern), let options):
            guard let expression = try? RegularExpression(pattern, options: options) else { return nil }
            return .superset(.every([isHere, .some([required(expression), isForeign])]))
        default: return nil
        }
    }

    // MARK: What texts are equal to

    /// All ways in which a text of the server that is equal to another one may be written; `nil` where they are not
    /// known, or many. The server has no text with U+0000.
    static func equivalents(of text: String) -> [String]? {
        TextSpelling.all(of: text)?.filter { !$0.utf8.contains(0) }
    }

    /// A pattern of the server that all ways of writing a text match: what may be written in another way is any text.
    static func pattern(of composed: String) -> String {
        var pattern = String.UnicodeScalarView()
        for scalar in composed.unicodeScalars {
            if TextSpelling.twins[scalar] != nil {
                pattern.append("_")
            } else if TextSpelling.isStable(scalar) {
                pattern.append(contentsOf: Pattern.like(String(scalar)).unicodeScalars)
            } else if pattern.last != "%" || pattern.dropLast().last == "\\" {
                pattern.append("%")
            }
        }
        return String(pattern)
    }

    private func among(_ source: SQLText, _ values: [String]) -> Condition {
        if values.isEmpty { return .constant(false) }
        return values.count == 1
            ? .holds("\(source) = \(.text(values[0]))") : .holds("\(source) = ANY(\(.texts(values)))")
    }

    private func texts(_ texts: [String], _ options: TextOptions) -> Bounds? {
        let texts = texts.filter { !$0.utf8.contains(0) }
        if options.contains(.normalized) { return Bounds(exact: among(plain, texts)) }
        if options.contains(.localeSensitive) { return nil }
        guard options.isEmpty else { return folded(texts.map { TextFolding.fold($0, options) }, options) }
        var known: [String] = []
        var others: [Condition] = []
        var sure: [String] = []
        for text in texts {
            if let equal = Self.equivalents(of: text) {
                known += equal
            } else if others.count < 100 {
                let composed = TextFolding.fold(text, [])
                sure.append(composed)
                others.append(.holds("\(plain) LIKE \(.text(Self.pattern(of: composed)))"))
            } else {
                return nil
            }
        }
        let certain = among(plain, known)
        if others.isEmpty { return Bounds(exact: certain) }
        return Bounds(.some([certain, among(plain, sure)]), .some([certain] + others))
    }

    /// ASCII is folded by the server, texts of other scalars are undecided.
    private func folded(_ wanted: [String], _ options: TextOptions) -> Bounds {
        let found = among(folded(options), wanted.filter { $0.utf8.allSatisfy { $0 < 0x80 } })
        return Bounds(.every([found, isASCII]), .some([found, isForeign]))
    }

    /// The text with the letters of ASCII as options fold them.
    private func folded(_ options: TextOptions) -> SQLText {
        options.contains(.caseInsensitive) ? "lower(\(ordered))" : plain
    }

    // MARK: Order

    private func range(
        _ lower: FieldConstraint.Bound?, _ upper: FieldConstraint.Bound?, _ options: TextOptions
    ) -> Bounds? {
        if options.contains(.localeSensitive) { return nil }
        let source = options.isEmpty || options.contains(.normalized) ? ordered : "(\(folded(options)) COLLATE \"C\")"
        var conditions: [Condition] = []
        for (bound, isAbove) in [(lower, true), (upper, false)] {
            guard let bound else { continue }
            guard case .string(let text) = bound.value else { return .never }
            let value = TextFolding.fold(text, options)
            if value.utf8.contains(0) { return nil }
            let sign: SQLText =
                switch (isAbove, bound.isInclusive) {
                case (true, true): ">="
                case (true, false): ">"
                case (false, true): "<="
                case (false, false): "<"
                }
            conditions.append(.holds("\(source) \(sign) \(.text(value))"))
        }
        let found = Condition.every(conditions)
        if options.contains(.normalized) { return Bounds(exact: found) }
        if options.isEmpty { return Bounds(.every([found, isComposed]), .some([found, mayBeUncomposed])) }
        return Bounds(.every([found, isASCII]), .some([found, isForeign]))
    }

    // MARK: Parts

    private func affix(_ needle: String, _ options: TextOptions, _ place: Lowering.Place) -> Bounds? {
        let wanted = TextFolding.fold(needle, options)
        if wanted.isEmpty || needle.utf8.contains(0) { return .never }
        if options.contains(.localeSensitive) { return nil }
        if options.contains(.normalized) {
            return Bounds(exact: "\(plain) LIKE \(.text(place.around(Pattern.like(needle))))")
        }
        let isPlain = wanted.utf8.allSatisfy { $0 < 0x80 }
        let exact = place.around(Pattern.like(wanted))
        if options.isEmpty {
            let wide = Condition.holds("\(plain) LIKE \(.text(place.around(Self.pattern(of: wanted))))")
            return Bounds(
                isPlain ? .every([.holds("\(plain) LIKE \(.text(exact))"), isASCII]) : .constant(false), wide)
        }
        let found = isPlain ? Condition.holds("\(folded(options)) LIKE \(.text(exact))") : .constant(false)
        return Bounds(.every([found, isASCII]), .some([found, isForeign]))
    }

    private func like(_ pattern: String, _ options: TextOptions) -> Bounds? {
        if options.contains(.localeSensitive) || pattern.utf8.contains(0) { return nil }
        let found: (SQLText, TextOptions) -> Condition = { source, options in
            .holds("\(source) LIKE \(.text(Pattern.translated(pattern, options, isRaw: true)))")
        }
        if options.contains(.normalized) { return Bounds(exact: found(plain, .normalized)) }
        let match = found(folded(options), options)
        return Bounds(.every([match, isASCII]), .some([match, isForeign]))
    }

    /// What the folded text of every match of ASCII holds.
    private func required(_ expression: RegularExpression) -> Condition {
        func lowered(_ requirement: RequiredText) -> Condition {
            switch requirement {
            case .anything: return .constant(true)
            case .text(let bytes):
                // The server has no text with U+0000.
                if bytes.contains(0) { return .constant(false) }
                let pattern = Lowering.Place.part.around(Pattern.like(String(decoding: bytes, as: UTF8.self)))
                return .holds("lower(\(ordered)) LIKE \(.text(pattern))")
            case .all(let parts): return .every(parts.map(lowered))
            case .any(let parts): return .some(parts.map(lowered))
            }
        }
        return lowered(TextCondition.matches(expression).requirement)
    }
}

extension FieldConstraint.Requirement {
    /// How texts are compared.
    var textOptions: TextOptions {
        switch self {
        case .equal(_, let options), .membership(_, let options), .range(_, _, let options): options
        case .prefix(_, let options), .suffix(_, let options), .substring(_, let options): options
        case .pattern(_, let options), .tokens(_, _, let options), .tokenPrefix(_, let options): options
        case .presence, .analyzed, .distance, .area: []
        }
    }
}
