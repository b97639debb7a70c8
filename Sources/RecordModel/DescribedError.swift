// What the errors of the library have in common.

public import FoundationEssentials
public import Geospatial

/// An error that says what is wrong, where, and what may help.
///
/// All errors that the library throws are of this family. `localizedDescription` is the description.
public protocol DescribedError: LocalizedError, CustomStringConvertible, Sendable {
    /// What to do about it, where there is a usual remedy.
    var hint: String? { get }
}

extension DescribedError {
    public var errorDescription: String? { description }
    public var recoverySuggestion: String? { hint }
}

extension GeoAreaError: DescribedError {}
