// A part of a predicate that another language has no words for.

import RecordDatabase

/// Why a predicate cannot be translated: the part at fault, and what may help.
struct TranslationRefusal: Error {
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
    init(_ refusal: TranslationRefusal, in text: String) {
        self.init(
            RecordPredicateError(
                BindingError(kind: .invalidArgument, span: refusal.span, message: refusal.message, hint: refusal.hint),
                in: text))
        stage = "translation"
    }
}
