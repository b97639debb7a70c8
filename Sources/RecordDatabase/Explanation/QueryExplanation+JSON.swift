// Explanations as JSON: the same content as the tree.

import PredicateSyntax
import RecordFiles
import RecordModel

extension QueryExplanation {
    /// The explanation as JSON on one line; <doc:IndexesAndPlans> has its members.
    public var json: String {
        var writer = JSONWriter()
        writer.write(jsonValue)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The explanation as a JSON object.
    package var jsonValue: JSONValue {
        var members: [JSONValue.Member] = [.init(key: "predicate", value: .string(predicate))]
        if let simplified { members.append(.init(key: "simplified", value: .string(simplified))) }
        if let pushed { members.append(.init(key: "pushed", value: pushed.jsonValue)) }
        members.append(.init(key: "records", value: .int64(Int64(records))))
        members.append(.init(key: "plans", value: .array(plans.map(\.jsonValue))))
        members.append(.init(key: "scans", value: .array(scans.map(\.jsonValue))))
        members.append(.init(key: "advice", value: .array(advice.map(\.jsonValue))))
        return .object(members)
    }
}

extension QueryExplanation.Pushed {
    fileprivate var jsonValue: JSONValue {
        var members: [JSONValue.Member] = [.init(key: "condition", value: .string(condition))]
        if let certain { members.append(.init(key: "certain", value: .string(certain))) }
        members += [
            .init(key: "indexes", value: .array(indexes.map { .string($0) })),
            .init(key: "rows", value: .int64(Int64(rows))), .init(key: "rechecked", value: .int64(Int64(rechecked))),
        ]
        if readsTextsByPresence { members.append(.init(key: "textsByPresence", value: .bool(true))) }
        if names > 0 { members.append(.init(key: "names", value: .int64(Int64(names)))) }
        if !nodes.isEmpty { members.append(.init(key: "nodes", value: .array(nodes.map { .int64(Int64($0)) }))) }
        return .object(members)
    }
}

extension QueryExplanation.Plan {
    fileprivate var jsonValue: JSONValue {
        .object([
            .init(key: "records", value: .int64(Int64(records))), .init(key: "step", value: step.jsonValue),
        ])
    }
}

extension QueryExplanation.Step {
    fileprivate var jsonValue: JSONValue {
        var members: [JSONValue.Member] = [.init(key: "name", value: .string(name))]
        if !detail.isEmpty { members.append(.init(key: "detail", value: .string(detail))) }
        if let field { members.append(.init(key: "field", value: .string(field))) }
        members += [
            .init(key: "estimatedRows", value: .int64(Int64(estimatedRows))),
            .init(key: "isExact", value: .bool(isExact)), .init(key: "rows", value: .int64(Int64(rows))),
            .init(key: "microseconds", value: .double(Double(time.nanoseconds) / 1000)),
        ]
        if !inputs.isEmpty { members.append(.init(key: "inputs", value: .array(inputs.map(\.jsonValue)))) }
        return .object(members)
    }
}

extension QueryExplanation.Scan {
    fileprivate var jsonValue: JSONValue {
        .object([
            .init(key: "part", value: .string(part)), .init(key: "start", value: .int64(Int64(span.lowerBound))),
            .init(key: "end", value: .int64(Int64(span.upperBound))), .init(key: "reason", value: .string(reason)),
        ])
    }
}

extension IndexAdvice {
    fileprivate var jsonValue: JSONValue {
        .object([
            .init(key: "field", value: .string(field)), .init(key: "mark", value: .string(mark.names.first ?? "")),
            .init(key: "index", value: .string(kind)), .init(key: "options", value: .string(options)),
            .init(key: "part", value: .string(part)), .init(key: "start", value: .int64(Int64(span.lowerBound))),
            .init(key: "end", value: .int64(Int64(span.upperBound))),
            .init(key: "rowsRead", value: .int64(Int64(rowsRead))),
            .init(key: "rowsNeeded", value: .int64(Int64(rowsNeeded))),
        ])
    }
}
