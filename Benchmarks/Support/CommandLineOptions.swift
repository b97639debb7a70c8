// Options of the form `--name value` after a suite's name.

/// What was wrong with the command line, or with a file that it names.
struct UsageError: Error, CustomStringConvertible {
    var description: String
}

/// The options given to a suite.
struct CommandLineOptions {
    private var values: [String: String] = [:]

    /// Reads `--name value` pairs; names in `flags` take no value.
    init(_ arguments: some Sequence<String>, names: Set<String>, flags: Set<String> = []) throws(UsageError) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            let name = String(argument.drop { $0 == "-" })
            guard argument.hasPrefix("--"), names.contains(name) || flags.contains(name) else {
                let known = names.union(flags).sorted().map { "--" + $0 }.joined(separator: " ")
                throw UsageError(description: "unknown option \(argument); expected one of \(known)")
            }
            if flags.contains(name) {
                values[name] = ""
            } else if let value = iterator.next() {
                values[name] = value
            } else {
                throw UsageError(description: "\(argument) needs a value")
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func has(_ flag: String) -> Bool { values[flag] != nil }

    /// The value of a whole-number option of at least 1, or the default.
    func count(_ name: String, default standard: Int, least: Int = 1) throws(UsageError) -> Int {
        guard let text = values[name] else { return standard }
        guard let number = Int(text.filter { $0 != "_" && $0 != "," }), number >= least else {
            throw UsageError(description: "--\(name) needs a whole number from \(least)")
        }
        return number
    }
}
