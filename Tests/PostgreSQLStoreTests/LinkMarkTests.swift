// What a commit knows of its links to records of other nodes. No server is needed.

import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct LinkMarkTests {
    private static func link(_ target: String, _ mark: Int64?, isOwning: Bool = true) -> ServerLink {
        ServerLink(
            target: EdgeCommits.id(target), holder: EdgeCommits.id("h"), holderType: "T", isOwning: isOwning,
            mark: mark)
    }

    @Test("A link has the mark that was noted last, and none where another one was noted")
    func marks() {
        var marks = LinkMarks()
        #expect(marks.marked(Self.link("a", nil)) == nil)
        marks.note([Self.link("a", 1), Self.link("b", 2)])
        marks.note([Self.link("a", 3)])
        #expect(marks.marked(Self.link("a", nil))?.mark == 3 && marks.marked(Self.link("b", nil))?.mark == 2)
        #expect(marks.marked(Self.link("a", 1))?.mark == 3, "its own mark is an earlier one")
        #expect(marks.marked(Self.link("a", nil, isOwning: false)) == nil && marks.marked(Self.link("c", nil)) == nil)
    }

    @Test("After a commit those links are left that it does not hold, and those that it gave up; without it, all")
    func leftLinks() {
        var marks = LinkMarks()
        marks.note([Self.link("a", 1), Self.link("a", 2), Self.link("b", 3)])
        (marks.held, marks.released) = ([Self.link("a", 2)], [Self.link("c", 4)])
        #expect(marks.left == [Self.link("a", 1), Self.link("b", 3), Self.link("c", 4)])
        #expect(marks.all == [Self.link("a", 1), Self.link("a", 2), Self.link("b", 3)])
    }
}
