// A store whose every commit writes all records anew: what is read of it is one turn, or torn.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// A store of turns. The records of a turn follow from its number; each has it as its field `turn`.
struct TurnStore {
    let folder: String
    let seed: UInt64

    /// The records of a turn. Their names are new in each, since what a record does not set, the one before it keeps.
    func records(of turn: Int) -> [Record] {
        var source = RandomRecords(seed: seed &+ UInt64(turn))
        return source.records(120 - turn % 17).enumerated().map { number, original in
            var record = Record(type: original.type, id: Self.name(original.id, turn))
            for (field, value) in original.fields { record[field] = Self.stored(value, turn) }
            // What a database does not take: lists within lists and numbers of two types.
            for field in ["nested", "wide", "later"] { record[field] = .null }
            if case .int64(let number) = record["mixed"] { record["mixed"] = .double(Double(number)) }
            record["turn"] = .int64(Int64(turn))
            record["number"] = .int64(Int64(number))
            return record
        }
    }

    private static func name(_ id: Record.ID, _ turn: Int) -> Record.ID { Record.ID("\(turn)-\(id.recordName)") }

    /// A value as a database takes it: references lead to records of the turn, and lists are not empty.
    private static func stored(_ value: FieldValue, _ turn: Int) -> FieldValue {
        switch value {
        case .reference(let reference): return .reference(RecordReference(recordID: name(reference.recordID, turn)))
        case .list(let elements):
            let kept = elements.filter { $0 != .null }.map { stored($0, turn) }
            return kept.isEmpty ? .null : .list(kept)
        default: return value
        }
    }

    /// The turn that records are of; `nil` for none.
    static func turn(of records: [Record]) -> Int? {
        if case .int64(let turn)? = records.first?["turn"] { Int(turn) } else { nil }
    }

    /// Writes turn after turn, some a second, until its input ends.
    func write() async throws {
        let container = try Container(
            identifier: nil, storedAt: URL(filePath: folder), options: StorageOptions(durability: .off))
        var last: [Record.ID] = []
        for turn in 0... {
            let records = records(of: turn)
            _ = try await container.privateDatabase.modifyRecords(saving: records, deleting: last)
            last = records.map(\.id)
            if turn == 0 {
                print("open")
                fflush(nil)
            }
            var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            // SAFETY: one entry is passed, which lives as long as the call.
            if unsafe poll(&input, 1, 150) != 0 { break }
        }
        container.close()
    }
}
