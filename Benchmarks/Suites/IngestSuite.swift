// `ingest`: records a second from NDJSON into columns with every index of the place workload, and what they hold.

import Geospatial
import Indexing
import RecordColumns
import RecordFiles
import RecordModel
import TextAnalysis

/// Times loading generated places and building the indexes that the workload wants, one after another on one thread.
enum IngestSuite: Suite {
    static let name = "ingest"
    static let summary = "[--records N] [--data FILE]: load places and build every index of the workload"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "data"])
        let path = try options["data"] ?? PlaceFile.path(count: try options.count("records", default: 200_000))
        print(Machine.current().line)
        let residentBefore = Machine.residentBytes
        var steps = Steps()
        let records = try steps.time("load") {
            let reader = RecordFileReader()
            try reader.load(path: path)
            return reader.finish().records
        }
        let loaded = Machine.residentBytes
        let segments = records.segments.map(SegmentIndexes.init)
        var entries = 0
        for kind in IndexWorkload.workload {
            entries += try steps.time(kind.description) {
                try segments.reduce(0) { try $0 + kind.build($1) }
            }
        }
        let resident = Machine.residentBytes
        for kind in IndexWorkload.workload {
            for segment in segments { try kind.check(segment) }
        }
        print(steps.table(records: records.count))
        let each = { (bytes: Int) in (Double(bytes) / Double(max(1, records.count))).figure }
        let columnBytes = records.segments.reduce(0) { $0 + $1.byteCount }
        let indexBytes = segments.flatMap(\.summaries).reduce(0) { $0 + $1.bytes }
        print(
            """
            \(records.count.separated) records, \(entries.separated) index entries; bytes a record: \
            \(each(resident - residentBefore)) resident (\(each(loaded - residentBefore)) before indexing), \
            \(each(columnBytes)) in columns, \(each(indexBytes)) in indexes
            """)
        print("answers: every index finds the rows that its column says")
    }

    /// What was done, and how long it took.
    private struct Steps {
        private var times: [(name: String, wall: Double, processor: Double)] = []

        mutating func time<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
            let clock = ContinuousClock()
            let start = clock.now
            let processor = processorSeconds()
            let result = try body()
            times.append((name, (clock.now - start).seconds, processorSeconds() - processor))
            return result
        }

        func table(records: Int) -> String {
            var table = TextTable(["step", "wall ms", "CPU ms", "CPU µs a record", "records/CPU-s"])
            func add(_ name: String, _ wall: Double, _ processor: Double) {
                let each = processor / Double(max(1, records))
                table.add([
                    name, (wall * 1e3).figure, (processor * 1e3).figure, (each * 1e6).figure,
                    Int(1 / max(each, 1e-12)).separated,
                ])
            }
            for step in times { add(step.name, step.wall, step.processor) }
            add("all", times.reduce(0) { $0 + $1.wall }, times.reduce(0) { $0 + $1.processor })
            return table.text
        }
    }
}

/// An index of the place workload: of which field, and of which kind.
private enum IndexWorkload: CustomStringConvertible {
    case ordered(String, TextOptions)
    case tokens(String, TextOptions)
    case spatial(String)

    static let folding: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    static let workload: [IndexWorkload] = [
        .ordered("category", []), .ordered("name", []), .ordered("name", folding), .ordered("rating", []),
        .ordered("population", []), .ordered("created", []), .ordered("active", []), .ordered("tags", []),
        .ordered("owner", []), .spatial("location"), .tokens("body", folding),
    ]

    var description: String {
        switch self {
        case .ordered(let field, let options): options.isEmpty ? field : field + "[cd]"
        case .tokens(let field, _): "words of \(field)[cd]"
        case .spatial(let field): field
        }
    }

    private var field: String {
        switch self {
        case .ordered(let field, _), .tokens(let field, _), .spatial(let field): field
        }
    }

    /// Builds the index; returns its number of entries, 0 where the field is missing.
    func build(_ indexes: SegmentIndexes) throws -> Int {
        guard let column = indexes.segment.schema.position(of: field) else { return 0 }
        switch self {
        case .ordered(_, let options): return indexes.ordered(column: column, options: options)?.entryCount ?? 0
        case .tokens(_, let options): return indexes.tokens(column: column, options: options)?.entryCount ?? 0
        case .spatial: return indexes.spatial(column: column)?.count ?? 0
        }
    }

    /// Compares what the index says of a few rows' values with what a walk over the column says.
    func check(_ indexes: SegmentIndexes) throws {
        guard let position = indexes.segment.schema.position(of: field) else { return }
        let column = indexes.segment.columns[position]
        let samples = [0, column.count / 3, column.count / 2].filter { $0 < column.count && column.isPresent($0) }
        switch self {
        case .ordered(_, let options):
            let index = indexes.ordered(column: position, options: options)
            for value in samples.compactMap({ elements(column.value($0)).first }) {
                try compare(index, value) { row in
                    elements(column.value(row)).contains {
                        guard case .string(let a) = $0, case .string(let b) = value else { return $0 == value }
                        return TextComparison.areEqual(a, b, options: options)
                    }
                }
            }
        case .tokens(_, let options):
            let index = indexes.tokens(column: position, options: options)
            let tokenizer = Tokenizer(options: options)
            for row in samples.prefix(1) {
                guard case .string(let text) = column.value(row), let term = tokenizer.terms(of: text).first else {
                    continue
                }
                try compare(index, .string(term)) { row in
                    guard case .string(let text) = column.value(row) else { return false }
                    return tokenizer.terms(of: text).contains(term)
                }
            }
        case .spatial:
            guard indexes.spatial(column: position)?.count == column.presentCount else {
                throw WrongResult(description: "\(self): other places than in the column")
            }
        }
    }

    private func elements(_ value: FieldValue) -> [FieldValue] {
        if case .list(let elements) = value { elements } else { [value] }
    }

    /// Holds the rows of a value against a walk over the first rows.
    private func compare(_ index: OrderedIndex?, _ value: FieldValue, _ matches: (Int) -> Bool) throws {
        guard let index, let distinct = index.distinct(equalTo: value) else {
            throw WrongResult(description: "\(self): a value of the column is not in the index")
        }
        let walked = min(index.rowCount, 5_000)
        let found = unsafe index.run(ofDistinct: distinct..<distinct + 1).withRows { rows in
            unsafe rows.filter { $0 < walked }.map { Int($0) }
        }
        guard found == (0..<walked).filter(matches) else {
            throw WrongResult(description: "\(self): other rows than in the column")
        }
    }
}
