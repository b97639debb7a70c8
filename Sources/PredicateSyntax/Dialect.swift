// Which part of the language a predicate may use.

/// A dialect: all of the language, or the part that a CloudKit server takes.
public enum Dialect: String, Hashable, Sendable, Codable, CaseIterable {
    /// The whole language.
    case full
    /// The subset that CloudKit documents for its queries. It changes no meaning, it only rejects.
    case cloudKit
}

extension SyntaxTree {
    /// Checks that the tree stays inside a dialect.
    ///
    /// Without a schema, `name CONTAINS 'x'` may be a test of a list (allowed) or of a string (rejected by CloudKit);
    /// name the fields known to hold strings to have those rejected.
    /// - Parameters:
    ///   - dialect: The dialect.
    ///   - stringFields: Keys of fields that hold one string.
    ///   - dateFields: Keys of fields that hold one date: CloudKit reads no text as a date.
    /// - Throws: `SyntaxError` of kind `.dialect` at the first part that the dialect leaves out.
    public func validate(
        for dialect: Dialect, stringFields: Set<String> = [], dateFields: Set<String> = []
    ) throws(SyntaxError) {
        switch dialect {
        case .full: break
        case .cloudKit:
            try CloudKitValidator(text: text, stringFields: stringFields, dateFields: dateFields).check(root)
        }
    }
}
