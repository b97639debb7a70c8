// Values that several suites write briefly.

import FoundationEssentials
import RecordModel

func reference(_ name: String, _ zone: String? = nil, action: RecordReference.Action = .none) -> FieldValue {
    let id = Record.ID(name, zoneID: zone.map { RecordZone.ID($0) } ?? .default)
    return .reference(RecordReference(recordID: id, action: action))
}

func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
