// Which names are legal, at the edges of what letters, lengths and exceptions are.

import RecordModel
import Testing

@Suite struct NameRulesTests {
    private static func isLegal(_ check: () throws(DatabaseError) -> Void) -> Bool {
        do {
            try check()
            return true
        } catch {
            #expect(error.code == .invalidArguments)
            return false
        }
    }

    private static func isType(_ name: String) -> Bool {
        isLegal { () throws(DatabaseError) in try NameRules.check(type: name) }
    }

    private static func isKey(_ name: String, of type: String? = nil) -> Bool {
        isLegal { () throws(DatabaseError) in try NameRules.check(key: name, ofType: type) }
    }

    private static func isRecord(
        _ name: String, in zone: RecordZone.ID = .default, isSystem: Bool = false, upTo length: Int = 255
    ) -> Bool {
        isLegal { () throws(DatabaseError) in
            try NameRules.check(Record.ID(name, zoneID: zone), isSystem: isSystem, maximumLength: length)
        }
    }

    /// The characters on both sides of each range of letters and digits.
    @Test func identifiersHoldLettersDigitsAndUnderscores() {
        for letter in ["A", "Z", "a", "z"] {
            #expect(Self.isType(letter) && Self.isKey(letter) && Self.isType("T" + letter), "\(letter)")
        }
        for other in ["0", "9", "_"] {
            #expect(!Self.isType(other) && !Self.isKey(other), "\(other)")
            #expect(Self.isType("T" + other) && Self.isKey("k" + other), "\(other)")
        }
        for stranger in ["@", "[", "`", "{", "/", ":", "-", ".", " ", "é", "\u{0}", "\u{7F}"] {
            #expect(!Self.isType(stranger) && !Self.isType("T" + stranger), "\(stranger)")
            #expect(!Self.isKey(stranger) && !Self.isKey("k" + stranger + "k"), "\(stranger)")
        }
    }

    @Test func namesHaveALength() {
        for (count, isLegal) in [(0, false), (1, true), (255, true), (256, false)] {
            let name = String(repeating: "n", count: count)
            #expect(Self.isType(name) == isLegal && Self.isKey(name) == isLegal && Self.isRecord(name) == isLegal)
            #expect(Self.isRecord("r", in: RecordZone.ID(name)) == isLegal)
        }
        #expect(Self.isRecord("abc", upTo: 3) && !Self.isRecord("abcd", upTo: 3))
        #expect(Self.isRecord("r", in: RecordZone.ID("abc"), upTo: 3))
        #expect(!Self.isRecord("r", in: RecordZone.ID("abcd"), upTo: 3))
    }

    @Test func recordsAndZonesHaveASCIINames() {
        for name in ["a b", "a.b", "1", "{}", "a_", "\u{7F}"] {
            #expect(Self.isRecord(name) && Self.isRecord("r", in: RecordZone.ID(name)), "\(name)")
        }
        for name in ["_a", "é", "a\u{80}"] {
            #expect(!Self.isRecord(name) && !Self.isRecord("r", in: RecordZone.ID(name)), "\(name)")
        }
        // What the database makes itself.
        #expect(Self.isRecord("_a", isSystem: true) && !Self.isRecord("é", isSystem: true))
        #expect(!Self.isRecord("_a", in: RecordZone.ID("_z"), isSystem: true))
        // The zone that every database has, whoever's it is.
        #expect(Self.isRecord("r", in: RecordZone.ID("_defaultZone", ownerName: "_bob"), upTo: 3))
        #expect(!Self.isRecord("r", in: RecordZone.ID("_defaultZone", ownerName: "")))
        #expect(!Self.isRecord("r", in: RecordZone.ID("z", ownerName: "")))
    }

    @Test func sharesHaveNamesOfTheirOwn() {
        #expect(Self.isType("cloudkit.share") && !Self.isType("cloudkit.zoneshare"))
        for key in ["cloudkit.title", "cloudkit.root", "cloudkit.participants", "cloudkit.token"] {
            #expect(Self.isKey(key) && Self.isKey(key, of: "cloudkit.share") && !Self.isKey(key, of: "T"), "\(key)")
        }
        // Never stored, so no field.
        #expect(!Self.isKey("cloudkit.reader", of: "cloudkit.share") && !Self.isKey("cloudkit.other"))
        #expect(!Self.isKey("parent") && !Self.isKey("recordType", of: "cloudkit.share") && Self.isKey("Parent"))
    }
}
