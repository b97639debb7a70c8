// One response of the line protocol of `predicate check`, and whether it is the expected one.

import PredicateSemantics
package import RecordFiles
import RecordModel

/// The response to a line: the `id` with a result, or with an error.
package struct CheckResult: Sendable {
    /// What the line named itself, as it came.
    package var id: JSONValue
    /// The result, or the error.
    package var outcome: JSONValue.Member

    /// Evaluates one line; whatever is wrong with it becomes an error object.
    package static func run(_ line: [UInt8]) -> CheckResult {
        do throws(JSONError) {
            return CheckResult(try JSONReader.tree(line))
        } catch {
            let offset = String(decoding: line.prefix(error.offset ?? 0), as: UTF8.self).unicodeScalars.count
            return CheckResult(
                id: .null, outcome: failure("input", offset, 0, "the line is not JSON: \(error.message)"))
        }
    }

    private init(id: JSONValue, outcome: JSONValue.Member) {
        self.id = id
        self.outcome = outcome
    }

    /// Evaluates a request in JSON.
    private init(_ json: JSONValue) {
        id = json["id"] ?? .null
        do throws(CheckFailure) {
            let request = try CheckRequest(json)
            do throws(RecordPredicateError) {
                outcome = try request.run()
            } catch {
                let place = error.scalarRange
                outcome = Self.failure(
                    error.stage.rawValue, place.lowerBound, place.count, error.message, hint: error.hint)
            }
        } catch {
            outcome = Self.failure("input", error.offset, 0, error.message)
        }
    }

    private static func failure(
        _ stage: String, _ offset: Int, _ length: Int, _ message: String, hint: String? = nil
    ) -> JSONValue.Member {
        var members = [
            JSONValue.Member(key: "stage", value: .string(stage)),
            JSONValue.Member(key: "offset", value: .int64(Int64(offset))),
            JSONValue.Member(key: "length", value: .int64(Int64(length))),
            JSONValue.Member(key: "message", value: .string(message)),
        ]
        if let hint { members.append(JSONValue.Member(key: "hint", value: .string(hint))) }
        return JSONValue.Member(key: "error", value: .object(members))
    }

    /// The line of the response, without its end.
    package var json: JSONValue { .object([JSONValue.Member(key: "id", value: id), outcome]) }

    /// Whether the response is what a case expects: `"ok"`, `"error"` (perhaps with a `stage` and an `offset`), a truth
    /// value, or a list of indices.
    package func meets(_ expected: JSONValue, of json: JSONValue) -> Bool {
        switch expected {
        case .string("error"):
            guard outcome.key == "error" else { return false }
            return ["stage", "offset"].allSatisfy { name in
                json[name].map { $0 == outcome.value[name] } ?? true
            }
        case .string("ok"):
            guard outcome.key != "error" else { return false }
            return json["format"].map { $0 == outcome.value } ?? true
        default: return outcome.key != "error" && outcome.value == expected
        }
    }
}
