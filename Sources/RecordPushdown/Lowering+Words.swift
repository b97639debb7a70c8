// Words of all texts of a row, by their places.

import PredicateSemantics
import RecordModel
import TextAnalysis

/// Searches for words as the server reads them.
enum WordQuery {
    /// Bytes of one word, and of all words of a search, that are sent at most.
    static let limits = (word: 2_000, all: 50_000)

    /// A word in the server's quotes: scalar by scalar.
    static func quoted(_ word: String) -> String {
        var scalars = String.UnicodeScalarView(["'"])
        for scalar in word.unicodeScalars {
            if scalar == "\\" || scalar == "'" { scalars.append(scalar) }
            scalars.append(scalar)
        }
        scalars.append("'")
        return String(scalars)
    }
}

extension Lowering {
    /// A search for words.
    private struct Words {
        let query: String
        let options: TextOptions
        /// Whether what folds all letters finds nothing but what these options find, where texts fold alike.
        let isExact: Bool
        let isASCII: Bool
        /// Marks of rows of which the words do not tell.
        let marks: RowMarks
    }

    /// - Parameter field: The field that has the words; `nil` for any.
    func words(_ requirement: FieldConstraint.Requirement, of field: FieldColumn?) -> Bounds {
        let words: Words
        switch requirement {
        case .tokens(let terms, let mode, let options):
            if terms.isEmpty { return .never }
            guard let found = search(terms, mode, options) else { return presence(field) }
            words = found
        case .tokenPrefix(let text, let options):
            if TextFolding.fold(text, options.subtracting(.localeSensitive)).isEmpty { return .never }
            guard let found = search(beginning: text, options) else { return presence(field) }
            words = found
        default: return presence(field)
        }
        guard knowsTexts else { return presence(field) }
        let found = Condition.holds("\(column("_w")) @@ \(.text(words.query))::tsquery")
        let possible = Condition.some([found, isOdd])
        if let field { return .superset(.every([present(field), possible])) }
        guard words.isExact else { return .superset(possible) }
        let letters = words.options.intersection([.caseInsensitive, .diacriticInsensitive, .normalized])
        if letters == RowProjection.folding {
            return Bounds(.every([found, without(words.marks)]), possible)
        }
        // Words of ASCII texts are the same where case alone is folded.
        if letters == .caseInsensitive, words.isASCII {
            return Bounds(.every([found, without(words.marks.union(.foreign))]), possible)
        }
        return .superset(possible)
    }

    private func presence(_ field: FieldColumn?) -> Bounds { field.map { .superset(present($0)) } ?? .nothing }

    private func search(
        _ terms: [String], _ mode: FieldConstraint.TokenMode, _ options: TextOptions
    ) -> Words? {
        let words = terms.map { SQLValue.storable(TextFolding.fold($0, RowProjection.folding)) }
        guard !words.contains(where: { $0.isEmpty || $0.utf8.count > WordQuery.limits.word }),
            words.reduce(0, { $0 + $1.utf8.count + 8 }) < WordQuery.limits.all
        else { return nil }
        let sign =
            switch mode {
            case .any: " | "
            case .all: " & "
            case .phrase: " <-> "
            }
        return Words(
            query: words.map(WordQuery.quoted).joined(separator: sign), options: options, isExact: true,
            isASCII: terms.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }, marks: .wordsLeftOut)
    }

    private func search(beginning text: String, _ options: TextOptions) -> Words? {
        let word = SQLValue.storable(TextFolding.fold(text, RowProjection.folding))
        guard !word.isEmpty, word.utf8.count <= WordQuery.limits.word else { return nil }
        let isFolded = TextFolding.fold(text, options) == text || options.contains(.caseInsensitive)
        return Words(
            query: WordQuery.quoted(word) + ":*", options: options, isExact: isFolded, isASCII: false,
            marks: [.wordsLeftOut, .joining])
    }
}
