// Places: by the chord through the Earth, with margins within which the geodesic itself decides.

import Geospatial
import PredicateSemantics
import RecordModel

extension Lowering {
    func place(_ field: FieldColumn, _ requirement: FieldConstraint.Requirement) -> Bounds {
        switch requirement {
        case .equal(.location(let place), _):
            let (latitude, longitude) = (column(field.name + "~lat"), column(field.name + "~lon"))
            return Bounds(
                exact: "\(latitude) = \(.double(place.latitude)) AND \(longitude) = \(.double(place.longitude))")
        case .equal(let value, _) where !value.isNull: return .never
        case .distance(let center, let range): return distance(field, DistanceTest(center: center, range: range))
        default: return .superset(present(field))
        }
    }

    private func distance(_ field: FieldColumn, _ test: DistanceTest) -> Bounds {
        if test.range.isEmpty { return .never }
        let (point, limits) = (test.point, test.thresholds)
        let squares = zip(["~x", "~y", "~z"], [point.x, point.y, point.z]).map { suffix, value -> SQLText in
            let column = column(field.name + suffix)
            return "(\(column) - \(.double(value))) * (\(column) - \(.double(value)))"
        }
        let chord: SQLText = "(\(.joined(squares, by: " + ")))"
        var (certain, possible) = ([present(field)], [present(field)])
        if limits.surelyAbove >= 0 { certain.append(.holds("\(chord) > \(.double(limits.surelyAbove))")) }
        if limits.surelyBelow < .infinity { certain.append(.holds("\(chord) < \(.double(limits.surelyBelow))")) }
        if limits.surelyUnder >= 0 { possible.append(.holds("\(chord) >= \(.double(limits.surelyUnder))")) }
        if limits.surelyOver < .infinity {
            let box = box(field, point, reach: limits.surelyOver.squareRoot())
            possible += [box, .holds("\(chord) <= \(.double(limits.surelyOver))")]
            certain.append(box)
        }
        return Bounds(.every(certain), .every(possible))
    }

    /// A box around the point, looked at along the Earth's axis: what the index of places has.
    private func box(_ field: FieldColumn, _ point: GeocentricPoint, reach: Double) -> Condition {
        // A metre more than needed: the server takes what is nearly equal for equal.
        let reach = reach * 1.000_001 + 1
        let corners = [point.x - reach, point.y - reach, point.x + reach, point.y + reach].map { SQLValue.double($0) }
        return .holds(
            """
            point(\(column(field.name + "~x")), \(column(field.name + "~y"))) \
            <@ box(point(\(corners[0]), \(corners[1])), point(\(corners[2]), \(corners[3])))
            """)
    }
}
