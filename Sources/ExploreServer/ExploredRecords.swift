// Where the records that are shown come from.

package import RecordDatabase

/// Records that may be written while they are looked at.
package struct ExploredRecords: Sendable {
    /// What tells whether the records were written since: equal as long as they were not.
    package struct Version: Equatable, Sendable {
        private let parts: [Int]

        package init(_ parts: [Int]) { self.parts = parts }
    }

    /// What the page calls them.
    package var name: String
    /// Looks whether they were written; called a few times a second.
    package var version: @Sendable () -> Version?
    /// Reads them; `nil` where that fails just now.
    package var load: @Sendable () -> RecordSet?

    /// The version before they were read the first time.
    let firstVersion: Version?

    /// Records under a name, and how to read them; to be made before they are read.
    package init(
        name: String, version: @escaping @Sendable () -> Version?, load: @escaping @Sendable () -> RecordSet?
    ) {
        (self.name, self.version, self.load) = (name, version, load)
        firstVersion = version()
    }
}
