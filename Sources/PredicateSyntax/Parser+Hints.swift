// What the author of a refused text may have meant.

extension Parser {
    /// A suggestion for the error `message` at the current token.
    func hint(for message: String) -> String? {
        nil
    }
}
