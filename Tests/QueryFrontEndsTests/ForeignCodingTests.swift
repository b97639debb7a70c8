// Errors that types with coding of their own throw, as they are told of records, with their places.

import QueryFrontEnds
import RecordModel
import Testing

@Suite struct ForeignCodingTests {
    private enum Key: String, CodingKey { case fault, inner, part }

    private struct Trouble: Error {}

    /// A type that throws what its record says.
    private struct Picky: RecordConvertible {
        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let context = DecodingError.Context(codingPath: [Key.inner], debugDescription: "")
            switch try container.decode(String.self, forKey: .fault) {
            case "key": throw DecodingError.keyNotFound(Key.part, context)
            case "value": throw DecodingError.valueNotFound(Int.self, context)
            case "type": throw DecodingError.typeMismatch(Int.self, context)
            case "data": throw DecodingError.dataCorrupted(context)
            default: throw Trouble()
            }
        }

        func encode(to encoder: any Encoder) throws {
            let context = EncodingError.Context(codingPath: [Key.inner, Key.part], debugDescription: "")
            throw EncodingError.invalidValue(3, context)
        }
    }

    private static let cases: [(fault: String, kind: RecordCodingError.Kind, path: String)] = [
        ("key", .missingValue, "inner.part"), ("value", .missingValue, "inner"), ("type", .typeMismatch, "inner"),
        ("data", .invalidValue, "inner"), ("other", .invalidValue, ""),
    ]

    @Test("What a type throws has its kind and its place", arguments: cases.indices)
    func decoding(index: Int) {
        let (fault, kind, path) = Self.cases[index]
        let record = Record(type: "Picky", id: Record.ID("x"), fields: ["fault": .string(fault)])
        let error = #expect(throws: RecordCodingError.self) { try record.value(as: Picky.self) }
        #expect(error?.kind == kind && error?.path == path, "\(fault)")
        #expect(error?.recordType == "Picky")
    }

    @Test("A value that a type does not encode is told where it is")
    func encoding() {
        let error = #expect(throws: RecordCodingError.self) { try Record(Picky()) }
        #expect(error?.kind == .unsupported && error?.path == "inner.part" && error?.recordType == "Picky")
    }
}
