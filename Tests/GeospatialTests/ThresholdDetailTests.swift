// How tight the bounds are that decide without an exact distance, and what errors of areas advise.

import Testing

@testable import Geospatial

@Suite struct ThresholdDetailTests {
    /// Over 50 km chords are shorter than distances by 12.98 cm at most and by 12.71 cm at least: s³ / 24 R² for the
    /// smallest and the largest radius of curvature.
    @Test func chordsDecideAllButMillimetres() {
        let fine = (margin: 1e-5, relative: 0.0)
        let coarse = (margin: 1.5, relative: 5e-7)
        typealias Verdict = ChordThresholds.Verdict
        let cases: [(range: DistanceRange, error: (margin: Double, relative: Double), chord: Double, Verdict)] = [
            (.atMost(50_000), fine, 49_999.8701, .inside), (.atMost(50_000), fine, 49_999.8715, .undecided),
            (.atMost(50_000), fine, 49_999.8730, .outside), (.atLeast(50_000), fine, 49_999.8701, .outside),
            (.atLeast(50_000), fine, 49_999.8715, .undecided), (.atLeast(50_000), fine, 49_999.8730, .inside),
            // Chords that are off by 1.5 m and 2.5 cm.
            (.atMost(50_000), coarse, 49_998.34, .inside), (.atMost(50_000), coarse, 49_998.35, .undecided),
            (.atMost(50_000), coarse, 50_001.39, .undecided), (.atMost(50_000), coarse, 50_001.41, .outside),
            (.atLeast(50_000), coarse, 49_998.34, .outside), (.atLeast(50_000), coarse, 50_001.41, .inside),
            (.between(10_000, 50_000), fine, 9_998, .outside), (.between(10_000, 50_000), fine, 10_001, .inside),
            (.between(10_000, 50_000), fine, 50_001, .outside), (.atMost(1), coarse, 0, .undecided),
            (.all, coarse, 0, .inside), (.all, fine, 12_000_000, .inside), (.all, fine, .nan, .undecided),
            (.empty, fine, 0, .outside), (.empty, fine, 5, .outside), (.empty, fine, .infinity, .outside),
            (.above(2.1e7), fine, 12_700_000, .outside), (.atMost(2.1e7), fine, 12_700_000, .inside),
        ]
        for (range, error, chord, verdict) in cases {
            let thresholds = ChordThresholds(range, margin: error.margin, relative: error.relative)
            #expect(thresholds.verdict(chord * chord) == verdict, "\(range) \(chord)")
        }
    }

    /// Boxes about circles are no wider than they need to be, in degrees to a hundredth.
    @Test func boxesAreNarrow() {
        let cases: [(latitude: Double, radius: Double, south: Double, north: Double, reach: Double)] = [
            (0.0, 100_000, -0.904, 0.904, 0.901), (60, 100_000, 59.096, 60.904, 1.794),
            (-60, 100_000, -60.904, -59.096, 1.794), (89.9, 100_000, 88.996, 90, 180),
            (-89.9, 100_000, -90, -88.996, 180), (10, -5, 10, 10, 0), (0, 1e8, -90, 90, 180), (90, 0, 90, 90, 180),
        ]
        for (latitude, radius, south, north, reach) in cases {
            let box = BoundingBox(center: Location(latitude: latitude, longitude: 7), radius: radius)
            #expect(abs(box.south - south) < 0.01 && abs(box.north - north) < 0.01, "\(latitude) \(radius)")
            #expect(abs(box.longitudeReach - reach) < 0.01, "\(latitude) \(radius)")
        }
    }

    /// Places where the axes meet the surface.
    @Test func pointsOnTheAxes() {
        let (equatorial, polar) = (6_378_137.0, 6_356_752.314_245)
        let cases: [(latitude: Double, longitude: Double, x: Double, y: Double, z: Double)] = [
            (0.0, 0.0, equatorial, 0, 0), (0, 90, 0, equatorial, 0), (0, -90, 0, -equatorial, 0),
            (0, 180, -equatorial, 0, 0), (0, -180, -equatorial, 0, 0), (90, 33, 0, 0, polar), (-90, 33, 0, 0, -polar),
        ]
        for (latitude, longitude, x, y, z) in cases {
            let point = GeocentricPoint(Location(latitude: latitude, longitude: longitude))
            #expect(abs(point.x - x) < 1e-5 && abs(point.y - y) < 1e-5, "\(latitude) \(longitude)")
            #expect(abs(point.z - z) < 1e-5, "\(latitude) \(longitude)")
        }
    }

    /// What an error says to write instead.
    static let advice: [(text: String, message: String, hint: String)] = [
        (#"{"type":"Feature","geometry":{}}"#, "a Feature is no area", "geometry"),
        (#"{"type":"Point","coordinates":[1,2]}"#, "Point is no area", "a Polygon or a MultiPolygon"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}"#, "not 3", "repeats the first"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#, "not closed", "at the end"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1],[1,1],[0,0]]]}"#, "longitude", "[8.54, 47.37]"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[361,0],[1,1],[0,0]]]}"#, "361.0", "up to 360"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,91],[1,1],[0,0]]]}"#, "91.0", "the longitude comes first"),
        (#"{"type":"Polygon","coordinates":[[[0,60],[120,60],[-120,60],[0,60]]]}"#, "pole", "[180, 90]"),
        (#"{"type":"Polygon"}"#, "coordinates is missing", #"{"type":"Polygon","coordinates":[[[8,47]"#),
        (#"{"type":7}"#, "text is expected", #"{"type":"Polygon","coordinates":[[[8,47]"#),
        ("{", "no JSON", #"{"type":"Polygon","coordinates":[[[8,47]"#),
    ]

    @Test(arguments: advice)
    func errorsSayWhatToWrite(text: String, message: String, hint: String) {
        let error = #expect(throws: GeoAreaError.self) { try GeoArea(geoJSON: text) }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.hint?.contains(hint) == true, "\(String(describing: error?.hint))")
    }

    /// 180.8° E, written as 179.2° W and one turn, lies on the line from 179.6° E by 180° E: a degree south for each
    /// 0.4° east. In floating point it lies beside the line.
    @Test func turnsOfAPointAloneAreNotRounded() {
        let (start, end) = (PlanePoint(longitude: 179.6, latitude: 0), PlanePoint(longitude: 180, latitude: -1))
        #expect(PlanePoint(longitude: -179.2, turns: 1, latitude: -3).side(from: start, to: end) == 0)
    }

    @Test func errorsOfBoxesSayWhatToWrite() {
        let cases: [(south: Double, west: Double, north: Double, east: Double, message: String, hint: String)] = [
            (91.0, 0.0, 92.0, 0.0, "91.0 is out of range", "−90 … 90"), (0, 0, 1, 181, "181.0", "−180 … 180"),
            (2, 0, 1, 0, "south is north of its north", "south, west, north, east"),
        ]
        for (south, west, north, east, message, hint) in cases {
            let error = #expect(throws: GeoAreaError.self) {
                try GeoArea(south: south, west: west, north: north, east: east)
            }
            #expect(error?.message.contains(message) == true, "\(message)")
            #expect(error?.hint?.contains(hint) == true, "\(message)")
        }
    }
}
