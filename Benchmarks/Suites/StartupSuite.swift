// `startup`: how long the command takes, from before its process starts until it has ended.

import FoundationEssentials

/// Times `predicate --help` and a one-shot query, beside the smallest program there is.
enum StartupSuite: Suite {
    static let name = "startup"
    static let summary = """
        [--command PATH] [--data FILE] [--runs N]: wall time of `predicate --help` and of a query over cities or airports
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["command", "data", "runs"])
        let runs = try options.count("runs", default: 40)
        let command = options["command"] ?? siblingCommand
        guard FileManager.default.isExecutableFile(atPath: command) else {
            throw UsageError(description: "\(command) is not there: swift build -c release --product predicate")
        }
        print(Machine.current().line)
        var table = TextTable(["program", "median ms", "min ms", "max ms", "CPU ms", "runs"])
        func add(_ name: String, _ arguments: [String], isRight: (ChildProcess) -> Bool) throws {
            var times: [Double] = []
            var processorTimes: [Double] = []
            for _ in 0..<runs {
                let child = try ChildProcess.run(arguments)
                guard isRight(child) else {
                    throw WrongResult(description: "\(name) ended with \(child.status), \(child.output.count) bytes")
                }
                times.append(child.seconds)
                processorTimes.append(child.processorSeconds)
            }
            let time = Measurement(times, processor: processorTimes)
            table.add(
                [name] + [time.median, time.minimum, time.maximum, time.processor].map { ($0 * 1000).figure } + [
                    String(time.runs)
                ])
        }
        try add("/bin/true", ["/bin/true"]) { $0.status == 0 }
        try add("predicate --help", [command, "--help"]) { $0.status == 0 && $0.output.count > 200 }
        if let data = options["data"] {
            let predicate = "population > 10000000"
            let expected = try ExpectedMatches.count(in: data) { ($0.population ?? 0) > 10_000_000 }
            try add("predicate query '\(predicate)' \(data)", [command, "query", predicate, data]) {
                $0.status == (expected > 0 ? 0 : 1) && $0.output.count { $0 == UInt8(ascii: "\n") } == expected
            }
            try add("predicate query … --count", [command, "query", predicate, data, "--count"]) {
                String(decoding: $0.output, as: UTF8.self).filter(\.isNumber) == String(expected)
            }
        }
        print(table.text)
    }

    /// The command built beside this program.
    static var siblingCommand: String {
        let program = CommandLine.arguments.first ?? ""
        return program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/predicate"
    }
}

/// The answer of the one-shot query by Foundation's decoder, a second opinion.
private enum ExpectedMatches {
    struct City: Decodable {
        var population: Double?
    }

    static func count(in path: String, where isMatch: (City) -> Bool) throws -> Int {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError(description: "cannot read \(path)")
        }
        let decoder = JSONDecoder()
        return try bytes.split(separator: UInt8(ascii: "\n")).count { isMatch(try decoder.decode(City.self, from: $0)) }
    }
}
