// `generate`: writes the seeded places as NDJSON.

/// Writes a generated data set.
enum GenerateSuite: Suite {
    static let name = "generate"
    static let summary = "[--records N] [--output FILE]: write N places (1,000,000) as NDJSON"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "output"])
        let count = try options.count("records", default: 1_000_000)
        let clock = ContinuousClock()
        let start = clock.now
        let path = options["output"] ?? "places_\(count).ndjson"
        let size = try PlaceFile.write(PlaceGenerator(count: count), to: path)
        let seconds = (clock.now - start).seconds
        print("\(path): \(count.separated) places, \(size.separated) bytes in \(seconds.figure) s")
    }
}
