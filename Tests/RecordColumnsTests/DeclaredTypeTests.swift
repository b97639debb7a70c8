// Types that files declare beside their values: they count where the values do not tell.

import RecordModel
import Testing

@testable import RecordColumns

@Suite struct DeclaredTypeTests {
    /// The type that a field has whose values are these, when a file says that it is of another.
    private static func type(_ values: [FieldValue], declared: FieldType?) throws -> FieldType? {
        let loader = RecordLoader()
        for (row, value) in values.enumerated() {
            try Array("T".utf8).withUnsafeBufferPointer { type in
                try Array("r\(row)".utf8).withUnsafeBufferPointer { name in
                    try loader.begin(type: type, name: name, origin: row + 1)
                }
            }
            let column = loader.column(forKey: try loader.fieldNames.number(of: "v"))
            if let declared { column.shape.declare(declared) }
            try column.append(value, row: loader.row, origin: row + 1)
            loader.commit(bytes: 1)
        }
        return loader.finish().schemas.first?.type(of: "v")
    }

    /// Empty lists, and those of nothing but nil, do not tell what their elements are.
    @Test func listsWithoutElements() throws {
        for values in [[[]], [[], .null, []], [[.null]], [.null]] as [[FieldValue]] {
            for declared: FieldType in [.list(.date), .list(.string), .list(.list(.int64))] {
                #expect(try Self.type(values, declared: declared) == declared, "\(values)")
            }
        }
        #expect(try Self.type([[]], declared: nil) == .list(nil))
        #expect(try Self.type([.null], declared: .date) == .date)
        #expect(try Self.type([.null], declared: nil) == .any)
    }

    @Test func valuesTellMoreThanWhatIsDeclared() throws {
        let cases: [(values: [FieldValue], declared: FieldType, type: FieldType)] = [
            ([[], [1]], .list(.date), .list(.int64)), ([[], [[]]], .list(.date), .list(.list(nil))),
            ([5], .double, .int64), (["a"], .date, .string),
        ]
        for (values, declared, type) in cases {
            #expect(try Self.type(values, declared: declared) == type, "\(values)")
        }
    }
}
