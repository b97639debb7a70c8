// What a query of the public database may not tell its caller.

import PredicateSemantics
import RecordModel

extension QueryCheck {
    /// Whether the caller may read all records of every type.
    var readsAllTypes: Bool { schema.recordTypes.values.allSatisfy { caller.may(.read, type: $0) } }

    /// Keeps paths from telling of records that the caller may not read: what a reference leads to is known only when
    /// there is a record, so no type that the caller may not read in full may have such a field.
    ///
    /// - Parameter names: What is read of records behind references; `nil` where that is computed.
    /// - Throws: `DatabaseError` of code `permissionFailure`.
    func checkPaths(_ names: Set<String>?) throws(DatabaseError) {
        if names?.isEmpty == true { return }
        let hidden = schema.recordTypes.sorted { $0.key < $1.key }.first { _, type in
            guard !caller.may(.read, type: type) else { return false }
            guard let names else { return true }
            return names.contains { type.fields[$0] != nil || Binder.Settings.recordFields[$0] != nil }
        }
        guard let hidden else { return }
        throw DatabaseError(
            .permissionFailure,
            "a path through references may lead to records of type \(hidden.key), which the user may not read",
            hint: "query records that the user may read, and look at what their references lead to")
    }

    /// The predicate with what the caller may read; `nil` when that is nothing.
    func bindReadable(_ predicate: RecordPredicate) throws(DatabaseError) -> BoundPredicate? {
        let bound = try bind(predicate)
        if scope != .public || caller.may(.read, type: type) { return bound }
        guard let userName = caller.userName, caller.may(.read, type: type, creator: userName) else { return nil }
        let own: RecordPredicate = "creatorUserRecordID == \(Record.ID(userName))"
        return try bind(.all([own, predicate]))
    }
}
