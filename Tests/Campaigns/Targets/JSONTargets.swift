// JSON from strangers: the lines of `predicate check`, and queries of CloudKit's web service.

import PredicateSemantics
import RecordDatabase
import RecordFiles
import RecordModel

extension FuzzTarget {
    private static let lineWords = JSONMutator(words: [
        "predicate", "arguments", "variables", "value", "values", "dialect", "cloudKit", "full", "id", "x", "$date",
        "$data", "$set", "reference", "action", "deleteSelf", "AAEC", "2026-01-02T03:04:05Z", "whole", "tags",
    ])

    static let checks = FuzzTarget(
        name: "checks", summary: "lines of `predicate check`: answered in JSON, the canonical form again by itself",
        run: { line in
            let result = CheckResult.run(line)
            var writer = JSONWriter()
            writer.write(result.json)
            guard let again = try? JSONReader.tree(writer.bytes) else { return .finding("the answer is no JSON") }
            if result.outcome.key == "error" { return .rejected }
            guard result.outcome.key == "format", case .string(let format) = result.outcome.value else {
                return .accepted
            }
            guard let tree = try? RecordPredicate.tree(of: format, .full), tree.description == format,
                again["format"] == .string(format)
            else { return .finding("the canonical form is not its own: \(format)") }
            return .accepted
        },
        seeds: {
            var queries = RandomPredicates(seed: 3)
            return (0..<100).map { number in
                let query = queries.query()
                var writer = JSONWriter()
                writer.write(
                    FieldValue.object([
                        "id": .int64(Int64(number)), "predicate": .string(query.text),
                        "arguments": .list(query.arguments),
                    ]))
                return writer.bytes
            }
        },
        inputOfCase: { $0 },
        mutated: { lineWords.mutated($0, predicates: "predicate", using: &$1) })

    private static let filterWords = JSONMutator(words: [
        "comparator", "fieldName", "fieldValue", "distance", "value", "type", "recordType", "filterBy", "sortBy",
        "ascending", "relativeLocation", "latitude", "longitude", "recordName", "zoneID", "zoneName", "action",
        "EQUALS", "NOT_EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN", "GREATER_THAN_OR_EQUALS", "NEAR",
        "CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS", "IN", "NOT_IN", "LIST_CONTAINS", "NOT_LIST_CONTAINS",
        "LIST_CONTAINS_ANY", "NOT_LIST_CONTAINS_ANY", "LIST_CONTAINS_ALL", "NOT_LIST_CONTAINS_ALL", "BEGINS_WITH",
        "NOT_BEGINS_WITH", "LIST_MEMBER_BEGINS_WITH", "NOT_LIST_MEMBER_BEGINS_WITH", "STRING", "INT64", "DOUBLE",
        "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE", "STRING_LIST", "INT64_LIST", "LOCATION_LIST", "___recordID",
        "___createTime", "___createdBy", "allTokens", "a", "size", "a b", "AAEC",
    ])

    static let filters = FuzzTarget(
        name: "filters", summary: "queries of CloudKit's web service: read, written, read again, asked",
        run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let query: Query
            do throws(FilterError) { query = try Query(webServiceJSON: text) } catch {
                return error.description.isEmpty ? .finding("an error without words") : .rejected
            }
            if let bound = try? Binder().bind(query.predicate) {
                _ = try? bound.evaluate(on: filterRecord, context: .unused)
            }
            guard let written = try? query.webServiceJSON() else { return .accepted }
            guard let again = try? Query(webServiceJSON: written), (try? again.webServiceJSON()) == written else {
                return .finding("what is written reads otherwise: \(written)")
            }
            return .accepted
        },
        seeds: { filterSeeds.map { Array($0.utf8) } },
        mutated: { filterWords.mutated($0, using: &$1) ?? FileMutator.mutated($0, using: &$1) })

    private static let filterRecord = {
        var source = RandomRecords(seed: 2)
        return source.record(0, of: 1)
    }()

    private static let filterSeeds = [
        #"{"recordType":"T","filterBy":[{"fieldName":"a","comparator":"EQUALS","fieldValue":{"value":1,"type":"INT64"}}]}"#,
        #"{"recordType":"T","filterBy":[{"fieldName":"a","comparator":"IN","fieldValue":{"value":["x","y"],"type":"STRING_LIST"}},{"fieldName":"b","comparator":"GREATER_THAN","fieldValue":{"value":2.5}}],"sortBy":[{"fieldName":"a","ascending":false}]}"#,
        #"{"recordType":"T","filterBy":[{"fieldName":"p","comparator":"NEAR","distance":1000,"fieldValue":{"value":{"latitude":1.5,"longitude":-2},"type":"LOCATION"}}],"sortBy":[{"fieldName":"p","relativeLocation":{"latitude":1,"longitude":2}}]}"#,
        #"{"recordType":"T","filterBy":[{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"red fox"}},{"fieldName":"b","comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":"a b","type":"STRING"}}]}"#,
        #"{"recordType":"T","filterBy":[{"fieldName":"___createTime","comparator":"LESS_THAN","fieldValue":{"value":1700000000000,"type":"TIMESTAMP"}},{"fieldName":"r","comparator":"NOT_EQUALS","fieldValue":{"value":{"recordName":"x","action":"NONE"},"type":"REFERENCE"}},{"fieldName":"d","comparator":"EQUALS","fieldValue":{"value":"AAEC","type":"BYTES"}}]}"#,
        #"{"recordType":"T","filterBy":[{"fieldName":"l","comparator":"NOT_LIST_CONTAINS_ALL","fieldValue":{"value":[1,2]}},{"fieldName":"l","comparator":"LIST_MEMBER_BEGINS_WITH","fieldValue":{"value":"re"}},{"fieldName":"s","comparator":"NOT_BEGINS_WITH","fieldValue":{"value":"re"}}]}"#,
    ]
}
