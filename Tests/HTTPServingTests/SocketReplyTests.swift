// What the tests' own reader of replies says of one that came in part.

import Campaigns
import Testing

@Suite struct SocketReplyTests {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let cases: [(text: String, body: String, isWhole: Bool)] = [
        (chunked + "3\r\nabc\r\n0\r\n\r\n", "abc", true),
        (chunked + "0\r\n\r\n", "", true),
        (chunked, "", false),
        (chunked + "3\r\nab", "ab", false),
        (chunked + "3\r\nabc\r\n", "abc", false),
        (chunked + "3\r\nabc\r\n0\r\n", "abc", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "ab", false),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "", true),
        ("HTTP/1.1 200 OK\r\n\r\nabc", "abc", true),
    ]

    @Test(arguments: cases.indices) func tellsWhetherAllCame(_ index: Int) throws {
        let (text, body, isWhole) = Self.cases[index]
        let reply = try #require(SocketReply(text))
        #expect(reply.body == body)
        #expect(reply.isWhole == isWhole)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 abc\r\n\r\n", "SSH-2.0\r\n\r\n"])
    func noReply(_ text: String) {
        #expect(SocketReply(text) == nil)
    }
}
