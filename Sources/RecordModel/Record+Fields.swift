// Fields of a record by key: which there are, which were set, and values in types of Swift.

extension Record {
    /// The names of the fields that have a value, in order of code point. Complexity: O(fields · log fields).
    public func allKeys() -> [String] { Self.inOrder(fields.keys) }

    /// The names of the fields that were set since the record was fetched or saved, to any value, in order of code
    /// point.
    public func changedKeys() -> [String] { Self.inOrder(changes.keys) }

    /// Names of fields in order of code point.
    static func inOrder(_ keys: some Sequence<String>) -> [String] { keys.sorted(by: precedes) }

    /// Swift compares strings by canonical equivalence, keys are ordered by code point.
    private static func precedes(_ a: String, _ b: String) -> Bool {
        a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
    }

    /// The words of all fields that hold a string, each split at white space, in order of field name. Nothing is folded
    /// and nothing is dropped; the search of predicates (`allTokens TOKENMATCHES`) has finer rules.
    /// - Complexity: O(length of the texts).
    public func allTokens() -> [String] {
        let fields = fields
        return fields.keys.sorted(by: Self.precedes).flatMap { key -> [String] in
            guard case .string(let text)? = fields[key] else { return [] }
            return text.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    }

    /// The value of a field as a Swift type; `nil` when it is absent or of another kind. Setting `nil` removes the
    /// field.
    ///
    ///     let name: String? = record["name"]
    ///     record["population"] = 2_950_000
    public subscript<Value: FieldValueRepresentable>(field: String) -> Value? {
        get { Value(fieldValue: self[field] as FieldValue) }
        set { self[field] = newValue?.fieldValue ?? FieldValue.null }
    }

    /// Sets a field after a check of its name.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a name that is empty, longer than 255 characters, does
    ///   not begin with a letter, holds anything but letters, digits and underscores, or is that of a property.
    public mutating func setValue(_ value: FieldValue, forKey key: String) throws(DatabaseError) {
        try NameRules.check(key: key)
        self[key] = value
    }
}
