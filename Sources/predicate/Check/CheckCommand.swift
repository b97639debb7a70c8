// predicate check: many small requests over a line protocol, for tests and other programs.

import RecordDatabase

/// `predicate check [FILE…]`
enum CheckCommand: Command {
    static let specification = CommandSpecification(
        name: "check",
        operands: "[FILE…]",
        summary: "Evaluate predicates in JSON requests, one a line.",
        discussion: """
            in:   {"id": any, "predicate": "…", "arguments": [V…]?, "variables": {"NAME": V}?, "value": V?, "values": \
            [V…]?,
                   "dialect": "full"|"cloudKit"?}
            out:  {"id": …, "result": true|false}       for a value
                  {"id": …, "matches": [indices]}       for values
                  {"id": …, "format": "canonical text"} for neither
                  {"id": …, "error": {"stage", "offset", "length", "message", "hint"?}}
            Offsets are Unicode scalars of the predicate. V is JSON; besides {"$date": seconds | "RFC 3339"}, {"$data":
            "base64"}, {"$set": [V…]}, {"latitude", "longitude"} and {"reference", "action"}. One result a line, in
            order; a line that is wrong gets an error object and never ends the run; one of more than 1 GiB does.
            """,
        options: [
            OptionSpecification(
                "--expect",
                "Compare with the 'expect' of each line (true, false, indices, \"ok\", \"error\"); print what differs.")
        ] + SharedOptions.messages,
        examples: [
            Example(
                "one request", #"echo '{"id":1,"predicate":"SELF > 3","value":4}' | predicate check"#),
            Example("a file of cases with their results", "predicate check --expect Grammar/Conformance/logic.cases"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        var tally = CheckTally(isExpecting: arguments.has("--expect"), session: session)
        if arguments.operands.isEmpty {
            var reader = LineReader.standardInput()
            try tally.run("standard input", &reader)
        }
        for path in arguments.operands {
            var reader = path == "-" ? LineReader.standardInput() : try LineReader.file(path)
            try tally.run(path, &reader)
        }
        return tally.finish()
    }
}

/// Responds to lines, or compares the responses with what the lines expect.
struct CheckTally {
    var isExpecting: Bool
    var session: Session
    private var cases = 0
    private var differing = 0

    init(isExpecting: Bool, session: Session) {
        self.isExpecting = isExpecting
        self.session = session
    }

    /// Evaluates every line of a file. Comparing leaves out blank lines and comments (`#`), which files of cases have.
    mutating func run(_ name: String, _ reader: inout LineReader) throws(CommandError) {
        var number = 0
        while let line = try reader.next() {
            number += 1
            if isExpecting {
                let first = line.first { $0 != 0x20 && $0 != 0x09 }
                if first == nil || first == UInt8(ascii: "#") { continue }
                compare(line, at: "\(name):\(number)")
            } else {
                session.output.write(CheckResult.run(line).json.text + "\n")
                if !reader.hasBufferedLine { session.output.flush() }
            }
        }
    }

    private mutating func compare(_ line: [UInt8], at place: String) {
        cases += 1
        let json = (try? JSONReader.tree(line)) ?? .null
        let result = CheckResult.run(line)
        if let expected = json["expect"], result.meets(expected, of: json) { return }
        differing += 1
        session.output.write("\(place): expected \((json["expect"] ?? .null).text), got \(result.json.text)\n")
    }

    /// Says how many cases agree, where they were compared.
    func finish() -> ExitStatus {
        guard isExpecting else { return .success }
        session.output.write("\(cases - differing) of \(cases) cases agree\n")
        return differing == 0 ? .success : .noMatch
    }
}
