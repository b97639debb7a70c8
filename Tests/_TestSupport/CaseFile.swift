// Reads the conformance cases of Grammar/Conformance.

/// One line of a `.cases` file: a predicate, what it is evaluated on, and what must come out.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// What must come out.
    public enum Expectation: Hashable, Sendable {
        /// It parses; perhaps the canonical form is given too.
        case parses(format: String?)
        case result(Bool)
        case matches([Int])
        /// It fails: at this stage (nil: any) and at this scalar offset (nil: anywhere).
        case error(stage: String?, offset: Int?)
    }

    public let file: String
    public let id: String
    public let predicate: String
    public let arguments: [JSONText]?
    public let variables: [String: JSONText]
    public let value: JSONText?
    public let values: [JSONText]?
    public let isCloudKit: Bool
    public let expectation: Expectation

    public var description: String { "\(id): \(predicate)" }

    /// All cases of all files, read once.
    public static let all = Result {
        try ProjectFiles.files(under: "Grammar/Conformance", extensions: ["cases"]).flatMap(read)
    }

    /// The cases of one file; a line that starts with `#` is a comment.
    static func read(_ path: String) throws -> [ConformanceCase] {
        let lines = try ProjectFiles.text(path).split(separator: "\n", omittingEmptySubsequences: false)
        return try lines.enumerated().compactMap { number, line in
            if line.isEmpty || line.hasPrefix("#") { return nil }
            do {
                return try ConformanceCase(JSONText(line), file: path)
            } catch {
                throw JSONText.ReadError(description: "\(path):\(number + 1): \(error)")
            }
        }
    }

    private init(_ json: JSONText, file: String) throws {
        guard let members = json.objectValue, let id = members["id"]?.stringValue,
            let predicate = members["predicate"]?.stringValue, let expect = members["expect"]
        else { throw JSONText.ReadError(description: "id, predicate or expect missing") }
        self.file = file
        self.id = id
        self.predicate = predicate
        arguments = members["arguments"]?.arrayValue
        variables = members["variables"]?.objectValue ?? [:]
        value = members["value"]
        values = members["values"]?.arrayValue
        isCloudKit = members["dialect"] == .string("cloudKit")
        switch expect {
        case .bool(let result): expectation = .result(result)
        case .array(let indices): expectation = .matches(indices.compactMap(\.integerValue))
        case .string("ok"): expectation = .parses(format: members["format"]?.stringValue)
        case .string("error"):
            expectation = .error(stage: members["stage"]?.stringValue, offset: members["offset"]?.integerValue)
        default: throw JSONText.ReadError(description: "unknown expectation")
        }
    }
}
