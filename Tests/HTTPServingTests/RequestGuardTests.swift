// Which requests are let in, as a table of heads.

import HTTPServing
import Testing

@Suite struct RequestGuardTests {
    private static let key = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
    private static let guardian = RequestGuard(port: 8080, key: key, allowedHosts: ["Tunnel.example:9000"])

    /// The head of what the page sends, changed: `nil` takes a header away.
    private static func request(
        _ changes: [(String, String?)], method: String = "POST", target: String = "/api/ask"
    ) -> HTTPRequest {
        var headers = [
            ("Host", "127.0.0.1:8080"), ("Authorization", "Bearer \(key)"), ("Content-Type", "application/json"),
        ]
        for (name, value) in changes {
            if value == nil || name != "+Host" && name != "+Origin" { headers.removeAll { $0.0 == name } }
            if let value { headers.append((name.hasPrefix("+") ? String(name.dropFirst()) : name, value)) }
        }
        return HTTPRequest(
            number: 1, method: method, target: target, headers: headers.map { HTTPRequest.Header($0.0, $0.1) })
    }

    /// What is changed, and the status that it is rejected with; 0 for none.
    private static let postCases: [(changes: [(String, String?)], status: Int)] = [
        ([], 0),
        ([("Host", "localhost:8080")], 0),
        ([("Host", "LOCALHOST:8080")], 0),
        ([("Host", "tunnel.example:9000")], 0),
        // DNS rebinding: another name that leads here, or ours with another port.
        ([("Host", nil)], 421),
        ([("Host", "")], 421),
        ([("Host", "evil.example:8080")], 421),
        ([("Host", "127.0.0.1")], 421),
        ([("Host", "127.0.0.1:8081")], 421),
        ([("Host", "localhost:80")], 421),
        ([("Host", "localhost.:8080")], 421),
        ([("Host", "tunnel.example:8080")], 421),
        ([("Host", "[::1]:8080")], 421),
        ([("Host", "127.0.0.1:8080.evil.example")], 421),
        ([("+Host", "127.0.0.1:8080")], 421),
        ([("+Host", "evil.example")], 421),
        // Pages of other origins.
        ([("Origin", "http://127.0.0.1:8080")], 0),
        ([("Origin", "http://localhost:8080"), ("Host", "localhost:8080")], 0),
        ([("Origin", "http://localhost:8080")], 403),
        ([("Origin", "https://127.0.0.1:8080")], 403),
        ([("Origin", "http://127.0.0.1:3000")], 403),
        ([("Origin", "http://127.0.0.1:80801")], 403),
        ([("Origin", "http://127.0.0.1:8080.evil.example")], 403),
        ([("Origin", "http://evil.example")], 403),
        ([("Origin", "null")], 403),
        ([("Origin", "")], 403),
        ([("Origin", "http://127.0.0.1:8080"), ("+Origin", "http://evil.example")], 403),
        ([("Sec-Fetch-Site", "same-origin")], 0),
        ([("Sec-Fetch-Site", "none")], 0),
        ([("Sec-Fetch-Site", "same-site")], 403),
        ([("Sec-Fetch-Site", "cross-site")], 403),
        ([("Sec-Fetch-Site", "")], 403),
        // The key.
        ([("Authorization", nil)], 401),
        ([("Authorization", "")], 401),
        ([("Authorization", "Bearer ")], 401),
        ([("Authorization", "Bearer \(key)k")], 401),
        ([("Authorization", "Bearer \(key.dropLast())")], 401),
        ([("Authorization", "Bearer \(key.dropLast())j")], 401),
        ([("Authorization", "bearer \(key)")], 401),
        ([("Authorization", "Basic \(key)")], 401),
        ([("+Authorization", "Bearer \(key)")], 401),
        ([("+Authorization", "Basic \(key)")], 401),
        // What forms can send.
        ([("Content-Type", nil)], 415),
        ([("Content-Type", "text/plain")], 415),
        ([("Content-Type", "application/x-www-form-urlencoded")], 415),
        ([("Content-Type", "multipart/form-data")], 415),
    ]

    @Test func posts() {
        for (changes, status) in Self.postCases {
            let verdict = Self.guardian.verdict(on: Self.request(changes))
            let found = if case .rejected(let status, _) = verdict { status } else { 0 }
            #expect(found == status, "\(changes)")
            if status == 0 { #expect(verdict == .api, "\(changes)") }
        }
    }

    /// Methods and targets, without a key.
    static let otherCases: [(method: String, target: String, status: Int)] = [
        ("GET", "/", 0), ("GET", "/explore.js", 0), ("GET", "/export/ticket", 0), ("GET", "/../../etc/passwd", 0),
        ("GET", "/api/ask", 405), ("GET", "/api/", 405), ("HEAD", "/", 405), ("PUT", "/", 405),
        ("DELETE", "/api/ask", 405), ("TRACE", "/", 405), ("OPTIONS", "/api/ask", 405), ("PATCH", "/api/ask", 405),
        ("", "/", 405), ("POST", "/api/ask", 401), ("POST", "/", 401),
    ]

    @Test(arguments: otherCases)
    func others(method: String, target: String, status: Int) {
        let request = Self.request([("Authorization", nil)], method: method, target: target)
        let verdict = Self.guardian.verdict(on: request)
        let found = if case .rejected(let status, _) = verdict { status } else { 0 }
        #expect(found == status)
        if status == 0 { #expect(verdict == .page) }
        // What is wrong about the host comes first, whatever is asked.
        let elsewhere = Self.request([("Host", "evil.example")], method: method, target: target)
        guard case .rejected(421, _) = Self.guardian.verdict(on: elsewhere) else {
            return #expect(Bool(false), "\(method) \(target)")
        }
    }

    @Test func headersForbidWhatThePageDoesNotNeed() {
        let headers = Dictionary(uniqueKeysWithValues: RequestGuard.headers.map { ($0.name, $0.value) })
        #expect(headers["Access-Control-Allow-Origin"] == nil)
        #expect(headers["X-Frame-Options"] == "DENY")
        #expect(headers["Cross-Origin-Resource-Policy"] == "same-origin")
        for directive in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"] {
            #expect(headers["Content-Security-Policy"]?.contains(directive) == true)
        }
        #expect(headers["Content-Security-Policy"]?.contains("unsafe") == false)
    }

    @Test func keysAreLongAndNew() {
        let keys = Set((0..<100).map { _ in RequestGuard.newKey() })
        #expect(keys.count == 100)
        #expect(keys.allSatisfy { $0.utf8.count == 43 })
    }
}
