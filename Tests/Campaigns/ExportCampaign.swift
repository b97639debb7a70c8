// Records written as text and read again: they must be the same, in every form.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Writes random records of every kind of values in every form, and reads them again.
enum ExportCampaign {
    /// Tries one set of records.
    /// - Returns: What differs, in words; empty when nothing does.
    static func run(seed: UInt64, records count: Int) -> [String] {
        var values = RandomValues(seed: seed, isStorable: seed % 3 == 0)
        let records = values.records(count)
        let set: RecordSet
        do throws(DatabaseError) { set = try RecordSet(records: records) } catch { return ["no set: \(error)"] }
        return RecordFormat.allCases.flatMap { format -> [String] in
            do {
                let text = try RecordExport(set, as: format).text()
                let again = try RecordSet(bytes: Array(text.utf8), name: "again.\(format.rawValue)")
                var differences = Self.differences(records, again).map { "\(format), seed \(seed): \($0)" }
                // Once more: the text of what was read is the same text.
                let second = try RecordExport(again, as: format).text()
                let isSame = second.split(separator: "\n").sorted() == text.split(separator: "\n").sorted()
                if format == .ndjson, !isSame, set.fieldNames == again.fieldNames {
                    differences.append("\(format), seed \(seed): the second text is another")
                }
                return differences
            } catch {
                return ["\(format), seed \(seed): \(error)"]
            }
        }
    }

    private static func differences(_ records: [Record], _ set: RecordSet) -> [String] {
        if set.count != records.count { return ["\(records.count) records became \(set.count)"] }
        var differences: [String] = []
        for (index, record) in records.enumerated() {
            guard let again = set.record(at: index) else { return ["record \(index) is not there"] }
            guard again.type == record.type, again.id == record.id,
                Array(again.id.recordName.utf8) == Array(record.id.recordName.utf8)
            else {
                differences.append(
                    "record \(index): \(record.id) of \(record.type) became \(again.id) of \(again.type)")
                continue
            }
            for name in Set(record.fields.keys).union(again.fields.keys).sorted() {
                let (before, after) = (record.fields[name] ?? .null, again.fields[name] ?? .null)
                // Bytes tell apart what is equal: texts in two forms, and zeros of two signs.
                if (try? before.binary()) != (try? after.binary()) {
                    differences.append("record \(index), \(name): \(before) became \(after)")
                }
            }
        }
        return differences
    }
}
