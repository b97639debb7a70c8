// GeoJSON (RFC 7946): collections of features, each of which is a record.

/// Where the parts of a GeoJSON collection are on a tape.
enum FeatureCollection {
    /// Whether a text begins as a collection does: the outermost object says so, and none within it.
    static func begins(_ text: some Sequence<UInt8>) -> Bool {
        let letters = text.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A }
        guard let mark = letters.firstRange(of: Array(#""type":"FeatureCollection""#.utf8)) else { return false }
        var (depth, isText, isEscaped) = (0, false, false)
        for letter in letters[..<mark.lowerBound] {
            if isText {
                isText = isEscaped || letter != UInt8(ascii: "\"")
                isEscaped = !isEscaped && letter == UInt8(ascii: "\\")
                continue
            }
            switch letter {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return depth == 1 && !isText
    }

    /// The index of the array of features; `nil` where the outermost value is no collection.
    static func features(of tape: JSONTape) -> Int? {
        guard unsafe tape.kind(JSONTape.first) == JSONTape.Kind.object else { return nil }
        var isCollection = false
        var features: Int?
        unsafe forEachMember(of: tape, JSONTape.first) { key, value in
            if unsafe JSONConventions.equals(key, "type"), unsafe tape.kind(value) == JSONTape.Kind.string {
                isCollection = unsafe JSONConventions.equals(tape.string(value), "FeatureCollection")
            } else if unsafe JSONConventions.equals(key, "features"), unsafe tape.kind(value) == JSONTape.Kind.array {
                features = value
            }
        }
        return isCollection ? features : nil
    }

    /// The indexes of a feature's identifier, properties and shape, as far as it has them.
    static func parts(of tape: JSONTape, _ feature: Int) -> (id: Int?, properties: Int?, geometry: Int?) {
        var parts: (id: Int?, properties: Int?, geometry: Int?)
        unsafe forEachMember(of: tape, feature) { key, value in
            if unsafe JSONConventions.equals(key, "id") {
                parts.id = unsafe tape.kind(value) == JSONTape.Kind.null ? nil : value
            } else if unsafe JSONConventions.equals(key, "properties") {
                parts.properties = unsafe tape.kind(value) == JSONTape.Kind.object ? value : nil
            } else if unsafe JSONConventions.equals(key, "geometry") {
                parts.geometry = value
            }
        }
        return parts
    }

    /// Whether a shape is a point.
    static func isPoint(_ tape: JSONTape, _ geometry: Int) -> Bool {
        guard unsafe tape.kind(geometry) == JSONTape.Kind.object else { return false }
        var isPoint = false
        unsafe forEachMember(of: tape, geometry) { key, value in
            if unsafe JSONConventions.equals(key, "type"), unsafe tape.kind(value) == JSONTape.Kind.string {
                isPoint = unsafe JSONConventions.equals(tape.string(value), "Point")
            }
        }
        return isPoint
    }

    private static func forEachMember(
        of tape: JSONTape, _ object: Int, _ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: Int) -> Void
    ) {
        let end = unsafe tape.end(object)
        var position = object + 1
        while position < end {
            unsafe body(tape.string(position), position + 1)
            unsafe position = tape.next(position + 1)
        }
    }
}
