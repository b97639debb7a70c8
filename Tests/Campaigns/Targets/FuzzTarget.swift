// What is fuzzed: functions of bytes that tell what is wrong.

/// What became of one input.
enum FuzzOutcome: Hashable, Sendable {
    /// It meant something, and all that was asked of it held.
    case accepted
    /// It was refused in words, as it may be.
    case rejected
    /// Something that must hold did not.
    case finding(String)
}

/// One target of fuzzing: what libFuzzer runs, what a replay of stored inputs runs, and what campaigns with seeds run
/// where they overlap.
struct FuzzTarget: Sendable {
    let name: String
    let summary: String
    /// Runs one input, whatever bytes it has. The same input gives the same outcome, whatever ran before.
    let run: @Sendable ([UInt8]) -> FuzzOutcome
    /// Inputs to begin with, besides the files of `Grammar/Fuzz/seeds`.
    var seeds: @Sendable () -> [[UInt8]] = { [] }
    /// The input that a line of `Grammar/Conformance` makes, where it makes one.
    var inputOfCase: (@Sendable ([UInt8]) -> [UInt8]?)?
    /// An input like another one, made by who knows the form, so that most of them mean something; `nil` leaves that to
    /// libFuzzer, as is right where bytes decide what is generated.
    var mutated: (@Sendable ([UInt8], inout SeededGenerator) -> [UInt8])?
    /// The most bytes that are worth trying.
    var byteLimit = 4096

    static let all: [FuzzTarget] = [
        .text, .results, .records, .tables, .checks, .filters, .schema, .segments, .log, .operations, .updates,
        .explore, .requests, .dates, .guesses, .syncStates, .archives,
        .rows, .conditions, .migrations,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
