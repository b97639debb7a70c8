// A part of a predicate that another language has no words for.

import RecordDatabase

/// Why a predicate cannot be translated: the part at fault, and what may help.
struct TranslationRejection: Error {
    /// The part, in UTF-8 bytes of the predicate's text.
    var span: SourceSpan
    var message: String
    var hint: String?

    init(_ span: SourceSpan, _ message: String, hint: String? = nil) {
        self.span = span
        self.message = message
        self.hint = hint
    }

    /// Years, months and days of another time zone: what is translated would take those of UTC.
    static func partsElsewhere(_ span: SourceSpan) -> TranslationRejection {
        TranslationRejection(
            span, "years, months and days of the time zone of --time-zone have no counterpart",
            hint: "compare with dates, which are translated as moments, or leave --time-zone out for those of UTC")
    }
}

extension CommandError {
    /// The rejection as it is shown, with the part marked in the text.
    init(_ rejection: TranslationRejection, in text: String) {
        self.init(
            RecordPredicateError(
                BindingError(
                    kind: .invalidArgument, span: rejection.span, message: rejection.message, hint: rejection.hint),
                in: text))
        stage = "translation"
    }
}
