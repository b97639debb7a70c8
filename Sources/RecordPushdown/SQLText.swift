// Statements in pieces: words of this package, names in quotes, and values that never become words.

package import RecordModel

/// A value that a statement gets as a parameter.
package enum SQLValue: Hashable, Sendable {
    case int64(Int64)
    case double(Double)
    /// A text without U+0000: as `SQLValue.storable` makes it, or a name.
    case text(String)
    case int64s([Int64])
    case doubles([Double])
    case texts([String])

    /// The value as explanations have it.
    package var fieldValue: FieldValue {
        switch self {
        case .int64(let number): .int64(number)
        case .double(let number): .double(number)
        case .text(let text): .string(text)
        case .int64s(let numbers): .list(numbers.map { .int64($0) })
        case .doubles(let numbers): .list(numbers.map { .double($0) })
        case .texts(let texts): .list(texts.map { .string($0) })
        }
    }

    /// A text in the form in which the server stores it. U+0000 cannot be in its texts: U+0000 and U+0001 become
    /// two scalars each, by which equality, order, beginnings and parts stay what they are.
    ///
    /// - Complexity: O(length).
    package static func storable(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 2 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value < 2 {
                scalars.append("\u{1}")
                scalars.append(scalar.value == 0 ? "\u{1}" : "\u{2}")
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// The name of a record, which a server stores as it is; `nil` for one with U+0000, which no record there has.
    static func name(_ name: String) -> String? { name.utf8.contains(0) ? nil : name }
}

/// A piece of a statement. What a literal of the program says becomes words; values that are interpolated become
/// parameters, and names are put in quotes.
package struct SQLText: Hashable, Sendable, ExpressibleByStringInterpolation {
    fileprivate enum Part: Hashable {
        case words(String)
        case value(SQLValue)
    }

    private var parts: [Part]

    package init(stringLiteral value: String) { parts = [.words(value)] }

    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// What is between the quotes of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity _: Int, interpolationCount: Int) { parts.reserveCapacity(interpolationCount * 2) }

        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append(.words(literal)) }
        }

        /// A parameter.
        package mutating func appendInterpolation(_ value: SQLValue) { parts.append(.value(value)) }

        /// Another piece.
        package mutating func appendInterpolation(_ text: SQLText) { parts += text.parts }

        /// A name, in quotes.
        package mutating func appendInterpolation(name: String) { parts.append(.words(SQLText.quoted(name))) }
    }

    /// Pieces with words between them.
    package static func joined(_ texts: [SQLText], by separator: String) -> SQLText {
        var joined: SQLText = ""
        for (index, text) in texts.enumerated() {
            if index > 0 { joined.parts.append(.words(separator)) }
            joined.parts += text.parts
        }
        return joined
    }

    /// A name in quotes, those in the name doubled: scalar by scalar, as a quote with a mark behind it is no character
    /// of its own.
    package static func quoted(_ name: String) -> String {
        var quoted = String.UnicodeScalarView(["\""])
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// How many parameters there are.
    var valueCount: Int { parts.count { if case .value = $0 { true } else { false } } }

    /// The statement with its parameters as `$1`, `$2`, …
    ///
    /// - Parameter count: Parameters that come before.
    package func printed(after count: Int = 0) -> (text: String, values: [SQLValue]) {
        var text = ""
        var values: [SQLValue] = []
        for part in parts {
            switch part {
            case .words(let words): text += words
            case .value(let value):
                values.append(value)
                text += "$\(count + values.count)"
            }
        }
        return (text, values)
    }
}
