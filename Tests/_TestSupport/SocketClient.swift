// A connection of a test: bytes out, bytes in.

import Glibc

/// A socket to 127.0.0.1 that gives up after some seconds.
public final class SocketClient {
    private let socket: Int32

    /// A connection; `nil` where nobody listens.
    public init?(port: UInt16, seconds: Int = 20) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { return nil }
    }

    deinit { hangUp() }

    private var isOpen = true

    /// Closes the connection.
    public func hangUp() {
        if isOpen { close(socket) }
        isOpen = false
    }

    /// Sends a text.
    public func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes, until nobody takes them.
    public func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads up to a text, or to the end.
    public func read(until text: String? = nil) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while text == nil || !String(decoding: bytes, as: UTF8.self).contains(text ?? "") {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a request as a whole, and reads up to the end of the connection.
    public static func exchange(_ port: UInt16, _ request: String) -> String {
        guard let connection = SocketClient(port: port) else { return "" }
        connection.send(request)
        return connection.read()
    }
}
