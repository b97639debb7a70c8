// Which columns of a table are shown where not all have room.

import Testing

struct ColumnOrderTests {
    private static let input: String = {
        let fields = (0..<12).map { "\"field\($0)\":\"value number \($0)\"" }.joined(separator: ",")
        return "{\"id\":\"a\",\(fields),\"rank\":3,\"score\":1}\n"
    }()

    @Test func whatWasRequestedIsShownFirst() throws {
        let narrow = try CommandRun(
            ["query", "rank > 2", "--sort", "score", "-o", "table", "--width", "60"], input: Self.input)
        try #require(narrow.lines.count == 3, "\(narrow)")
        #expect(narrow.lines[0].split(separator: " ").prefix(3) == ["rank", "score", "id"], "\(narrow)")
        #expect(narrow.lines[2].split(separator: " ").prefix(3) == ["3", "1", "a"], "\(narrow)")
        #expect(!narrow.output.contains("field11"))
    }

    @Test func otherwiseColumnsStay() throws {
        let wide = try CommandRun(
            ["query", "rank > 2", "--sort", "score", "-o", "table", "--width", "400"], input: Self.input)
        #expect(wide.output.hasPrefix("id  field0"), "\(wide)")
        let other = try CommandRun(["query", "field0 != 'x'", "-o", "table", "--width", "60"], input: Self.input)
        #expect(other.output.hasPrefix("id  field0"), "\(other)")
        let chosen = try CommandRun(
            ["query", "rank > 2", "-f", "id,field1,rank", "-o", "table", "--width", "20"], input: Self.input)
        #expect(chosen.output.hasPrefix("id  field1"), "\(chosen)")
    }
}
