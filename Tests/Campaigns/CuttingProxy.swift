// A proxy before a server that loses connections while commits are stored, and counts what is sent.

import Glibc
import RecordStore
import Synchronization

/// Hands bytes on between clients and the socket of a server, until a commit comes by: some of these never arrive, or
/// in part, and of some the response is lost, or a part of it.
package final class CuttingProxy: Sendable {
    private struct State {
        var random: SeededGenerator
        var isCutting = false
        var isSilent = false
        var cuts = (before: 0, within: 0, after: 0)
    }

    /// What only the last trip of a commit has.
    private static let mark = Array("INSERT INTO client".utf8)
    /// Sockets that started programs do not have open.
    private static let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    private let listener: Int32
    private let server: String
    package let port: UInt16
    private let state: Mutex<State>
    private let tally: StatementTally?

    package var address: String {
        "host=127.0.0.1 port=\(port) user=postgres dbname=postgres sslmode=disable gssencmode=disable"
    }

    /// Connections that were cut before a commit arrived, while it was sent or its response was, and after.
    package var cuts: (before: Int, within: Int, after: Int) { state.withLock { $0.cuts } }

    package var isCutting: Bool {
        get { state.withLock { $0.isCutting } }
        set { state.withLock { $0.isCutting = newValue } }
    }

    /// Whether nothing is handed on: who connects is let in, and hears nothing.
    package var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    /// - Parameter tally: Counts what clients send; `nil` to count nothing.
    package init(_ server: PostgreSQLServer, seed: UInt64, tally: StatementTally? = nil) throws {
        self.tally = tally
        self.server = "\(server.folder)/.s.PGSQL.\(server.port)"
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        let listener = socket(AF_INET, Self.stream, 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the address is that of a socket, of the length that is given, and stays during the calls.
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(listener, generic, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard bound else { throw PostgreSQLServer.StartFailure(description: "the proxy has no port") }
        let path = self.server
        let isStarted = BackgroundThread.run { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                guard let self else { return }
                if !BackgroundThread.run({ self.serve(client, path) }) { close(client) }
            }
        }
        if !isStarted { throw PostgreSQLServer.StartFailure(description: "the proxy has no thread") }
    }

    package func stop() {
        isSilent = false
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ client: Int32, _ path: String) {
        let other = socket(AF_UNIX, Self.stream, 0)
        let number = tally?.open()
        defer {
            if let number { tally?.close(number) }
            for end in [client, other] {
                // Ended, not only closed: a program that another test starts may have the socket open for as long as it
                // runs, and the server would keep the locks of the connection.
                shutdown(end, Int32(SHUT_RDWR))
                close(end)
            }
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: the path of a socket has more than a hundred bytes.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(100)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        // SAFETY: the address is that of a socket, of the length that is given, and stays during the call.
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(other, $0, length) == 0 }
        }
        if !isConnected { return }
        while true {
            var waiting = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            // SAFETY: the array has two elements.
            guard unsafe poll(&waiting, 2, 30_000) > 0 else { return }
            while isSilent { usleep(10_000) }
            if waiting[0].revents != 0 {
                guard let bytes = Self.receive(client) else { return }
                if let number { tally?.note(bytes, of: number) }
                let cut = cut(bytes)
                if cut == .before { return }
                if case .inRequest(let place) = cut {
                    _ = Self.send(Array(bytes.prefix(place)), to: other)
                    return
                }
                guard Self.send(bytes, to: other) else { return }
                switch cut {
                case .after:
                    // The server has the commit; what it says is lost, at once or when it was said.
                    if bytes.count % 2 == 0 { _ = Self.receive(other) }
                    return
                case .inResponse:
                    if let response = Self.receive(other) {
                        _ = Self.send(Array(response.prefix(response.count / 2)), to: client)
                    }
                    return
                default: break
                }
            }
            if waiting[1].revents != 0 {
                guard let bytes = Self.receive(other), Self.send(bytes, to: client) else { return }
            }
        }
    }

    private enum Cut: Equatable {
        case none, before, after
        /// So many bytes of the commit arrive.
        case inRequest(Int)
        /// Half of the response arrives.
        case inResponse
    }

    private func cut(_ bytes: [UInt8]) -> Cut {
        guard bytes.contains(Self.mark) else { return .none }
        return state.withLock { state in
            guard state.isCutting else { return .none }
            switch Int.random(in: 0..<7, using: &state.random) {
            case 0:
                state.cuts.before += 1
                return .before
            case 1, 2:
                state.cuts.after += 1
                return .after
            case 3:
                state.cuts.within += 1
                return .inRequest(Int.random(in: 1..<bytes.count, using: &state.random))
            case 4:
                state.cuts.within += 1
                return .inResponse
            default: return .none
            }
        }
    }

    private static func receive(_ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        // SAFETY: no more bytes are received than the array has.
        let count = unsafe recv(socket, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func send(_ bytes: [UInt8], to other: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: no more bytes are sent than there are.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(other, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
