// Sort descriptors by the name of a field: Foundation on Linux has them by key paths only.

public import Foundation
public import RecordDatabase

/// Turns names into key paths: the key path of a name reads that name here.
struct FieldNames {
    subscript(name: String) -> String { name }
}

extension NSSortDescriptor {
    /// An order by the values of a field.
    ///
    /// - Parameter key: The name of the field; `nil` makes an order that no query accepts.
    public convenience init(key: String?, ascending: Bool) {
        self.init(keyPath: \FieldNames[key ?? ""], ascending: ascending)
    }

    /// The order in the terms of `RecordDatabase`; `nil` for a descriptor that was not made of a name.
    public var sortKey: SortKey? {
        guard let key else { return nil }
        if let descriptor = self as? CKLocationSortDescriptor {
            return .distance(key, descriptor.relativeLocation.location)
        }
        return ascending ? .ascending(key) : .descending(key)
    }

    /// The descriptor of an order by a field or a distance; `nil` for others.
    static func make(_ key: SortKey) -> NSSortDescriptor? {
        switch key.criterion {
        case .field(let name): NSSortDescriptor(key: name, ascending: key.isAscending)
        case .distance(let name, let place):
            CKLocationSortDescriptor(key: name, relativeLocation: CLLocation(place))
        default: nil
        }
    }
}

/// What has the name of a field: sort descriptors.
// A protocol's member, since an extension's would hide Foundation's own `key`, which is internal: Swift 6.3.1 then ends
// when it optimizes a program that makes a subclass of `NSSortDescriptor`.
public protocol KeyedSortDescriptor: NSSortDescriptor {}

extension NSSortDescriptor: KeyedSortDescriptor {}

extension KeyedSortDescriptor {
    /// The name of the field; `nil` for a descriptor that was not made of a name.
    public var key: String? {
        guard let name = (keyPath as? KeyPath<FieldNames, String>).map({ FieldNames()[keyPath: $0] }), !name.isEmpty
        else { return nil }
        return name
    }
}

/// An order by distance from a place, nearest first; it cannot be reversed.
public final class CKLocationSortDescriptor: NSSortDescriptor {
    /// The place that distances are measured from.
    public let relativeLocation: CLLocation

    /// An order by the distance of a field's places from a place.
    public init(key: String, relativeLocation: CLLocation) {
        self.relativeLocation = relativeLocation
        super.init(keyPath: \FieldNames[key], ascending: true)
    }

    /// Not supported: `nil`.
    public required init?(coder: NSCoder) { nil }

    /// The descriptor itself: far places never come first.
    public override var reversedSortDescriptor: Any { self }
}
