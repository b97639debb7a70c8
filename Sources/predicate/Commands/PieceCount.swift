// Counting matches in pieces of a stream, on all processors.

import Dispatch
import Glibc
import RecordDatabase
import Synchronization

/// Counts the records of a stream that match, several pieces at a time.
final class PieceCount: Sendable {
    private let query: Query
    private let options: LoadOptions

    private struct State {
        var matches = 0
        /// Names of the predicate that no piece so far has.
        var unknown: [RecordSet.UnknownField]
        var notes: [String] = []
        var told: Set<String>
        var dates: StreamedDates
        /// The error of the earliest piece that has one.
        var failure: (line: Int, error: CommandError)?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - unknown: The names that no record before the stream has.
    ///   - told: What was told of earlier pieces, as `LoadReport.news`.
    ///   - dates: What earlier pieces took texts for.
    init(
        _ query: Query, _ options: LoadOptions, unknown: [RecordSet.UnknownField], told: Set<String>,
        _ dates: StreamedDates
    ) {
        (self.query, self.options) = (query, options)
        state = Mutex(State(unknown: unknown, told: told, dates: dates))
    }

    var matches: Int { state.withLock(\.matches) }
    var unknown: [RecordSet.UnknownField] { state.withLock(\.unknown) }
    var notes: [String] { state.withLock(\.notes) }
    var told: Set<String> { state.withLock(\.told) }
    var dates: StreamedDates { state.withLock(\.dates) }

    /// Reads pieces to the end of the stream.
    /// - Throws: `CommandError` as reading and evaluating a piece, that of the earliest.
    func run(_ pieces: RecordPieces) throws(CommandError) {
        let source = PieceSource(pieces)
        let processors = max(1, min(16, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        DispatchQueue.concurrentPerform(iterations: processors) { _ in
            while state.withLock({ $0.failure == nil }) {
                // Behind all pieces, for an error of reading on.
                var line = Int.max - 1
                do throws(CommandError) {
                    guard let piece = try source.next() else { return }
                    line = piece.line
                    try count(piece)
                } catch {
                    state.withLock { if line < $0.failure?.line ?? .max { $0.failure = (line, error) } }
                }
            }
        }
        if let failure = state.withLock(\.failure) { throw failure.error }
    }

    private func count(_ piece: PieceSource.Piece) throws(CommandError) {
        var options = options
        options.linesBefore = piece.line
        var set: RecordSet
        do throws(FileError) {
            set = try RecordSet(piece.bytes, header: piece.header, name: piece.name, options)
        } catch {
            throw CommandError(error)
        }
        set.buildsIndexes = false
        set.allowsUnknownFields = true
        if set.followsReferences(query.predicate, []) {
            throw CommandError(
                .badData,
                "\(piece.name): records behind references are looked at, and these may be anywhere in the input",
                hint: "--whole reads all of it before anything is counted")
        }
        let selection: RecordSet.Selection
        do throws(RecordPredicateError) { selection = try query.select(from: set) } catch { throw CommandError(error) }
        let report = set.loadReport
        state.withLock { state in
            state.matches += selection.ordinals.count
            state.unknown.removeAll { field in !selection.unknownFields.contains { $0.name == field.name } }
            state.notes += report?.news(&state.told) ?? []
            state.notes += state.dates.news(of: set, in: piece.name)
        }
    }
}

/// The pieces of a stream for several threads, each piece for one of them.
private final class PieceSource: Sendable {
    struct Piece {
        let bytes: [UInt8]
        let header: [UInt8]
        let name: String
        /// Lines before it.
        let line: Int
    }

    private let pieces: Mutex<RecordPieces>

    init(_ pieces: RecordPieces) { self.pieces = Mutex(pieces) }

    /// The next piece; `nil` at the end.
    /// - Throws: `CommandError` as reading the stream.
    func next() throws(CommandError) -> Piece? {
        try pieces.withLock { pieces throws(CommandError) in
            let line = pieces.lineCount
            do throws(FileError) {
                guard let bytes = try pieces.next() else { return nil }
                return Piece(bytes: bytes, header: pieces.header, name: pieces.name, line: line)
            } catch {
                throw CommandError(error)
            }
        }
    }
}
