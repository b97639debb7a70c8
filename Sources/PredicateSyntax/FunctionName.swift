// The closed table of functions: nothing else can be called from predicate text.

/// A function of the language, named by its selector.
///
/// The raw value is the canonical selector. `f(x)` in text means the selector `f:`; `f()` means `f`.
///
/// Arguments follow the selector's parts in order; the first seven also take a list as their one argument.
public enum FunctionName: String, Hashable, Sendable, Codable, CaseIterable {
    /// The sum of numbers; 0 of none.
    case sum = "sum:"
    /// The number of elements, or of values.
    case count = "count:"
    /// The smallest value; nil of none.
    case min = "min:"
    /// The greatest value; nil of none.
    case max = "max:"
    /// The mean of numbers; nil of none.
    case average = "average:"
    /// The middle one of numbers, or the mean of the two in the middle.
    case median = "median:"
    /// The values that appear most often, as a list.
    case mode = "mode:"
    /// The standard deviation of numbers, as a population.
    case stddev = "stddev:"
    /// The sum of two numbers, as `a + b`.
    case addTo = "add:to:"
    /// The difference of two numbers, as `a - b`.
    case fromSubtract = "from:subtract:"
    /// The product of two numbers, as `a * b`.
    case multiplyBy = "multiply:by:"
    /// The quotient of two numbers, as `a / b`.
    case divideBy = "divide:by:"
    /// The remainder of whole numbers, with the sign of the dividend.
    case modulusBy = "modulus:by:"
    /// The square root of a number.
    case sqrt = "sqrt:"
    /// The number e to the power of another.
    case exp = "exp:"
    /// The natural logarithm of a number.
    case ln = "ln:"
    /// The logarithm of a number to base 10.
    case log = "log:"
    /// The power of two numbers, as `a ** b`.
    case raiseToPower = "raise:toPower:"
    /// The next whole number below.
    case floor = "floor:"
    /// The next whole number above.
    case ceiling = "ceiling:"
    /// The magnitude of a number.
    case abs = "abs:"
    /// The number without its fraction.
    case trunc = "trunc:"
    /// The text in upper case, by the rules of the root locale.
    case uppercase = "uppercase:"
    /// The text in lower case, by the rules of the root locale.
    case lowercase = "lowercase:"
    /// The length of a text in UTF-16 code units.
    case length = "length:"
    /// A random number from 0 up to, not including, 1.
    case random = "random"
    /// A random whole number from 0 up to, not including, the argument.
    case randomn = "randomn:"
    /// The present moment.
    case now = "now"
    /// The bits that both numbers have, as `a & b`.
    case bitwiseAnd = "bitwiseAnd:with:"
    /// The bits that one of the numbers has, as `a | b`.
    case bitwiseOr = "bitwiseOr:with:"
    /// The bits in which the numbers differ, as `a ^ b`.
    case bitwiseXor = "bitwiseXor:with:"
    /// The bits moved left, as `a << b`.
    case leftshift = "leftshift:by:"
    /// The bits moved right, keeping the sign, as `a >> b`.
    case rightshift = "rightshift:by:"
    /// The complement of the bits, as `~a`.
    case onesComplement = "onesComplement:"
    /// The value as another type, as `CAST(x, 'Type')`.
    case castObject = "castObject:toType:"
    /// The geodesic distance in metres on the WGS 84 ellipsoid.
    case distanceToLocation = "distanceToLocation:fromLocation:"
    /// The geodesic distance in metres from a place that its latitude and longitude tell.
    case distance = "distance:latitude:longitude:"
    /// The place of a latitude and a longitude in degrees.
    case location = "locationWithLatitude:longitude:"
    /// The date that a text spells, a day being its start in UTC; nil of other texts.
    case date = "date:"
    /// The calendar year of a date, in UTC.
    case year = "year:"
    /// The month of a date, 1 to 12, in UTC.
    case month = "month:"
    /// The day of the month of a date, in UTC.
    case day = "day:"
    /// Whether the place lies between two parallels and two meridians, in degrees.
    case inBox = "inBox:south:west:north:east:"
    /// Whether the place lies in a GeoJSON Polygon or MultiPolygon.
    case inPolygon = "inPolygon:geoJSON:"
    /// The element of a list or an object, as `a[b]`.
    case objectFrom = "objectFrom:withIndex:"
    /// The element of a list or an object, as `a[b]`.
    case indexedBy = "indexed:by:"
    /// The tokens of the text, folded by the options.
    case tokenize = "tokenize:using:"
    /// The value; no index is used for it.
    case noindex = "noindex:"
    /// The elements of a list, each once.
    case distinct = "distinct:"
}
