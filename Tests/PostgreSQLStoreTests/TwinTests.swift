// The same random calls on a container in memory and on one on a server: every result is the same, to the change tags.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct TwinTests {
    @Test(arguments: [UInt64](1...5))
    func resultsAreThoseOfMemory(_ seed: UInt64) throws { try compare(seed, ContainerSchema()) }

    @Test(arguments: [UInt64](101...102))
    func constraintsAreThoseOfMemory(_ seed: UInt64) throws {
        var schema = ContainerSchema()
        var type = ContainerSchema.RecordType(fields: [
            "a": ContainerSchema.Field(.int64), "d": ContainerSchema.Field(.double),
            "s": ContainerSchema.Field(.string, traits: [.unique]), "l": ContainerSchema.Field(.list(.string)),
            "of": ContainerSchema.Field(.reference),
        ])
        type.uniqueTogether = [["a", "d"]]
        schema.recordTypes["T"] = type
        try compare(seed, schema)
    }

    private func compare(_ seed: UInt64, _ schema: ContainerSchema) throws {
        let clock = SharedClock()
        var configuration = Configuration()
        configuration.clock = { clock.now }
        // Half of them copy every new record.
        let server = try PostgreSQLContainer(
            identifier: "twin " + UUID().uuidString, connectingTo: PostgreSQLServer.shared().address,
            copiesFrom: seed % 2 == 0 ? 1 : 200)
        var here = try Twin(
            Container(identifier: "twin", account: .localUser, configuration: configuration), configuration)
        var there = try Twin(
            Container(identifier: "twin", on: server, account: .localUser, configuration: configuration), configuration)
        if !schema.recordTypes.isEmpty { for twin in [here, there] { try twin.clients[0].setSchema(schema) } }
        var generator = StepGenerator(random: SplitMix64(seed: seed))
        var outcomes: Set<String> = []
        let queries = [
            Query("T", "a > 2 OR s BEGINSWITH 'b'", sortedBy: [.descending("a")]), Query("T", "of.a > 2 OR d < 0"),
            StepGenerator.ranked,
        ]
        here.watch(queries)
        there.watch(queries)
        for number in 0..<150 {
            clock.advance()
            let step = generator.step()
            let expected = here.make(step)
            let found = there.make(step)
            try #require(found == expected, "seed \(seed), step \(number): \(step)")
            outcomes.insert(expected)
            if number % 3 == 0 {
                let (expected, found) = (here.results(), there.results())
                try #require(found == expected, "seed \(seed), live queries after step \(number): \(step)")
            }
        }
        #expect(outcomes.count > 40, "the calls have different outcomes")
    }
}
