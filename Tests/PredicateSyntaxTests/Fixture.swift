// The case files beside these tests.
import Foundation
import PredicateSyntax

/// Reads a case file of the folder `Fixtures`.
func fixture<Case: Decodable>(_ name: String, of _: Case.Type) throws -> [Case] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    return try JSONDecoder().decode([Case].self, from: Data(contentsOf: folder.appendingPathComponent(name)))
}

struct ValidCase: Decodable {
    var id: String
    var predicate: String
    /// Whether CloudKit takes it: `Y`, `N`, or `?` where its documentation is silent.
    var cloudKit: String
}

struct InvalidCase: Decodable {
    var id: String
    var predicate: String
    /// In Unicode scalars.
    var offset: Int
    var kind: SyntaxError.Kind?
    var message: String?
}

struct ConformanceCase: Decodable {
    enum Expectation: String, Decodable {
        case ok, error
        /// Fails at some stage, not necessarily in parsing.
        case any
    }

    var id: String
    var predicate: String
    var expect: Expectation
    /// Number of arguments given along with the text.
    var arguments: Int?
}

/// The error that parsing the text gives, `nil` if it parses.
func syntaxError(_ text: String, limits: SyntaxLimits = .default) -> SyntaxError? {
    do {
        _ = try SyntaxTree(parsing: text, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// The value as JSON text.
func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func decoded<Value: Decodable>(_ json: String, as _: Value.Type) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
}

/// The value after a way through JSON.
func coded<Value: Codable>(_ value: Value) throws -> Value {
    try decoded(json(value), as: Value.self)
}
