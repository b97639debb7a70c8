// predicate distance: metres between two places.

import RecordDatabase

/// `predicate distance LAT,LON LAT,LON`
enum DistanceCommand: Command {
    static let specification = CommandSpecification(
        name: "distance",
        operands: "LAT,LON LAT,LON",
        summary: "Print the distance of two places in metres.",
        discussion: "Along the geodesic of the WGS 84 ellipsoid, as distanceToLocation:fromLocation: measures it.",
        options: SharedOptions.messages,
        examples: [
            Example("Paris to New York", "predicate distance 48.8566,2.3522 40.7128,-74.0060"),
            Example("across the antimeridian", "predicate distance -17.7,179.9 -17.7,-179.9"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard arguments.operands.count == 2 else {
            throw CommandError(
                .usage, "'predicate distance' takes two places", hint: "predicate distance LAT,LON LAT,LON")
        }
        let from = try Location(text: arguments.operands[0])
        let to = try Location(text: arguments.operands[1])
        session.output.write(Self.metres(Geodesic.distance(from: from, to: to)) + "\n")
        return .success
    }

    /// Metres with millimetres.
    static func metres(_ distance: Double) -> String {
        let millimetres = Int64((distance * 1000).rounded())
        let fraction = String(millimetres % 1000)
        return "\(millimetres / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
