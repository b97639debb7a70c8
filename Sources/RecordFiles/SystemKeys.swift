// What files say about a record besides its fields: keys that no field of a database can have.

/// Keys of a record's line, or titles of columns, that begin with a dollar sign.
package enum SystemKeys {
    /// The name of the zone, where that is not the default one.
    package static let zone = "$zone"
    /// The record that this one is below, as a reference.
    package static let parent = "$parent"
    /// When and by whom the record was first and last saved, and the tag of that version: for readers; what saves the
    /// record again writes its own.
    package static let written = ["$created", "$createdBy", "$modified", "$modifiedBy", "$changeTag"]
    package static let all: Set<String> = Set(written).union([zone, parent])
}
