// Key paths of Swift types in predicates that are text.

public import PredicateSemantics
import RecordModel

extension FieldPath {
    /// The text of the path as `%K` takes it.
    var text: String? {
        guard case .names(let names) = self else { return nil }
        return names.map { name in
            let isPlain = name.utf8.allSatisfy { $0 & 0xDF >= 0x41 && $0 & 0xDF <= 0x5A || $0 == 0x5F }
            if isPlain, name.lowercased() != "self" { return name }
            var quoted = "#'"
            for scalar in name.unicodeScalars {
                if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
                quoted.unicodeScalars.append(scalar)
            }
            return quoted + "'"
        }.joined(separator: ".")
    }
}

extension RecordPredicate.StringInterpolation {
    /// The field of a property: `"\(\City.name) BEGINSWITH 'K'"`.
    public mutating func appendInterpolation<Root: FieldNamed, Value>(_ keyPath: KeyPath<Root, Value>) {
        let path = FieldPath(keyPath)
        if let text = path.text { appendInterpolation(key: text) }
        if case .unknown(let unknown) = path { fail(RecordPredicateError(unknown)) }
    }
}

extension FieldNamed {
    /// The field of a property, the names on the way to it joined by points.
    ///
    /// - Throws: `RecordPredicateError` when the field of the property is not known.
    package static func fieldName(of keyPath: PartialKeyPath<Self>) throws(RecordPredicateError) -> String {
        do throws(UnknownKeyPath) {
            return try path(of: keyPath).joined(separator: ".")
        } catch {
            throw RecordPredicateError(error)
        }
    }
}
