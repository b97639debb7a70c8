// Terms: the things that a record has and that predicates require.

import FoundationEssentials
import Geospatial
import RecordModel
import TextAnalysis

/// What kind of term of which field: terms of one space are told apart by their bytes.
///
/// A record has the terms that its values give; a predicate is listed under terms that a record must have to match.
struct TermField: Hashable, Sendable {
    /// Kinds of terms.
    enum Kind: UInt8, Sendable {
        /// What every record has.
        case always
        /// Some value of the field, whatever it is.
        case presence
        /// No value of the field.
        case absence
        /// The value itself.
        case value
        /// An element of a list.
        case element
        /// The first bytes of folded text.
        case prefix
        /// The first bytes of a folded element.
        case elementPrefix
        /// The last bytes of folded text.
        case suffix
        /// Some bytes of folded text.
        case gram
        /// A folded word of a text, or of an element of a list.
        case word
        /// The first bytes of a folded word.
        case wordPrefix
        /// A cell of the Earth that the place lies in.
        case cell
    }

    /// The field's number in its index, or `recordField` for the record as a whole.
    var field: Int
    var kind: Kind
    /// How text is folded, of terms that are text.
    var options: TextOptions = []
    /// Of values and elements the `ScalarKind`, of cells their level, of prefixes and suffixes their length in bytes:
    /// below zero where a character may go on beyond them.
    var parameter = 0

    /// Stands for the record as a whole: its words.
    static let recordField = 0

    /// Prefixes and suffixes that are longer are cut here, and do not decide alone.
    static let longestAffix = 32
    /// The length of grams in bytes.
    static let gramLength = 3
}

extension TextOptions {
    /// The options that folding depends on; nil where only collation decides.
    var comparable: TextOptions? {
        if contains(.normalized) { return .normalized }
        return contains(.localeSensitive) ? nil : foldable
    }

    /// The options that the folding of needles and words depends on.
    var foldable: TextOptions {
        contains(.normalized) ? .normalized : intersection([.caseInsensitive, .diacriticInsensitive])
    }

    /// The number of a set of options that fold alike.
    var foldableNumber: Int { rawValue & 7 }
}

/// The families of scalars that may equal each other.
enum ScalarKind: Int, Sendable {
    case text, integer, double, date, location, data, reference, asset

    /// The kind of a value, and its bytes, such that values are equal under the language's `==` exactly where kind and
    /// bytes are; nil for values that nothing equals, that only a comparison decides, and for text, which is folded.
    static func encode(_ value: FieldValue, into bytes: inout [UInt8]) -> ScalarKind? {
        bytes.removeAll(keepingCapacity: true)
        switch value {
        case .null, .string, .list, .set, .object: return nil
        case .bool(let value): bytes.append(bits: value ? 1 : 0)
        case .int64(let value): bytes.append(bits: UInt64(bitPattern: value))
        case .double(let value):
            guard let integer = NumericOrder.integer(value) else {
                bytes.append(bits: value.isNaN ? Double.nan.bitPattern : value.bitPattern)
                return .double
            }
            bytes.append(bits: UInt64(bitPattern: integer))
        case .date(let value): return bytes.append(value.timeIntervalSinceReferenceDate) ? .date : nil
        case .location(let value):
            return bytes.append(value.latitude) && bytes.append(value.longitude) ? .location : nil
        case .data(let value):
            bytes.append(contentsOf: value)
            return .data
        case .reference(let value):
            bytes.append(name: value.recordID.recordName)
            bytes.append(name: value.recordID.zoneID.zoneName)
            bytes.append(name: value.recordID.zoneID.ownerName)
            return .reference
        case .asset(let value):
            bytes.append(name: value.path)
            return .asset
        }
        return .integer
    }
}

extension [UInt8] {
    fileprivate mutating func append(bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }

    /// Both zeros are one number, and NaN equals nothing.
    fileprivate mutating func append(_ number: Double) -> Bool {
        append(bits: number == 0 ? 0 : number.bitPattern)
        return !number.isNaN
    }

    /// Names are equal as Swift's strings are: canonically. The length keeps one name from running into the next.
    fileprivate mutating func append(name: String) {
        let folded = TextFolding.fold(name, [])
        append(bits: UInt64(folded.utf8.count))
        append(contentsOf: folded.utf8)
    }
}
