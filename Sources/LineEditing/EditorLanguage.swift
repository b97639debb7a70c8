// What the editor needs to know of the language that is typed into it.

/// What a stretch of the screen is, which decides how it is drawn.
package enum TextRole: UInt8, Hashable, Sendable, CaseIterable {
    case plain, prompt
    case keyword, comparison, option, arithmetic, function, constant, string, number, variable, bracket, command
    /// A bracket and its partner.
    case matchedBracket
    /// A bracket without a partner, or text that cannot be read.
    case invalid
    /// What is wrong, and where.
    case error
    /// What is probably wrong.
    case warning
    /// What helps but does not matter: hints, ghosts, details.
    case faint
    /// A line of the menu, and the one that is chosen.
    case menu, chosen
    /// What a search found.
    case found
}

/// A stretch of the text that is drawn alike.
package struct HighlightedRange: Hashable, Sendable {
    /// UTF-8 bytes of the text.
    package var range: Range<Int>
    package var role: TextRole

    package init(_ range: Range<Int>, _ role: TextRole) {
        self.range = range
        self.role = role
    }
}

/// What is wrong with a text, and where.
package struct Diagnosis: Hashable, Sendable {
    package enum Severity: Hashable, Sendable {
        case error, warning
        /// Right so far.
        case unfinished
    }

    package var severity: Severity
    /// UTF-8 bytes of the text; empty at its end.
    package var range: Range<Int>
    package var message: String
    package var hint: String?

    package init(_ severity: Severity, _ range: Range<Int>, _ message: String, hint: String? = nil) {
        self.severity = severity
        self.range = range
        self.message = message
        self.hint = hint
    }
}

/// Something that could be put at the cursor.
package struct CompletionCandidate: Hashable, Sendable {
    /// What is put in.
    package var text: String
    /// What the menu says beside it.
    package var detail: String
    package var role: TextRole
    /// Whether a blank follows when it is chosen.
    package var isWhole: Bool

    package init(_ text: String, detail: String = "", role: TextRole = .plain, isWhole: Bool = true) {
        self.text = text
        self.detail = detail
        self.role = role
        self.isWhole = isWhole
    }
}

/// What could be put in place of a part of the text.
package struct CompletionList: Hashable, Sendable {
    /// UTF-8 bytes that a candidate replaces.
    package var range: Range<Int>
    /// Best first.
    package var candidates: [CompletionCandidate]

    package init(range: Range<Int>, candidates: [CompletionCandidate]) {
        self.range = range
        self.candidates = candidates
    }
}

/// What the editor needs to know of the language that is typed into it. Every call should take a few milliseconds.
package protocol EditorLanguage {
    /// Stretches to draw, ascending and apart.
    func highlights(of text: String) -> [HighlightedRange]
    /// What is wrong while the cursor is at a byte; `nil` when nothing is.
    func diagnosis(of text: String, cursor: Int) -> Diagnosis?
    /// Whether Enter runs the text, or begins another line of it.
    func isFinished(_ text: String) -> Bool
    /// What could appear at the cursor.
    func completions(of text: String, cursor: Int) -> CompletionList
}
