// A connection to a server of this machine: bytes out, bytes in.

import Glibc

/// A socket to this machine that gives up after some seconds.
public final class SocketClient {
    private let socket: Int32
    private var isOpen = true

    /// A connection; `nil` where nobody listens.
    /// - Parameter host: An address of this machine.
    public init?(port: UInt16, seconds: Int = 20, host: UInt32 = 0x7F00_0001) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        // SAFETY: an IPv4 address is passed with its size.
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 {
            hangUp()
            return nil
        }
    }

    deinit { hangUp() }

    /// Closes the connection.
    public func hangUp() {
        if isOpen { close(socket) }
        isOpen = false
    }

    /// Cuts the connection: the server is told of an error instead of an end.
    public func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        hangUp()
    }

    /// Tells the server that nothing more is sent.
    public func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Sends a text.
    public func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes, until nobody takes them.
    public func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: no more is sent than the bytes are.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
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
            // SAFETY: no more is read than the buffer holds.
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
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

/// The reply to a request of HTTP, taken apart.
public struct SocketReply {
    /// The number in its first line.
    public let status: Int
    /// What follows the headers; of chunks their contents.
    public let body: String
    /// Whether nothing is missing at its end: the chunks are ended, the content is as long as its headers say. A reader
    /// that gave up before the server had written all has a reply that is not whole.
    public let isWhole: Bool

    /// - Returns: `nil` for bytes that are no reply.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let blank = Array("\r\n\r\n".utf8)
        guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)),
            let end = bytes.indices.first(where: { bytes[$0...].starts(with: blank) })
        else { return nil }
        self.status = status
        let content = bytes[(end + blank.count)...]
        let headers = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        if headers.contains("Transfer-Encoding: chunked") {
            body = String(decoding: Self.joined(content), as: UTF8.self)
            // The chunk that ends a content is empty; before the first one stands the end of the headers.
            isWhole = bytes.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8)
        } else {
            body = String(decoding: content, as: UTF8.self)
            let length = headers.first { $0.hasPrefix("Content-Length: ") }?.dropFirst("Content-Length: ".count)
            isWhole = length.flatMap { Int($0) }.map { $0 == content.count } ?? true
        }
    }

    /// The content of chunks.
    private static func joined(_ chunks: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (bytes, rest) = ([UInt8](), chunks)
        while let end = rest.firstIndex(of: 0x0D),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), size >= 0
        {
            let start = end + 2
            guard start <= rest.endIndex else { break }
            bytes += rest[start..<min(start + size, rest.endIndex)]
            rest = rest[min(start + size + 2, rest.endIndex)...]
        }
        return bytes[...]
    }
}
