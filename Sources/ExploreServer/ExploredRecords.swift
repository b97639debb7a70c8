// Where the records that are shown come from.

package import RecordDatabase

/// Records that may be written while they are looked at.
package struct ExploredRecords: Sendable {
    /// What tells whether the records were written since: equal as long as they were not.
    package struct Version: Equatable, Sendable {
        private let parts: [Int]

        package init(_ parts: [Int]) { self.parts = parts }
    }

    /// Why records could not be read, as people are told.
    package struct LoadError: Error, Sendable {
        let message: String

        package init(_ message: String) { self.message = message }
    }

    /// What the page calls them.
    package var name: String
    /// Looks whether they were written; called a few times a second.
    package var version: @Sendable () -> Version?
    /// Reads them; `nil` where there is nothing to read again.
    package var load: @Sendable () throws(LoadError) -> RecordSet?

    /// The version before they were read the first time.
    let firstVersion: Version?

    /// Records under a name, and how to read them; to be made before they are read.
    package init(
        name: String, version: @escaping @Sendable () -> Version?,
        load: @escaping @Sendable () throws(LoadError) -> RecordSet?
    ) {
        (self.name, self.version, self.load) = (name, version, load)
        firstVersion = version()
    }
}
