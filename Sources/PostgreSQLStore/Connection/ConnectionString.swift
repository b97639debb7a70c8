// What a connection string says, as far as this module wants to know it.

import CPostgreSQL

/// A checked connection string. It may hold a password: it is neither printed nor part of any message.
package struct ConnectionString: Sendable {
    /// The string as libpq takes it.
    let text: String
    /// How long one server may take to accept a connection.
    let timeout: Duration
    /// Servers that are tried one after another.
    let hostCount: Int
    /// Whether the string itself has a password.
    let hasPassword: Bool

    /// - Parameter text: `postgresql://user@host/database`, or keywords with values: `host=… dbname=…`.
    /// - Throws: `ServerError` of kinds `noLibrary` and `malformedAddress`.
    package init(_ text: String) throws(ServerError) {
        guard cpg_load() != 0 else {
            throw ServerError(.noLibrary, unsafe String(cString: cpg_load_failure()))
        }
        let settings = Settings()
        // SAFETY: the visitor is called during the call alone, while the object is held.
        let isValid = withExtendedLifetime(settings) {
            unsafe cpg_parse(text, Unmanaged.passUnretained(settings).toOpaque()) { context, keyword, value in
                guard let context = unsafe context, let keyword = unsafe keyword, let value = unsafe value else {
                    return
                }
                let settings = unsafe Unmanaged<Settings>.fromOpaque(context).takeUnretainedValue()
                unsafe settings.values[String(cString: keyword)] = unsafe String(cString: value)
            }
        }
        guard isValid != 0, !text.utf8.contains(0) else {
            throw ServerError(.malformedAddress, "the connection string of the server cannot be read")
        }
        self.text = text
        let seconds = settings.values["connect_timeout"].flatMap { Int($0) } ?? 0
        timeout = seconds > 0 ? .seconds(max(2, min(seconds, 3600))) : .seconds(2)
        hasPassword = !(settings.values["password"] ?? "").isEmpty
        hostCount = 1 + (settings.values["host"] ?? "").utf8.count { $0 == UInt8(ascii: ",") }
    }

    private final class Settings {
        var values: [String: String] = [:]
    }
}
