// Which requests are let in: those of the page that the server itself has given out.

/// Decides by a request's head alone. Pages of other sites, other ports and other names of this machine come from the
/// same browser, and other users of the machine may connect: none of them gets a reply.
package struct RequestGuard: Sendable {
    /// The names with ports under which the server is reached, in small letters.
    private let hosts: Set<String>
    private let authorization: [UInt8]

    /// What happens to a request.
    package enum Verdict: Equatable, Sendable {
        /// It may have what needs no key: files of the page.
        case page
        /// It has the key.
        case api
        /// It is rejected.
        case rejected(status: Int, reason: String)
    }

    /// - Parameters:
    ///   - port: The server's own.
    ///   - allowedHosts: Further names with ports, such as those of a tunnel.
    package init(port: UInt16, key: String, allowedHosts: [String] = []) {
        hosts = Set(["127.0.0.1:\(port)", "localhost:\(port)"] + allowedHosts.map { $0.lowercased() })
        authorization = Array("Bearer \(key)".utf8)
    }

    /// The verdict on a request.
    package func verdict(on request: HTTPRequest) -> Verdict {
        let named = request.values(of: "Host")
        guard named.count == 1, let host = named.first?.lowercased(), hosts.contains(host) else {
            return .rejected(status: 421, reason: "this server has another name")
        }
        let origins = request.values(of: "Origin")
        guard origins.allSatisfy({ $0.lowercased() == "http://" + host }) else {
            return .rejected(status: 403, reason: "the request comes from another origin")
        }
        guard request.values(of: "Sec-Fetch-Site").allSatisfy({ ["same-origin", "none"].contains($0) }) else {
            return .rejected(status: 403, reason: "the request comes from another site")
        }
        if request.method == "GET", !request.path.hasPrefix("/api/") { return .page }
        guard request.method == "POST" else {
            return .rejected(status: 405, reason: "only GET and POST are understood")
        }
        let keys = request.values(of: "Authorization")
        guard keys.count == 1, let key = keys.first, isKey(key) else {
            return .rejected(status: 401, reason: "the key is missing: it is in the address that was printed")
        }
        guard request.values(of: "Content-Type") == ["application/json"] else {
            return .rejected(status: 415, reason: "JSON is expected")
        }
        return .api
    }

    /// Compares without telling by its time where the texts differ.
    private func isKey(_ text: String) -> Bool {
        let given = Array(text.utf8)
        var difference: UInt8 = given.count == authorization.count ? 0 : 1
        for (index, byte) in authorization.enumerated() {
            difference |= byte ^ (index < given.count ? given[index] : 0)
        }
        return difference == 0
    }

    /// Headers of every reply: the page may load nothing from elsewhere, is in no frame, and nothing of it is kept.
    package static let headers: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
                + "trusted-types 'none'"
        ),
    ]

    /// A key of 256 bits of the system's generator, in letters, digits, `-` and `_`.
    package static func newKey() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        // The kernel's: 43 letters of 64 hold 258 bits.
        var random = SystemRandomNumberGenerator()
        return String((0..<43).map { _ in letters[Int(random.next() & 63)] })
    }
}
