// Values that one record alone may have, as servers look them up.

import FoundationEssentials
import RecordModel
import TextAnalysis

extension ContainerSchema {
    /// Whether records of some type have values that no other one may have.
    package var hasUniqueFields: Bool { !typesWithUniqueFields.isEmpty }

    /// The types whose records have such values.
    package var typesWithUniqueFields: [String] {
        recordTypes.filter { !$0.value.uniqueKeys.isEmpty }.map(\.key).sorted()
    }
}

extension ServerRow {
    /// What stands for the values that no other record of the database may have, one for each field or list of fields
    /// that is `UNIQUE` and that the row has all values of: the same for equal values, and for no others.
    package func uniqueDigests(_ schema: ContainerSchema, in origin: DatabaseOrigin) -> Set<[UInt8]> {
        let lists = schema.recordTypes[type]?.uniqueKeys ?? []
        return Set(lists.compactMap { uniqueDigest(of: $0, in: origin) })
    }

    private func uniqueDigest(of keys: [String], in origin: DatabaseOrigin) -> [UInt8]? {
        var writer = BinaryWriter()
        writer.write("\(origin.scope.rawValue)")
        writer.write(origin.user ?? "")
        writer.write(type)
        // The order of a list says nothing.
        for key in keys.sorted() {
            let value = fields[key] ?? .null
            if value.isNull { return nil }
            writer.write(key)
            value.writeComparable(to: &writer)
        }
        var hash = SHA256()
        hash.update(writer.bytes[...])
        return Array(hash.hexDigest().utf8)
    }
}

extension FieldValue {
    /// Appends the value of a field that can be `UNIQUE`, so that equal ones are alike.
    fileprivate func writeComparable(to writer: inout BinaryWriter) {
        switch self {
        case .int64(let value): writer.write("i\(value)")
        case .double(let value): writer.write(Self.text(of: value))
        case .date(let value): writer.write("t" + Self.text(of: value.timeIntervalSinceReferenceDate))
        case .string(let value):
            writer.write("s")
            writer.write(TextFolding.fold(value, []))
        case .reference(let value):
            let id = value.recordID
            for name in ["r", id.zoneID.ownerName, id.zoneID.zoneName, id.recordName] {
                writer.write(TextFolding.fold(name, []))
            }
        default: writer.write("\(self)")
        }
    }

    /// The same for numbers that are equal, all NaNs among them.
    private static func text(of value: Double) -> String {
        if let integer = Int64(exactly: value) { return "i\(integer)" }
        return value.isNaN ? "nan" : "d\(value.bitPattern)"
    }
}
