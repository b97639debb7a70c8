// A JSON text as a flat run of words, as simdjson writes it.

import RecordModel

/// A view of a parsed JSON text: a run of words in simdjson's tape format and the texts that they point into.
///
/// `JSONParser` writes the same format, so everything behind the parsers reads tapes alone. The view does not own
/// its memory: it is valid until the parser that made it parses again.
@unsafe
struct JSONTape {
    let words: UnsafePointer<UInt64>
    let strings: UnsafePointer<UInt8>

    /// Kinds of tape words: the characters that simdjson uses.
    enum Kind {
        static let object = UInt8(ascii: "{")
        static let objectEnd = UInt8(ascii: "}")
        static let array = UInt8(ascii: "[")
        static let arrayEnd = UInt8(ascii: "]")
        static let string = UInt8(ascii: "\"")
        static let int64 = UInt8(ascii: "l")
        static let uint64 = UInt8(ascii: "u")
        static let double = UInt8(ascii: "d")
        static let `true` = UInt8(ascii: "t")
        static let `false` = UInt8(ascii: "f")
        static let null = UInt8(ascii: "n")
        static let root = UInt8(ascii: "r")
    }

    /// The index of the outermost value.
    static let first = 1

    // SAFETY (all members): indices come from `first`, `next`, `members` and `end` of one tape, so they are within
    // it, and string offsets are those that the parser wrote.

    func kind(_ index: Int) -> UInt8 { unsafe UInt8(truncatingIfNeeded: words[index] &>> 56) }

    /// The index of the end word of a container.
    func end(_ index: Int) -> Int { unsafe Int(UInt32(truncatingIfNeeded: words[index])) &- 1 }

    /// The index behind a value.
    func next(_ index: Int) -> Int {
        switch unsafe kind(index) {
        case Kind.object, Kind.array: unsafe end(index) &+ 1
        case Kind.int64, Kind.uint64, Kind.double: index &+ 2
        default: index &+ 1
        }
    }

    /// The bytes of a string.
    func string(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe strings + Int(words[index] & 0x00FF_FFFF_FFFF_FFFF)
        let length = unsafe UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return unsafe UnsafeBufferPointer(start: start + 4, count: Int(length))
    }

    func int64(_ index: Int) -> Int64 { unsafe Int64(bitPattern: words[index &+ 1]) }
    func uint64(_ index: Int) -> UInt64 { unsafe words[index &+ 1] }
    func double(_ index: Int) -> Double { unsafe Double(bitPattern: words[index &+ 1]) }

    /// A number of any kind as a double; `nil` for other values.
    func number(_ index: Int) -> Double? {
        switch unsafe kind(index) {
        case Kind.int64: unsafe Double(int64(index))
        case Kind.uint64: unsafe Double(uint64(index))
        case Kind.double: unsafe double(index)
        default: nil
        }
    }

    /// The value as a tree. Depth is bounded by the parsers.
    /// - Throws: `JSONError` for a key that occurs twice in an object.
    func value(_ index: Int) throws(JSONError) -> JSONValue {
        switch unsafe kind(index) {
        case Kind.object:
            var members: [JSONValue.Member] = []
            let end = unsafe end(index)
            var position = index + 1
            while position < end {
                let key = unsafe String(decoding: string(position), as: UTF8.self)
                members.append(JSONValue.Member(key: key, value: unsafe try value(position + 1)))
                unsafe position = next(position + 1)
            }
            if let key = JSONValue.repeatedKey(members) { throw .repeatedKey(key) }
            return .object(members)
        case Kind.array:
            var elements: [JSONValue] = []
            let end = unsafe end(index)
            var position = index + 1
            while position < end {
                elements.append(unsafe try value(position))
                unsafe position = next(position)
            }
            return .array(elements)
        case Kind.string: return .string(unsafe String(decoding: string(index), as: UTF8.self))
        case Kind.int64: return .int64(unsafe int64(index))
        case Kind.uint64: return .double(Double(unsafe uint64(index)))
        case Kind.double: return .double(unsafe double(index))
        case Kind.true: return .bool(true)
        case Kind.false: return .bool(false)
        default: return .null
        }
    }
}
