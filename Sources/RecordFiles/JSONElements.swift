// The texts of an array's elements in a JSON document that was parsed.

/// Gives the texts of the elements of a document's array one after another, without blanks between their parts; numbers
/// and keys stay as they are written.
struct JSONElements {
    /// Where the next element may begin.
    private var position = 0
    private let isArray: Bool
    /// The members beside the array, where it is one of an object: `"name":"cities","crs":{}` without the keys `type`
    /// and `bbox`.
    private(set) var otherMembers: [UInt8] = []

    /// - Parameters:
    ///   - text: A document that a parser accepted.
    ///   - key: The member of the outermost object that is the array; `nil` where the document is.
    init(_ text: UnsafeBufferPointer<UInt8>, in key: String?) {
        position = unsafe Self.afterBlanks(text, 0)
        guard let key else {
            isArray = unsafe position < text.count && text[position] == UInt8(ascii: "[")
            if isArray { position += 1 }
            return
        }
        isArray = true
        var start: Int?
        position += 1
        while true {
            position = unsafe Self.afterBlanks(text, position)
            guard position < text.count, unsafe text[position] == UInt8(ascii: "\"") else { break }
            let name = unsafe Self.value(text, &position)
            position = unsafe Self.afterBlanks(text, position) + 1
            position = unsafe Self.afterBlanks(text, position)
            if name == Array("\"\(key)\"".utf8) { start = position + 1 }
            let value = unsafe Self.value(text, &position)
            if ![key, "type", "bbox"].contains(where: { name == Array("\"\($0)\"".utf8) }) {
                otherMembers += (otherMembers.isEmpty ? [] : [UInt8(ascii: ",")]) + name + [UInt8(ascii: ":")] + value
            }
            position = unsafe Self.afterBlanks(text, position)
            guard position < text.count, unsafe text[position] == UInt8(ascii: ",") else { break }
            position += 1
        }
        position = start ?? text.count
    }

    /// The text of the next element; `nil` behind the last one.
    mutating func next(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        position = unsafe Self.afterBlanks(text, position)
        if isArray, position < text.count, unsafe text[position] == UInt8(ascii: ",") {
            position = unsafe Self.afterBlanks(text, position + 1)
        }
        guard position < text.count, unsafe text[position] != UInt8(ascii: "]") else { return nil }
        return unsafe Self.value(text, &position)
    }

    /// The text of a value without blanks; the position is behind it then.
    private static func value(_ text: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> [UInt8] {
        var result: [UInt8] = []
        var depth = 0
        var isQuoted = false
        while position < text.count {
            let byte = unsafe text[position]
            if isQuoted {
                result.append(byte)
                position += 1
                if byte == UInt8(ascii: "\\"), position < text.count {
                    unsafe result.append(text[position])
                    position += 1
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                    if depth == 0 { return result }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isQuoted = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return result }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return result
            case 0x20, 0x09, 0x0A, 0x0D:
                position += 1
                continue
            default: break
            }
            result.append(byte)
            position += 1
            if depth == 0, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return result }
        }
        return result
    }

    private static func afterBlanks(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
        var position = position
        while position < text.count, unsafe [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
        return position
    }
}
