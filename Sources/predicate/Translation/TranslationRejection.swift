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
