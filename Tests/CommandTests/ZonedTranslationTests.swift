// Translations of years, months and days where days are those of another time zone.

import Testing

struct ZonedTranslationTests {
    private static let wordings: [[String]] = [
        ["--to", "sql"], ["--to", "sql", "--database", "postgresql"], ["--to", "swift"],
    ]

    @Test(arguments: wordings, ["year(t) == 2024", "n == 1 OR month(t) IN {1, 2}", "TERNARY(day(t) == 1, 1, 2) == n"])
    func partsOfDates(_ wording: [String], _ predicate: String) throws {
        let words = ["translate"] + wording + [predicate]
        let elsewhere = try CommandRun(words + ["--time-zone", "Europe/Zurich"])
        // Databases have no TERNARY, whatever the zone.
        if !predicate.hasPrefix("TERNARY") { #expect(elsewhere.errors.contains("time zone"), "\(elsewhere.errors)") }
        #expect(elsewhere.status != 0 && elsewhere.output.isEmpty)
        if !predicate.hasPrefix("TERNARY") { #expect(try CommandRun(words).status == 0) }
    }

    /// Moments are the same everywhere.
    @Test(arguments: wordings.prefix(2)) func moments(_ wording: [String]) throws {
        let run = try CommandRun(["translate"] + wording + ["t > date('2024-01-01')", "--time-zone", "Europe/Zurich"])
        #expect(run.output.contains("2023-12-31T23:00:00"), "\(run.output)\(run.errors)")
    }
}
