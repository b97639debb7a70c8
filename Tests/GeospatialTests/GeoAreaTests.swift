// Tests of areas: exact containment, GeoJSON, and the tree of places against looking at every place.

import Foundation
import Testing

@testable import Geospatial

@Suite struct GeoAreaTests {
    private static func polygon(_ rings: String) throws -> GeoArea {
        try GeoArea(geoJSON: #"{"type":"Polygon","coordinates":[\#(rings)]}"#)
    }

    private static func place(_ longitude: Double, _ latitude: Double) -> Location {
        Location(latitude: latitude, longitude: longitude)
    }

    // MARK: Exactness

    /// Signs of sums that floating point gets wrong.
    static let sums: [(terms: [(Double, Double)], sign: Int)] = [
        ([(0x1p-1063, 0x1p-1063), (0.0, 5.0)], 1), ([(0x1p-1063, -0x1p-1063)], -1), ([(360, 0.1), (-360, 0.1)], 0),
        ([(1e2, 1e2), (1e-300, -1e-20), (-1e2, 1e2)], -1), ([(1, 0.1), (1, 0.2), (-1, 0.3)], 1),
        ([(0x1p-1074, 0x1p-1074), (-0x1p-1074, 0x1p-1074)], 0), ([(720, 90), (-720, 90.00000000000001)], -1),
        ([], 0),
    ]

    @Test(arguments: sums)
    func exactSums(terms: [(Double, Double)], sign: Int) {
        var sum = ExactSum()
        for (a, b) in terms { sum.add(a, b) }
        #expect(sum.sign == sign)
    }

    /// One step of the smallest size off an edge is off the edge.
    @Test func stepsOffAnEdge() throws {
        let area = try Self.polygon("[[0,0],[3,1],[3,9],[0,0]]")
        // (1.5, 0.5) is on the lower edge, (1.5, 4.5) on the upper one.
        for place in [Self.place(1.5, 0.5), Self.place(1.5, 4.5), Self.place(0, 0), Self.place(3, 9), Self.place(3, 5)]
        {
            #expect(area.contains(place), "\(place)")
        }
        #expect(!area.contains(Self.place(1.5, 0.5.nextDown)))
        #expect(area.contains(Self.place(1.5, 0.5.nextUp)))
        #expect(!area.contains(Self.place(1.5, 4.5.nextUp)))
        #expect(!area.contains(Self.place(1.5.nextUp, 0.5)))
        #expect(!area.contains(Self.place(3.0.nextUp, 5)))
        #expect(!area.contains(Self.place(0x1p-1074, 0)))
        #expect(area.contains(Self.place(0x1.2p-1070, 0x1.8p-1072)))
    }

    /// Rings of many corners, whose edges are looked for by latitude: places well inside and outside of a circle, and
    /// off the middle of a star's points.
    @Test(arguments: [8, 15, 16, 17, 64, 200, 1000]) func ringsOfManyCorners(_ count: Int) throws {
        func corner(_ index: Int, _ radius: Double) -> [Double] {
            let angle = 2 * Double.pi * Double(index % count) / Double(count)
            return [20 + radius * cos(angle), -5 + radius * sin(angle)]
        }
        let circle = try GeoArea(polygons: [[(0...count).map { corner($0, 10) }]], isMultiple: false)
        let star = try GeoArea(
            polygons: [[(0...count).map { corner($0, $0 % count % 2 == 0 ? 10 : 5) }]], isMultiple: false)
        // The sides of the circle are farther in than its corners.
        let inner = 10 * cos(.pi / Double(count))
        var inside = 0
        for row in -24...24 {
            for column in -24...24 {
                let (x, y) = (Double(column) / 2 + 0.013, Double(row) / 2 + 0.017)
                let distance = (x * x + y * y).squareRoot()
                let place = Self.place(20 + x, -5 + y)
                if distance < inner - 1e-9 {
                    inside += 1
                    #expect(circle.contains(place), "\(place)")
                } else if distance > 10 + 1e-9 {
                    #expect(!circle.contains(place) && !star.contains(place), "\(place)")
                }
                if distance < 5 * cos(.pi / Double(count)) * 0.9, count % 2 == 0 {
                    #expect(star.contains(place), "\(place)")
                }
            }
        }
        #expect(inside > 900, "\(inside)")
    }

    /// A mesh of triangles about common corners, which no place falls between: in one of them at least, in just one
    /// off the lines.
    @Test func triangulation() throws {
        var places = PlaceGenerator(seed: 7)
        let center = [0.1, 0.7]
        let rim = [[-7.3, -5.1], [8.9, -6.7], [9.3, 7.7], [1.1, 9.9], [-8.3, 5.9]]
        var triangles: [GeoArea] = []
        for index in rim.indices {
            let corners = [center, rim[index], rim[(index + 1) % rim.count], center]
            triangles.append(try GeoArea(polygons: [[corners]], isMultiple: false))
        }
        let whole = try GeoArea(polygons: [[rim + [rim[0]]]], isMultiple: false)
        for _ in 0..<2_000 {
            let corner = rim.randomElement(using: &places) ?? center
            let share = Double.random(in: 0...1, using: &places)
            let place = Self.place(
                center[0] + share * (corner[0] - center[0]), center[1] + share * (corner[1] - center[1]))
            #expect(whole.contains(place))
            #expect(triangles.contains { $0.contains(place) }, "\(place)")
        }
    }

    // MARK: Poles, the antimeridian, holes

    static let points: [(rings: String, longitude: Double, latitude: Double, isInside: Bool)] = [
        // Beyond 180, by a jump, and by negative longitudes: one area.
        ("[[170,-10],[190,-10],[190,10],[170,10],[170,-10]]", 175.0, 0.0, true),
        ("[[170,-10],[190,-10],[190,10],[170,10],[170,-10]]", -175, 0, true),
        ("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]", -175, 0, true),
        ("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]", 0, 0, false),
        ("[[-190,-10],[-170,-10],[-170,10],[-190,10],[-190,-10]]", 175, 0, true),
        ("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]", 180, 10, true),
        ("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]", -180, 10, true),
        ("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]", -170, 3, true),
        ("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]", -169.99999999999997, 3, false),
        // Caps, and the whole globe.
        ("[[-180,60],[180,60],[180,90],[-180,90],[-180,60]]", 12, 61, true),
        ("[[-180,60],[180,60],[180,90],[-180,90],[-180,60]]", 12, 60, true),
        ("[[-180,60],[180,60],[180,90],[-180,90],[-180,60]]", 12, 59.99999999999999, false),
        ("[[-180,60],[180,60],[180,90],[-180,90],[-180,60]]", 77, 90, true),
        ("[[-180,60],[180,60],[180,90],[-180,90],[-180,60]]", 77, -90, false),
        ("[[-180,-90],[180,-90],[180,-60],[-180,-60],[-180,-90]]", 77, -90, true),
        ("[[-180,-90],[180,-90],[180,-60],[-180,-60],[-180,-90]]", 77, 90, false),
        ("[[-180,-90],[180,-90],[180,-60],[-180,-60],[-180,-90]]", 0, -60.00000000000001, true),
        ("[[-180,-90],[180,-90],[180,-60],[-180,-60],[-180,-90]]", 0, -59.99999999999999, false),
        ("[[10,80],[20,80],[15,90],[10,80]]", -100, 90, true),
        ("[[10,80],[20,80],[15,89],[10,80]]", 15, 90, false),
        ("[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]", -180, 3, true),
        // Holes: open.
        ("[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]", 4, 4, false),
        ("[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]", 3, 4, true),
        ("[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]", 6, 6, true),
        ("[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]", 2, 4, true),
        (
            "[[170,-10],[190,-10],[190,10],[170,10],[170,-10]],[[-185,-5],[-175,-5],[-175,5],[-185,5],[-185,-5]]",
            -179, 0, false
        ),
        // Sides of half the globe run as they are written.
        ("[[-90,-10],[90,-10],[90,10],[-90,10],[-90,-10]]", 0, 0, true),
        ("[[-90,-10],[90,-10],[90,10],[-90,10],[-90,-10]]", 180, 0, false),
        ("[[90,-10],[-90,-10],[-90,10],[90,10],[90,-10]]", 0, 0, true),
        ("[[90,-10],[270,-10],[270,10],[90,10],[90,-10]]", 180, 0, true),
        ("[[90,-10],[270,-10],[270,10],[90,10],[90,-10]]", 0, 0, false),
        ("[[-180,-10],[0,-10],[180,-10],[180,10],[0,10],[-180,10],[-180,-10]]", 179, 3, true),
        // Longitudes up to 360, edges of just half a turn, and altitudes, which say nothing.
        ("[[350,-5],[360,-5],[360,5],[350,5],[350,-5]]", -5, 0, true),
        ("[[350,-5],[360,-5],[360,5],[350,5],[350,-5]]", 5, 0, false),
        ("[[0,0],[180,0],[180,10],[0,10],[0,0]]", 90, 5, true),
        ("[[0,0],[180,0],[180,10],[0,10],[0,0]]", -90, 5, false),
        ("[[0,0,1],[9,0,2],[9,9,3],[0,0,4]]", 5, 3, true),
        // Lines of no width.
        ("[[0,0],[4,4],[2,2],[0,0]]", 3, 3, true), ("[[0,0],[4,4],[2,2],[0,0]]", 3, 3.5, false),
    ]

    @Test(arguments: points)
    func graticule(rings: String, longitude: Double, latitude: Double, isInside: Bool) throws {
        let area = try Self.polygon(rings)
        #expect(area.contains(Self.place(longitude, latitude)) == isInside)
        #expect(try GeoArea(geoJSON: area.geoJSON) == area)
    }

    /// Boxes and the polygons that they become contain the same places.
    static let boxSides: [(south: Double, west: Double, north: Double, east: Double)] = [
        (47.3, 8.4, 47.5, 8.6), (-10, 170, 10, -170), (-10, 10, 10, -10), (-90, -180, 90, 180), (60, -180, 90, 180),
        (-20, -100, 20, 100), (0, 0, 0, 0), (-5, 180, 5, -180), (-5, -180, 5, -180), (80, 30, 90, 40), (1, -180, 2, 90),
        (-1, -90, 1, 90), (-1, 90, 1, -90),
    ]

    @Test(arguments: boxSides)
    func boxes(south: Double, west: Double, north: Double, east: Double) throws {
        let box = try GeoArea(south: south, west: west, north: north, east: east)
        let polygon = try GeoArea(geoJSON: box.geoJSON)
        var places = PlaceGenerator(seed: 3)
        var found = 0
        let longitudes = [west, east, west.nextUp, west.nextDown, east.nextUp, east.nextDown, 0, 180, -180, 90]
        let latitudes = [
            south, north, south.nextUp, south.nextDown, north.nextUp, north.nextDown, 0, (south + north) / 2,
        ]
        for longitude in longitudes {
            for latitude in latitudes {
                let place = Self.place(longitude, latitude)
                if box.contains(place) { found += 1 }
                #expect(box.contains(place) == polygon.contains(place), "\(place)")
            }
        }
        for _ in 0..<500 {
            let place = places.place()
            #expect(box.contains(place) == polygon.contains(place), "\(place)")
        }
        #expect(found > 0)
    }

    /// Corners of the ring around a box: none of its sides is longer than a quarter of the globe.
    static let boxTexts: [(south: Double, west: Double, north: Double, east: Double, ring: String)] = [
        (1.0, 2.0, 3.0, 4.0, "[2.0,1.0],[4.0,1.0],[4.0,3.0],[2.0,3.0],[2.0,1.0]"),
        (
            -10, 170, 10, -170,
            "[170.0,-10.0],[180.0,-10.0],[-170.0,-10.0],[-170.0,10.0],[180.0,10.0],[170.0,10.0],[170.0,-10.0]"
        ),
        (
            0, 100, 5, -80,
            "[100.0,0.0],[180.0,0.0],[-90.0,0.0],[-80.0,0.0],"
                + "[-80.0,5.0],[-90.0,5.0],[180.0,5.0],[100.0,5.0],[100.0,0.0]"
        ),
        (0, 170, 5, -180, "[170.0,0.0],[180.0,0.0],[180.0,5.0],[170.0,5.0],[170.0,0.0]"),
        (0, -180, 5, -170, "[-180.0,0.0],[-170.0,0.0],[-170.0,5.0],[-180.0,5.0],[-180.0,0.0]"),
    ]

    @Test(arguments: boxTexts)
    func boxesAsText(south: Double, west: Double, north: Double, east: Double, ring: String) throws {
        let box = try GeoArea(south: south, west: west, north: north, east: east)
        #expect(box.geoJSON == #"{"type":"Polygon","coordinates":[[\#(ring)]]}"#)
        #expect(box.sides.map { [$0.south, $0.west, $0.north, $0.east] } == [south, west, north, east])
    }

    @Test func severalPolygonsAsText() throws {
        let ring = "[[0.0,0.0],[9.0,0.0],[9.0,9.0],[0.0,0.0]]"
        let hole = "[[22.0,1.0],[28.0,1.0],[28.0,6.0],[22.0,1.0]]"
        let other = "[[20.0,0.0],[29.0,0.0],[29.0,9.0],[20.0,0.0]],\(hole)"
        let text = #"{"type":"MultiPolygon","coordinates":[[\#(ring)],[\#(other)]]}"#
        let area = try GeoArea(geoJSON: text)
        #expect(area.geoJSON == text && area.sides == nil)
        // One of several is a polygon again.
        #expect(
            try GeoArea(geoJSON: #"{"type":"MultiPolygon","coordinates":[[\#(ring)]]}"#).geoJSON
                == #"{"type":"Polygon","coordinates":[\#(ring)]}"#)
        for (place, isInside) in [
            (Self.place(8, 4), true), (Self.place(28.5, 2), true), (Self.place(27, 3), false),
            (Self.place(15, 1), false),
        ] {
            #expect(area.contains(place) == isInside, "\(place)")
        }
    }

    @Test func placesOffTheGlobe() throws {
        let world = try GeoArea(south: -90, west: -180, north: 90, east: 180)
        for place in [Self.place(.nan, 0), Self.place(0, .nan), Self.place(181, 0), Self.place(0, 91)] {
            #expect(!world.contains(place))
        }
        // Polygons have such longitudes, places do not.
        let pacific = try Self.polygon("[[170,-10],[190,-10],[190,10],[170,10],[170,-10]]")
        for place in [Self.place(185, 0), Self.place(190, 0), Self.place(-185, 0), Self.place(.nan, 0)] {
            #expect(!pacific.contains(place), "\(place)")
        }
        #expect(pacific.contains(Self.place(-175, 0)) && pacific.contains(Self.place(175, 0)))
    }

    // MARK: Errors

    static let malformedTexts: [(text: String, place: String, message: String)] = [
        ("", "", "no JSON"), ("[]", "", "expected"), ("{", "", "no JSON"),
        (#"{"coordinates":[]}"#, "", "type is missing"),
        (#"{"type":"Polygon"}"#, "", "coordinates is missing"), (#"{"type":7}"#, "type", "text is expected"),
        (#"{"type":"Point","coordinates":[1,2]}"#, "type", "Point is no area"),
        (#"{"type":"Feature","geometry":{}}"#, "type", "Feature"),
        (#"{"type":"Polygon","coordinates":[]}"#, "coordinates", "one ring"),
        (#"{"type":"MultiPolygon","coordinates":[]}"#, "coordinates", "no polygon"),
        (#"{"type":"MultiPolygon","coordinates":[[]]}"#, "coordinates[0]", "one ring"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#, "coordinates[0]", "four positions"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#, "coordinates[0]", "not closed"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[1,0]]]}"#, "coordinates[0]", "not closed"),
        (#"{"type":"Polygon","coordinates":[[[0,-91],[1,0],[1,1],[0,-91]]]}"#, "coordinates[0][0][1]", "no latitude"),
        (#"{"type":"Polygon","coordinates":[[[-361,0],[1,0],[1,1],[0,0]]]}"#, "coordinates[0][0][0]", "no longitude"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1],[1,1],[0,0]]]}"#, "coordinates[0][1]", "longitude and a lat"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,"x"],[1,1],[0,0]]]}"#, "coordinates[0][1][1]", "a number"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,null],[1,1],[0,0]]]}"#, "coordinates[0][1][1]", "a number"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,NaN],[1,1],[0,0]]]}"#, "", "no JSON"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,90.5],[1,1],[0,0]]]}"#, "coordinates[0][1][1]", "no latitude"),
        (#"{"type":"Polygon","coordinates":[[[0,0],[361,0],[1,1],[0,0]]]}"#, "coordinates[0][1][0]", "no longitude"),
        (
            #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[0,0],[1,0],[1,1],[0,5]]]]}"#,
            "coordinates[1][0]", "not closed"
        ),
        (#"{"type":"Polygon","coordinates":[[[0,60],[120,60],[-120,60],[0,60]]]}"#, "coordinates[0]", "around a pole"),
        (
            #"{"type":"Polygon","coordinates":[[[-300,0],[-150,0],[0,0],[150,0],[150,1],[0,1],[-150,1],[-300,0]]]}"#,
            "coordinates[0]", "360"
        ),
    ]

    @Test(arguments: malformedTexts)
    func malformed(text: String, place: String, message: String) {
        let error = #expect(throws: GeoAreaError.self) { try GeoArea(geoJSON: text) }
        #expect(error?.place == place)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        let text = error.map { $0.message } ?? ""
        #expect(error?.description == (place.isEmpty ? text : place + ": " + text))
    }

    static let malformedSides: [(south: Double, west: Double, north: Double, east: Double, place: String)] = [
        (91.0, 0.0, 91.0, 0.0, "south"), (0, -181, 1, 0, "west"), (0, 0, .nan, 0, "north"),
        (0, 0, 1, .infinity, "east"),
        (2, 0, 1, 0, "south"), (.nan, 0, 1, 0, "south"),
    ]

    @Test(arguments: malformedSides)
    func malformedBoxes(south: Double, west: Double, north: Double, east: Double, place: String) {
        let error = #expect(throws: GeoAreaError.self) {
            try GeoArea(south: south, west: west, north: north, east: east)
        }
        #expect(error?.place == place)
    }

    // MARK: Columns and trees

    /// Boxes of almost all longitudes leave out the places in the gap, however narrow that is.
    @Test(arguments: [1e-9, 1e-7, 1e-6, 1e-3, 0.5])
    func narrowGaps(gap: Double) throws {
        let area = try GeoArea(south: -80, west: -180 + gap, north: 80, east: 180 - gap)
        var places = PlaceGenerator(seed: 7)
        let longitudes = (0..<2_000).map { row in
            let rim = [180, -180, 180 - gap, -180 + gap, (180 - gap).nextUp, (-180 + gap).nextDown, 0, 90]
            return rim[row % rim.count]
        }
        let latitudes = longitudes.map { _ in max(-80, min(80, places.place().latitude)) }
        let tree = SpatialTree(rows: 0..<2_000, latitudes: latitudes.span, longitudes: longitudes.span)
        func location(_ row: UInt32) -> Location {
            Location(latitude: latitudes[Int(row)], longitude: longitudes[Int(row)])
        }
        let expected = (0..<2_000 as Range<UInt32>).filter { area.contains(location($0)) }
        #expect(expected.count == 1_000)
        var rows: [UInt32] = []
        tree.select(.area(area), location: location, into: &rows)
        #expect(rows.sorted() == expected)
        #expect(tree.count(.area(area), location: location) == expected.count)
    }

    /// Boxes over the antimeridian, narrow and wider than half the globe, find what lies in them by a tree too.
    @Test(arguments: [(170.0, -170.0), (100, -60), (10, -10), (180, -1), (1, -180), (-10, 10), (-170, 170)])
    func treesBesideTheAntimeridian(west: Double, east: Double) throws {
        let area = try GeoArea(south: -80, west: west, north: 80, east: east)
        let longitudes = (0..<3_600).map { Double($0) / 10 - 180 }
        let latitudes = longitudes.indices.map { Double($0 % 70) }
        let tree = SpatialTree(rows: 0..<3_600, latitudes: latitudes.span, longitudes: longitudes.span)
        let expected = (0..<3_600 as Range<UInt32>).filter { row in
            let longitude = longitudes[Int(row)]
            return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
        }
        let location = { (row: UInt32) in Location(latitude: latitudes[Int(row)], longitude: longitudes[Int(row)]) }
        var rows: [UInt32] = []
        tree.select(.area(area), location: location, into: &rows)
        #expect(rows.sorted() == expected)
        #expect(tree.count(.area(area), location: location) == expected.count)
        #expect(tree.countBounds(.area(area)).contains(expected.count))
    }

    @Test(arguments: [0, 1, 64, 65, 1_500, 20_000])
    func treesAndColumns(count: Int) throws {
        var places = PlaceGenerator(seed: UInt64(count) + 5)
        let areas = try (0..<25).map { _ in try RandomArea.area(&places) }
        var sample: [Location] = []
        for row in 0..<count {
            sample.append(row % 3 == 0 ? places.place() : RandomArea.place(in: areas[row % areas.count], &places))
        }
        let (latitudes, longitudes) = (sample.map(\.latitude), sample.map(\.longitude))
        let tree = SpatialTree(rows: 0..<UInt32(count), latitudes: latitudes.span, longitudes: longitudes.span)
        var found = 0
        for area in areas {
            let test = PlaceTest.area(area)
            let expected = (0..<UInt32(count)).filter { area.contains(sample[Int($0)]) }
            found += expected.count
            var rows: [UInt32] = []
            tree.select(test, location: { sample[Int($0)] }, into: &rows)
            #expect(rows.sorted() == expected, "\(area.geoJSON)")
            #expect(tree.count(test, location: { sample[Int($0)] }) == expected.count)
            #expect(tree.countBounds(test).contains(expected.count))
            var words = [UInt64](repeating: 0, count: (count + 63) / 64)
            tree.mark(test, location: { sample[Int($0)] }, in: &words)
            var scanned = [UInt64](repeating: ~0, count: words.count)
            var span = scanned.mutableSpan
            test.select(latitudes: latitudes.span, longitudes: longitudes.span, into: &span)
            #expect(words == scanned)
            #expect(words.reduce(0) { $0 + $1.nonzeroBitCount } == expected.count)
        }
        #expect(found >= count / 4)
    }
}
