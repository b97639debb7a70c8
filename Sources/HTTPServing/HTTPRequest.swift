// What clients send to a server.

/// A request with its body.
package struct HTTPRequest: Sendable {
    /// A header as it came.
    package struct Header: Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Tells requests of one server apart.
    package var number: UInt64
    /// `GET`, `POST` …; empty for a method that HTTP/1.1 does not have.
    package var method: String
    /// The path and what follows it, as it was sent.
    package var target: String
    package var headers: [Header]
    package var body: [UInt8]

    package init(
        number: UInt64, method: String, target: String, headers: [Header] = [], body: [UInt8] = []
    ) {
        (self.number, self.method, self.target) = (number, method, target)
        (self.headers, self.body) = (headers, body)
    }

    /// The path without its part behind `?`.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// The values of a header, in order. Names are equal whatever their letter case.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
