// Conditions on locations.

public import Geospatial
import PredicateSyntax
import RecordModel

extension FieldExpression where Value: FieldOperand, Value.Family == LocationFamily {
    /// The distance from a place along the geodesic of WGS 84; nil of a missing location.
    public func distance(to place: Location) -> FieldExpression<Distance> {
        distance(to: FieldExpression<Location>(constant: place))
    }

    /// The distance from another field's location.
    public func distance<Other: FieldOperand>(to other: FieldExpression<Other>) -> FieldExpression<Distance>
    where Other.Family == LocationFamily {
        FieldExpression<Distance> { assembly in
            let place = assemble(&assembly)
            return ExpressionNode(.function(.distanceToLocation, [place, other.assemble(&assembly)]))
        }
    }

    /// Whether an area, its boundary included, contains the place; nil of a missing location.
    ///
    ///     City.where { $0.location.isInside(canton) }
    public func isInside(_ area: GeoArea) -> FieldExpression<Bool> {
        FieldExpression<Bool> { assembly in
            let place = assemble(&assembly)
            guard let sides = area.sides else {
                return ExpressionNode(.function(.inPolygon, [place, assembly.node(area.fieldValue)]))
            }
            let degrees = [sides.south, sides.west, sides.north, sides.east].map { assembly.node(.double($0)) }
            return ExpressionNode(.function(.inBox, [place] + degrees))
        }
    }

    /// Degrees north of the equator.
    public var latitude: FieldExpression<Double> { with(.key("latitude")) }
    /// Degrees east of Greenwich.
    public var longitude: FieldExpression<Double> { with(.key("longitude")) }
}
