// What campaigns have in common: findings that are shown and counted.

/// A campaign that goes on by single inputs.
protocol SteppedCampaign {
    /// Runs one input.
    /// - Returns: what is wrong.
    mutating func step() -> String?
    /// What was run, and what became of it.
    var tally: String { get }
}

/// Counts what is wrong, and prints the first of it.
struct Findings {
    private(set) var count = 0

    mutating func report(_ finding: some CustomStringConvertible) {
        count += 1
        if count <= 20 { print(finding) }
    }

    mutating func report(_ findings: [some CustomStringConvertible]) { for finding in findings { report(finding) } }
}
