// Telling the form of a file by its name and its first bytes.

extension RecordFormat {
    /// The form of a file: by its name's ending (before `.gz` or `.zst`), else by its first bytes.
    init(ofFile name: String, startingWith start: UnsafeBufferPointer<UInt8>) {
        var base = name
        for ending in [".gz", ".zst"] where base.hasSuffix(ending) { base.removeLast(ending.count) }
        let ending = base.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(base[$0...]) } ?? ""
        switch ending {
        case ".ndjson", ".jsonl", ".NDJSON", ".JSONL": self = .ndjson
        case ".csv", ".CSV": self = .csv
        case ".tsv", ".tab", ".TSV": self = .tsv
        case ".geojson", ".GEOJSON": self = .json
        default: unsafe self.init(startingWith: start)
        }
    }

    private init(startingWith start: UnsafeBufferPointer<UInt8>) {
        let firstLine = unsafe start.drop { Self.isBlank($0) }.prefix { $0 != 0x0A }
        switch unsafe firstLine.first {
        case UInt8(ascii: "["): self = .json
        case UInt8(ascii: "{"):
            // An object that goes on behind its first line is one document, not a line of many.
            let last = unsafe firstLine.last { !Self.isBlank($0) }
            let isOpen = unsafe firstLine.endIndex < start.endIndex && last != UInt8(ascii: "}")
            self = unsafe isOpen || FeatureCollection.begins(firstLine.prefix(1 << 10)) ? .json : .ndjson
        case nil: self = .ndjson
        default:
            let hasTab = unsafe firstLine.contains(0x09)
            self = unsafe hasTab && !firstLine.contains(UInt8(ascii: ",")) ? .tsv : .csv
        }
    }

    /// What separates the cells of comma-separated values: a comma, or where the header has none outside quotes a
    /// semicolon, as spreadsheets write where the comma is the decimal sign, or else a tab.
    static func separator(ofHeader start: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar {
        var isQuoted = false
        var found: Set<UInt8> = []
        for byte in unsafe Array(start.prefix(1 << 16)).drop(while: { isBlank($0) }) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == 0x0A, !isQuoted { break }
            if !isQuoted { found.insert(byte) }
        }
        return [",", ";", "\t"].first { found.contains(UInt8(truncatingIfNeeded: $0.value)) } ?? ","
    }

    fileprivate static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}

/// Finds the end of the first line that is not blank, byte by byte.
struct FirstLine {
    /// Whether the line feed was taken.
    private(set) var isEnded = false
    private var first: UInt8?
    private var isQuoted = false

    /// Takes the next byte.
    mutating func take(_ byte: UInt8) {
        if first == nil {
            if RecordFormat.isBlank(byte) { return }
            first = byte
        }
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        isEnded = byte == 0x0A && !(isQuoted && mayQuoteLineFeeds)
    }

    /// In the cells of a header line ends may be in quotes; in the strings of JSON they may not.
    private var mayQuoteLineFeeds: Bool { first != UInt8(ascii: "{") && first != UInt8(ascii: "[") }
}
