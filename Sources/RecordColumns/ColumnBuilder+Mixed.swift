// Columns of values whose kinds do not mix: each value stays as it is.

import RecordModel

extension ColumnBuilder {
    /// Puts a value into the row at hand of a column that holds values of several kinds.
    func append(mixed value: FieldValue) {
        guard case .any(let any) = storage else { return }
        any.values.append(value)
        presence.appendPresent()
    }

    /// Has the column hold each value as it is, whatever its kind.
    func widen() {
        if case .any = storage { return }
        let column = finish(rows: count, texts: .texts)
        let any = AnyBuilder()
        any.values = (0..<column.count).map { column.isPresent($0) ? column.value($0) : .null }
        storage = .any(any)
    }
}
