// Rows of cells whose columns are known when all records were read.

import Glibc
import RecordDatabase

/// Rows of cells that wait until all columns are known: a few megabytes of them in memory, more in a file without a
/// name.
///
/// The columns are those that a table of all records has: the name, the type where there are several, and the fields in
/// order of first appearance.
struct CellSpool {
    private let separator: Unicode.Scalar
    /// Whether a terminal shows the cells.
    private let isShown: Bool
    private var hasNames = false
    /// The types in order of first appearance, with their fields in theirs.
    private var types: [(name: String, fields: [String])] = []
    /// The number that each column has in the rows that wait.
    private var columns: [String: Int] = ["id": 0, "type": 1]
    private var rows = SpooledBytes()

    init(separator: Unicode.Scalar, isShown: Bool) { (self.separator, self.isShown) = (separator, isShown) }

    /// Notes the columns of records, and keeps the cells of some of them.
    /// - Throws: `CommandError` of status `inputOutput` when they cannot be kept.
    mutating func append(_ ordinals: [Int], of set: RecordSet) throws(CommandError) {
        note(set)
        let values = ResultValues(set: set)
        let fields = set.fieldNames.compactMap { name in columns[name].map { (name, $0) } }
        let known = Set(set.fieldNames)
        for ordinal in ordinals {
            var cells: [(column: Int, bytes: [UInt8])] = []
            // Whether names and types are shown is told by later records, too.
            if !known.contains("id") { cells.append((0, cell(.string(set.recordName(at: ordinal))))) }
            if !known.contains("type") { cells.append((1, cell(.string(set.recordType(at: ordinal))))) }
            for (name, column) in fields {
                let bytes = cell(values.value(of: .field(name), at: ordinal))
                if !bytes.isEmpty { cells.append((column, bytes)) }
            }
            rows.append(cells.count)
            for (column, bytes) in cells {
                rows.append(column)
                rows.append(bytes.count)
                rows.append(bytes)
            }
            try rows.flushIfFull()
        }
    }

    private mutating func note(_ set: RecordSet) {
        hasNames = hasNames || set.hasNames
        for schema in set.schemas {
            let known = types.firstIndex { $0.name == schema.recordType }
            if known == nil { types.append((schema.recordType, [])) }
            let type = known ?? types.count - 1
            for name in schema.fields.map(\.name) {
                if columns[name] == nil { columns[name] = columns.count }
                if !types[type].fields.contains(name) { types[type].fields.append(name) }
            }
        }
    }

    private func cell(_ value: FieldValue) -> [UInt8] {
        var cells = CSVWriter(separator: separator)
        cells.write(isShown ? ValueText.shown(value) : value)
        return cells.bytes
    }

    /// Writes the titles and all rows that wait.
    /// - Throws: `CommandError` of status `inputOutput` when they cannot be read again.
    mutating func write(to writer: ByteWriter) throws(CommandError) {
        var seen: Set<String> = []
        let names = ((hasNames ? ["id"] : []) + (types.count > 1 ? ["type"] : []) + types.flatMap(\.fields))
            .filter { seen.insert($0).inserted }
        var titles = CSVWriter(separator: separator)
        for name in names { titles.write(isShown ? ValueText.singleLine(name) : name) }
        titles.endLine()
        writer.append(&titles.bytes)
        let order = names.compactMap { columns[$0] }
        var row = [[UInt8]](repeating: [], count: columns.count)
        try rows.rewind()
        while !writer.isClosed, let count = try rows.nextNumber() {
            for index in row.indices { row[index].removeAll(keepingCapacity: true) }
            for _ in 0..<count {
                guard let column = try rows.nextNumber(), let length = try rows.nextNumber() else { return }
                row[column] = try rows.next(length)
            }
            for (index, column) in order.enumerated() {
                if index > 0 { writer.bytes.append(UInt8(truncatingIfNeeded: separator.value)) }
                writer.bytes += row[column]
            }
            writer.bytes.append(0x0A)
            writer.flushIfFull()
        }
    }
}

/// Bytes that are written once and then read once, in memory while they are few.
private struct SpooledBytes {
    private var buffer: [UInt8] = []
    private var position = 0
    private var file: TemporaryFile?

    /// Bytes that are kept in memory.
    private static let room = 1 << 22

    mutating func append(_ bytes: [UInt8]) { buffer += bytes }

    /// Appends a number that is not negative, seven bits a byte.
    mutating func append(_ number: Int) {
        var rest = number
        while rest > 0x7F {
            buffer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func flushIfFull() throws(CommandError) {
        guard buffer.count >= Self.room else { return }
        if file == nil { file = try TemporaryFile() }
        try file?.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Begins reading.
    mutating func rewind() throws(CommandError) {
        guard let file else { return }
        try file.write(buffer)
        try file.rewind()
        buffer = []
    }

    /// The next number; `nil` at the end.
    mutating func nextNumber() throws(CommandError) -> Int? {
        var (number, shift) = (0, 0)
        while try fill(1) {
            let byte = buffer[position]
            position += 1
            number |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// The next bytes; fewer at the end.
    mutating func next(_ count: Int) throws(CommandError) -> [UInt8] {
        _ = try fill(count)
        let end = min(buffer.count, position + count)
        defer { position = end }
        return Array(buffer[position..<end])
    }

    /// Has so many bytes lie in the buffer; `false` where there are fewer.
    private mutating func fill(_ count: Int) throws(CommandError) -> Bool {
        while buffer.count - position < count {
            guard let more = try file?.read(), !more.isEmpty else { return false }
            buffer.removeFirst(position)
            position = 0
            buffer += more
        }
        return true
    }
}

/// A file that nobody else sees, in the folder of `TMPDIR` or in `/tmp`.
private final class TemporaryFile {
    private let descriptor: Int32

    init() throws(CommandError) {
        // SAFETY: getenv returns a string of the environment, copied at once; nothing changes it by now.
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var path = Array((folder + "/predicate.XXXXXX").utf8CString)
        descriptor = unsafe path.withUnsafeMutableBufferPointer { path in
            guard let name = path.baseAddress else { return -1 }
            // SAFETY: the path ends with a NUL, and is changed in place.
            let descriptor = unsafe mkstemp(name)
            if descriptor >= 0 { unsafe unlink(name) }
            return descriptor
        }
        guard descriptor >= 0 else { throw Self.failure() }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws(CommandError) {
        if case .failed = ByteWriter.write(bytes, to: descriptor) { throw Self.failure() }
    }

    func rewind() throws(CommandError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure() }
    }

    /// The next bytes; none at the end.
    func read() throws(CommandError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            // SAFETY: the kernel writes no more bytes than the array has.
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes.removeLast(bytes.count - count)
                return bytes
            }
            if errno != EINTR { throw Self.failure() }
        }
    }

    private static func failure() -> CommandError {
        CommandError(
            .inputOutput, "cannot keep the matches until all columns are known: \(ErrorNumber.text(errno))",
            hint: "--fields names the columns, and nothing is kept; TMPDIR names the folder of temporary files")
    }
}
