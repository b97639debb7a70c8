// What a URL tells of the root of a share, and of users who come by it; subscriptions whose type becomes another one.

import Foundation
import Testing
import TextAnalysis

@testable import RecordDatabase

@Suite struct ShareMetadataEdgesTests {
    /// Of the root only the fields that are wanted are told.
    @Test func theRootHasTheDesiredFields() async throws {
        let world = try await World()
        try await world.putList()
        var list = try await world.mine.record(for: world.own("list"))
        list["n"] = 1
        try await world.mine.put(list)
        let url = try #require(try await world.shareList().url)
        let some = try world.bob.fetchShareMetadata(for: url, fetchingRoot: true, desiredKeys: ["n"])
        #expect(some.rootRecord?.fields == ["n": 1])
        let all = try world.bob.fetchShareMetadata(for: url, fetchingRoot: true)
        #expect(all.rootRecord?.fields == ["n": 1, "name": "list"])
        #expect(try world.bob.fetchShareMetadata(for: url).rootRecord == nil)
    }

    /// The root names its share as whoever asks names it.
    @Test func theRootNamesItsShare() async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList()
        let url = try #require(share.url)
        let own = try await world.alice2.shareMetadata(for: url, fetchingRoot: true)
        #expect(own.rootRecord?.share?.recordID == share.id && own.rootRecord?.id == own.rootRecordID)
        let known = try await world.bob.shareMetadata(for: url, fetchingRoot: true)
        #expect(known.rootRecord?.share?.recordID == world.theirs(share.id.recordName))
        #expect(known.rootRecord?.id == known.rootRecordID)
    }

    /// Who comes by the URL alone has not accepted it, and is one who was asked.
    @Test func whoComesByTheURLIsPending() async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList(.none, publicly: .readOnly)
        let metadata = try await world.bob.shareMetadata(for: #require(share.url))
        #expect(metadata.participantRole == .publicUser && metadata.participantStatus == .pending)
    }

    /// A subscription to the shared database goes by what searches make of words by now.
    @Test func subscriptionsFollowTheSchema() async throws {
        let world = try await World()
        try await world.acceptList()
        let reading = try world.client(World.bob) { _ in }.readNotifications()
        try await world.bobs.save(SubscriptionRules.subscription("runs", "name TOKENMATCHES 'running'"))
        for (name, analyzer) in [("first", nil), ("second", TextAnalyzer(language: .english))]
            as [(String, TextAnalyzer?)]
        {
            var schema = world.alice.schema
            schema.recordTypes["T"]?.define("name", ContainerSchema.Field(.string, analyzer: analyzer))
            try world.alice.setSchema(schema)
            var entry = record(name, in: world.zone, ["name": "she runs"])
            entry.setParent(world.own("list"))
            try await world.mine.put(entry)
            let told = reading.takeWaiting().compactMap { $0.recordID }
            #expect(told == (analyzer == nil ? [] : [world.theirs(name)]))
        }
    }
}
