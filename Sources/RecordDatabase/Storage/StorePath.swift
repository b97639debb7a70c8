// Where things are that go with a store and are not in its folder.

package import FoundationEssentials
import RecordStorage

/// Paths beside the folder of a store.
package enum StorePath {
    /// The path of a folder with an ending: `NAME.key` beside the folder `NAME`.
    package static func beside(_ folder: String, _ ending: String) -> String {
        var path = folder[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return path + ending
    }
}

extension Container {
    /// The folder of the store; `nil` for a container in memory or on a server.
    package var storeFolder: String? { client.store.journal?.environment.folder.path }
    /// The moment by the clock of the configuration.
    package var now: Date { client.configuration.clock() }
    /// The name of the current user; `nil` where nobody is signed in.
    package var userName: String? { client.account.userName }
}
