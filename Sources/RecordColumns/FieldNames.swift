// The names of fields, each with a number, found fastest in the order of the records before.

/// The names of the fields of all record types of a table, numbered in order of appearance.
@usableFromInline
package final class FieldNames {
    @usableFromInline let table = TextTable()
    @usableFromInline let keys = ColumnBuffer<ShortKey>()
    /// The number of the name that followed each name last, −1 at first; the first place is for what starts records.
    @usableFromInline let successors = ColumnBuffer([-1])
    private var names: [String] = []
    /// The numbers by names as texts are compared: spellings that are canonically equivalent are one field.
    private var numbers: [String: Int] = [:]
    /// Whether a name has letters beyond ASCII, which another one may be equivalent to.
    private var hasMarks = false
    private let limit: Int

    /// No names yet, and at most `limit` ever.
    init(limit: Int) { self.limit = limit }

    /// The number of a name. `previous` is the number of the name that came before in the record, or −1: records
    /// mostly repeat the order of the ones before.
    /// - Throws: `ColumnError` of kind `tooManyFields`.
    @inlinable @inline(__always)
    package func number(of name: UnsafeBufferPointer<UInt8>, after previous: Int) throws(ColumnError) -> Int {
        let expected = successors[previous &+ 1]
        if expected >= 0 {
            let key = unsafe ShortKey(name)
            if keys[expected] == key, !key.isPartial || (unsafe table.isText(expected, name)) { return expected }
        }
        return try unsafe find(name, after: previous)
    }

    @usableFromInline
    func find(_ name: UnsafeBufferPointer<UInt8>, after previous: Int) throws(ColumnError) -> Int {
        let isPlain = unsafe name.allSatisfy { $0 < 0x80 }
        if hasMarks || !isPlain, let known = numbers[unsafe String(decoding: name, as: UTF8.self)] {
            successors[previous &+ 1] = known
            return known
        }
        guard let found = unsafe table.number(of: name) else { throw ColumnError(.tooManyFields(limit: limit)) }
        if found >= names.count {
            guard found == names.count, found < limit else { throw ColumnError(.tooManyFields(limit: limit)) }
            names.append(unsafe String(decoding: name, as: UTF8.self))
            numbers[names[found]] = found
            hasMarks = hasMarks || !isPlain
            keys.append(unsafe ShortKey(name))
            successors.append(-1)
        }
        successors[previous &+ 1] = found
        return found
    }

    /// The number of a name.
    /// - Throws: `ColumnError` of kind `tooManyFields`.
    package func number(of name: String) throws(ColumnError) -> Int {
        let bytes = Array(name.utf8)
        return unsafe try bytes.withUnsafeBufferPointer { bytes throws(ColumnError) in
            try unsafe number(of: bytes, after: -1)
        }
    }

    /// How many names there are: their numbers go up to it.
    package var count: Int { names.count }

    /// The name with a number.
    package subscript(number: Int) -> String { names[number] }
}
