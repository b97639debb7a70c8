// Long work looks at its deadline as often as its size requires: the looks are counted.

import Deadlines
import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct LookTests {
    /// How often a body looks at its deadline: it ends early with all lower numbers of looks.
    private static func looks(of body: () throws -> Void) throws -> Int {
        func isEnough(_ looks: Int) throws -> Bool {
            do {
                try Deadline.run(looks: looks, failure: { $0 as any Error }, body)
                return true
            } catch is Interruption {
            } catch let error as EvaluationError where error.kind == .timeLimit {
            } catch PageError.evaluation(let error) where error.kind == .timeLimit {
            } catch GroupingError.evaluation(let error) where error.kind == .timeLimit {}
            return false
        }
        var (low, high) = (0, 1)
        while try !isEnough(high) { (low, high) = (high, high * 2) }
        while high - low > 1 {
            let middle = (low + high) / 2
            if try isEnough(middle) { high = middle } else { low = middle }
        }
        return high
    }

    private static func table(types: Int, records: Int) throws -> Snapshot {
        let loader = RecordLoader()
        for number in 0..<records {
            let fields: [String: FieldValue] = [
                "n": .int64(Int64(number % 9)), "t": .string("word\(number % 3) other \(number)"),
            ]
            let record = Record(type: "T\(number % types)", id: Record.ID("r\(number)"), fields: fields)
            try loader.append(record, origin: number + 1)
        }
        return Snapshot(loader.finish())
    }

    private static func query(_ text: String, _ snapshot: Snapshot) throws -> SnapshotQuery {
        let schema = try #require(snapshot.schema(ofType: "T0"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text))
        return SnapshotQuery(bound, over: snapshot, type: nil, settings: .init(context: .unused))
    }

    /// Groups of many small segments: once for each.
    @Test func groupsLookOncePerSegment() throws {
        let query = try Self.query("n >= 0", try Self.table(types: 60, records: 240))
        let rows = try Self.looks { _ = try query.matchingRows() }
        let groups = try Self.looks { _ = try query.groups(by: ["n"], []) }
        #expect(groups >= rows + 60, "\(groups), \(rows)")
    }

    /// Rows behind a cursor: once in 1024 of those before and behind it.
    @Test func laterPagesLookWhileTheySkip() throws {
        let query = try Self.query("t TOKENMATCHES 'other'", try Self.table(types: 1, records: 12_000))
        let keys = [SortKey.relevance]
        let first = try query.page(sortedBy: keys, limit: 10)
        let next = try #require(first.next)
        let looks = try Self.looks { _ = try query.page(sortedBy: keys, limit: 10) }
        let later = try Self.looks { _ = try query.page(sortedBy: keys, limit: 10, after: next) }
        #expect(later >= looks + 9, "\(later), \(looks)")
    }
}
