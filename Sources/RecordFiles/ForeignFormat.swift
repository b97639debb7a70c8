// Files of other formats, told by their first bytes, and what reads them.

/// A format that holds no text of records.
struct ForeignFormat {
    private let bytes: [UInt8]
    /// What the file is, with its article.
    private let name: String
    /// The command that writes its records; `FILE` stands for the file.
    private let command: String

    private init(_ text: String, _ name: String, _ command: String) {
        self.init(Array(text.utf8), name, command)
    }

    private init(_ bytes: [UInt8], _ name: String, _ command: String) {
        (self.bytes, self.name, self.command) = (bytes, name, command)
    }

    private static let known: [ForeignFormat] = [
        ForeignFormat("SQLite format 3\0", "an SQLite database", "sqlite3 -json FILE 'SELECT * FROM t' | predicate"),
        ForeignFormat(
            "PAR1", "a Parquet file", #"duckdb -c "COPY (FROM 'FILE') TO '/dev/stdout' (FORMAT json)" | predicate"#),
        ForeignFormat(
            "ARROW1", "an Arrow file",
            #"python3 -c "import pyarrow.feather as f; f.read_table('FILE').to_pandas().to_csv('FILE.csv')""#
        ),
        ForeignFormat("PK\u{3}\u{4}", "a zip archive", "unzip -p FILE | predicate"),
        ForeignFormat("BZh", "packed by bzip2", "bzcat FILE | predicate"),
        ForeignFormat([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "packed by xz", "xzcat FILE | predicate"),
        ForeignFormat([0x04, 0x22, 0x4D, 0x18], "packed by lz4", "lz4 -dc FILE | predicate"),
        ForeignFormat([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", "7z x -so FILE | predicate"),
        ForeignFormat("%PDF", "a PDF document", "pdftotext FILE"),
    ]

    /// The error that a file of another format is, by its first bytes; `nil` for what may be text.
    static func error(_ head: [UInt8], file: String) -> FileError? {
        guard let format = known.first(where: { head.starts(with: $0.bytes) }) else { return nil }
        if file.hasSuffix(".xlsx") || file.hasSuffix(".ods") {
            return FileError(
                kind: .malformed, file: file, message: "this is a workbook of a spreadsheet, no text of records",
                hint: "libreoffice --convert-to csv \(file)")
        }
        return FileError(
            kind: .malformed, file: file, message: "this is \(format.name), no text of records",
            hint: format.command.replacing("FILE", with: file == "-" ? "FILE" : file))
    }
}

/// An encoding of texts other than UTF-8, told by the first bytes.
enum ForeignEncoding: String {
    case utf16LittleEndian = "UTF-16"
    case utf16BigEndian = "UTF-16, big-endian"
    case windows1252 = "Windows-1252"

    /// The encoding of a text; `nil` for UTF-8.
    init?(startingWith head: [UInt8]) {
        if head.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else if head.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else if head.count >= 4, head[1] == 0, head[3] == 0, head[0] != 0, head[2] != 0 {
            self = .utf16LittleEndian
        } else if head.count >= 4, head[0] == 0, head[2] == 0, head[1] != 0, head[3] != 0 {
            self = .utf16BigEndian
        } else if Self.isWindows1252(head) {
            self = .windows1252
        } else {
            return nil
        }
    }

    /// Whether bytes are no UTF-8, and letters of Western Europe where they are not. A character may be cut at the end.
    private static func isWindows1252(_ head: [UInt8]) -> Bool {
        guard head.first != UInt8(ascii: "{"), head.first != UInt8(ascii: "["), !head.contains(0) else { return false }
        let fault = unsafe head.withUnsafeBufferPointer { unsafe UTF8Check.firstFault($0) }
        guard let fault, fault + 4 <= head.count else { return false }
        // Bytes without a character in that encoding.
        return !head.contains { [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) }
    }

    /// The bytes as UTF-8.
    /// - Parameter rest: Bytes of a unit that is not complete; those left over afterwards.
    func utf8(_ bytes: ArraySlice<UInt8>, _ rest: inout [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        if self == .windows1252 {
            for byte in bytes {
                if byte < 0x80 {
                    result.append(byte)
                } else {
                    let scalar = Unicode.Scalar(byte < 0xA0 ? Self.upper[Int(byte) - 0x80] : UInt16(byte))
                    result.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
                }
            }
            return result
        }
        let all = rest + bytes
        var units: [UInt16] = []
        units.reserveCapacity(all.count / 2)
        var position = 0
        while position + 1 < all.count {
            let (a, b) = (UInt16(all[position]), UInt16(all[position + 1]))
            units.append(self == .utf16LittleEndian ? a | b << 8 : a << 8 | b)
            position += 2
        }
        // The first half of a pair waits for the second.
        if let last = units.last, last & 0xFC00 == 0xD800 {
            units.removeLast()
            position -= 2
        }
        rest = Array(all[position...])
        result.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
        return result
    }

    /// The characters of 0x80 to 0x9F.
    private static let upper: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
