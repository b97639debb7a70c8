// Errors of texts in other languages: their hint is the call that says the same.

import PredicateEditing
import RecordDatabase

extension CommandError {
    /// The error with the call that was meant as its hint, where a text is of another query language.
    ///
    /// - Parameters:
    ///   - text: What was given in the predicate's place.
    ///   - files: The files of the call.
    ///   - arguments: Its options.
    func suggestingCommand(for text: String, files: [String], _ arguments: ParsedArguments) -> CommandError {
        guard let query = suggestion(for: text) else { return self }
        let given = arguments.options.filter { !query.options.contains($0.name) }
            .flatMap { $0.value.isEmpty ? [$0.name] : [$0.name, $0.value] }
        var error = self
        error.hint = query.command(files: files, given: given)
        return error
    }

    /// The error with the lines that were meant as its hint, at the prompt.
    func suggestingLines(for text: String) -> CommandError {
        guard let query = suggestion(for: text), query.verb == .query || query.verb == .schema else { return self }
        var error = self
        error.hint = query.lines.joined(separator: "  then  ")
        return error
    }

    /// What a text that is no predicate says in another language.
    private func suggestion(for text: String) -> TranslatedQuery? {
        if stage == "syntax" || text.contains("=~") {
            return ForeignLanguage.suggestion(for: text.trimmed, hint: hint)
        }
        return ForeignLanguage.withQuotedDates(text.trimmed)
    }
}
