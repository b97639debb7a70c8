// Which statements a connection has kept, and how they are planned; no server is needed.

import RecordModel
import Testing

@testable import PostgreSQLStore

@Suite struct KeptStatementEdgesTests {
    private static func kept() -> KeptStatements {
        var kept = KeptStatements()
        kept.isOn = true
        return kept
    }

    private static let (once, eachTime) = (
        Statement("SET plan_cache_mode = force_generic_plan"), Statement("SET plan_cache_mode = force_custom_plan")
    )

    /// What is sent before a statement that is kept so, but for the making of plans again, which is a matter of time.
    private static func settings(
        _ kept: inout KeptStatements, _ text: String, _ keeping: Statement.Keeping,
        parameters: [Parameter] = [.int64(1)]
    ) -> [Statement] {
        kept.use(of: Statement(text, parameters, keeping: keeping)).preparations.filter { $0 != Planning.again }
    }

    @Test("Nothing is kept, and planned otherwise, where that is off")
    func off() {
        var kept = KeptStatements()
        for _ in 0..<3 {
            for keeping in [Statement.Keeping.nothing, .text, .plan] {
                let use = kept.use(of: Statement("SELECT $1", [.int64(1)], keeping: keeping))
                #expect(use.name == nil && !use.isNew && use.preparations.isEmpty)
            }
        }
    }

    @Test("A plan is kept when it is sent first, a text when it is sent once more, and others never")
    func whenKept() {
        // The name begins with 18 scalars of the text.
        let text = "SELECT 1234567890123"
        let uses: [(keeping: Statement.Keeping, names: [String?], new: [Bool])] = [
            (.plan, ["1 SELECT 12345678901", "1 SELECT 12345678901", "1 SELECT 12345678901"], [true, false, false]),
            (.text, [nil, "1 SELECT 12345678901", "1 SELECT 12345678901"], [false, true, false]),
            (.nothing, [nil, nil, nil], [false, false, false]),
        ]
        for (keeping, names, new) in uses {
            var kept = Self.kept()
            let found = (0..<3).map { _ in kept.use(of: Statement(text, [], keeping: keeping)) }
            #expect(found.map(\.name) == names && found.map(\.isNew) == new, "\(keeping)")
            #expect(found.allSatisfy { $0.preparations.isEmpty }, "\(keeping)")
        }
    }

    @Test("The server is told how to plan only where that changes, and for statements with parameters")
    func planning() {
        var kept = Self.kept()
        #expect(Self.settings(&kept, "a", .plan, parameters: []) == [])
        #expect(Self.settings(&kept, "b", .nothing) == [], "it plans each time at first")
        #expect(Self.settings(&kept, "c", .plan) == [Self.once])
        #expect(Self.settings(&kept, "c", .plan) == [])
        #expect(Self.settings(&kept, "a", .plan, parameters: []) == [])
        #expect(Self.settings(&kept, "d", .text) == [Self.eachTime])
        // Kept by now, and yet planned by its values.
        #expect(Self.settings(&kept, "d", .text) == [])
        #expect(Self.settings(&kept, "d", .text) == [])
        kept.forgetPlanning()
        #expect(Self.settings(&kept, "d", .text) == [Self.eachTime])
        #expect(Self.settings(&kept, "c", .plan) == [Self.once])
        kept.forgetPlanning()
        #expect(Self.settings(&kept, "c", .plan) == [Self.once])
    }

    @Test("Plans that were just made are not made again")
    func youngPlans() {
        let start = ContinuousClock.now
        var kept = Self.kept()
        let uses = (0..<3).map { _ in kept.use(of: Statement("SELECT $1", [.int64(1)], keeping: .plan)) }
        let isEarly = ContinuousClock.now - start < Planning.lifetime
        #expect(!isEarly || !uses.contains { $0.preparations.contains(Planning.again) })
    }

    @Test("Beyond 64 statements the one goes that was not sent for longest, and its name with it")
    func capacity() {
        var kept = Self.kept()
        func send(_ number: Int) -> KeptStatements.Use {
            kept.use(of: Statement("S\(number)", [], keeping: .plan))
        }
        for number in 0..<64 {
            let use = send(number)
            #expect(use.name == "\(number + 1) S\(number)" && use.isNew && use.preparations.isEmpty)
        }
        #expect(!send(0).isNew)
        #expect(send(64).preparations == [Statement("DEALLOCATE \"2 S1\"")])
        let again = send(1)
        #expect(again.name == "66 S1" && again.isNew)
        #expect(again.preparations == [Statement("DEALLOCATE \"3 S2\"")])
        #expect(!send(0).isNew && !send(3).isNew && !send(64).isNew)
    }

    @Test("A text that was sent long ago counts as a new one")
    func seen() {
        var kept = Self.kept()
        func send(_ text: String) -> String? { kept.use(of: Statement(text, [], keeping: .text)).name }
        #expect(send("first") == nil)
        for number in 0..<300 { #expect(send("S\(number)") == nil) }
        #expect(send("first") == nil)
        #expect(send("first") == "1 first")
    }

    @Test("Behind an error those are kept that were sent before, but for errors of what is kept")
    func errors() {
        for (state, isKept) in [("23505", true), ("40001", true), ("26000", false), ("0A000", false)] {
            var kept = Self.kept()
            func isNew(_ text: String) -> Bool { kept.use(of: Statement(text, [], keeping: .plan)).isNew }
            #expect(isNew("a"))
            kept.noteSent()
            #expect(!isNew("a") && isNew("b"))
            kept.forget(after: ServerError(sqlState: state))
            #expect(isNew("a") == !isKept, "\(state)")
            #expect(isNew("b"), "\(state)")
        }
    }

    @Test("What an error may have left on the server counts with what is kept, and all go when there is no room")
    func leftBehindErrors() {
        let (all, error) = (Statement("DEALLOCATE ALL"), ServerError(sqlState: "57014"))
        var kept = Self.kept()
        func send(_ number: Int) -> KeptStatements.Use {
            kept.use(of: Statement("S\(number)", [], keeping: .plan))
        }
        for number in 0..<60 { #expect(send(number).preparations.isEmpty) }
        kept.noteSent()
        for number in 60..<64 {
            #expect(send(number).preparations.isEmpty)
            kept.forget(after: error)
        }
        #expect(send(64).preparations == [all])
        #expect(send(0).isNew && send(0).preparations.isEmpty)
        // Whether they went is not known.
        kept.forget(after: error)
        #expect(send(1).preparations == [all])
        kept.noteSent()
        for number in 2..<65 { #expect(send(number).preparations.isEmpty) }
        kept.noteSent()
        #expect(send(65).preparations.count == 1 && !send(66).preparations.contains(all))
    }

    @Test("Behind an error nobody knows how the server plans")
    func planningBehindErrors() {
        var kept = Self.kept()
        #expect(Self.settings(&kept, "a", .nothing) == [])
        kept.forget(after: ServerError(sqlState: "40001"))
        #expect(Self.settings(&kept, "a", .nothing) == [Self.eachTime])
    }
}
