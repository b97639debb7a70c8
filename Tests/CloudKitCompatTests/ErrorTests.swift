// What programs read from errors: the keys, the records, the numbers.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct ErrorTests {
    @Test("An error without partial errors has none")
    func noPartialErrors() {
        let none: [AnyHashable: any Error] = [:]
        for info in [[:], [CKPartialErrorsByItemIDKey: none]] as [[String: Any]] {
            #expect(CKError(.partialFailure, userInfo: info).partialErrorsByItemID == nil)
        }
        #expect(CKError(DatabaseError(partialErrors: [:])).partialErrorsByItemID == nil)
        #expect(CKError(DatabaseError(partialErrors: [:])).userInfo[CKPartialErrorsByItemIDKey] == nil)
    }

    @Test("Partial errors are given back as they were given")
    func partialErrors() {
        let id = CKRecord.ID(recordName: "a")
        let foreign = NSError(domain: "own", code: 7)
        let errors: [AnyHashable: any Error] = [id: CKError(.zoneBusy), "other": foreign]
        let told = CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: errors]).partialErrorsByItemID
        #expect(
            told?.count == 2 && (told?[id] as? CKError)?.code == .zoneBusy && (told?["other"] as? NSError) == foreign)
        #expect(
            CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: [id: CKError(.zoneBusy)]])
                .partialErrorsByItemID?[id] is CKError)
    }

    @Test("Keys of the application are kept", arguments: [1, 2, 6, 14, 27])
    func foreignKeys(number: Int) throws {
        let code = try #require(CKError.Code(rawValue: number))
        let underlying = NSError(domain: "own", code: 7)
        let error = CKError(
            code, userInfo: ["own": 5, NSUnderlyingErrorKey: underlying, NSLocalizedDescriptionKey: "words"])
        for info in [error.userInfo, (error as NSError).userInfo] {
            #expect(info["own"] as? Int == 5 && info[NSUnderlyingErrorKey] as? NSError == underlying)
            #expect(info[NSLocalizedDescriptionKey] as? String == "words" && info.count == 3)
        }
        #expect(error.localizedDescription == "words" && (error as any Error).localizedDescription == "words")
        #expect(error == CKError(code, userInfo: error.userInfo))
        #expect(error != CKError(code, userInfo: [NSLocalizedDescriptionKey: "words"]))
        #expect(CKError(code, userInfo: [NSLocalizedDescriptionKey: "words"]) != error, "either way round")
        #expect(error != CKError(code, userInfo: error.userInfo.merging(["own": 6]) { $1 }))
    }

    @Test("An error is equal to itself, whatever it holds")
    func sameError() {
        let error = CKError(.zoneBusy, userInfo: ["own": Double.nan])
        let copy = error
        #expect(error == copy && error != CKError(.zoneBusy, userInfo: ["own": Double.nan]))
    }

    @Test("Errors of one code differ by what went wrong")
    func reasons() {
        let errors = ["one", "two"].map { CKError(DatabaseError(.unknownItem, $0)) }
        #expect(errors[0] != errors[1] && errors[0] == CKError(errors[0].databaseError))
        #expect(errors[0].code == errors[1].code && errors[0].userInfo.count == errors[1].userInfo.count)
    }

    @Test("The records of a conflict need not all be there")
    func someRecords() {
        let keys = [
            CKRecordChangedErrorServerRecordKey, CKRecordChangedErrorClientRecordKey,
            CKRecordChangedErrorAncestorRecordKey,
        ]
        for mask in 0..<8 {
            var info: [String: Any] = [:]
            let records = keys.map { CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: $0)) }
            for (index, key) in keys.enumerated() where mask & 1 << index != 0 { info[key] = records[index] }
            let error = CKError(.serverRecordChanged, userInfo: info)
            for (index, record) in [error.serverRecord, error.clientRecord, error.ancestorRecord].enumerated() {
                #expect(record === (mask & 1 << index != 0 ? records[index] : nil))
            }
        }
    }

    @Test("Seconds to wait are a number of any type")
    func retryAfter() {
        let three: [Any] = [
            3, 3.0, Float(3), Int8(3), UInt64(3), NSNumber(value: 3), NSNumber(value: 3.0), 3 as TimeInterval,
        ]
        for value in three {
            let error = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: value])
            #expect(error.retryAfterSeconds == 3 && error.databaseError.retryAfter == .seconds(3), "\(type(of: value))")
            #expect(error.userInfo[CKErrorRetryAfterKey] as? Double == 3)
        }
        // No duration holds these.
        for value in [Double.infinity, -.infinity, 1e300, -1e19] {
            let error = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: value])
            #expect(error.retryAfterSeconds == value && error.databaseError.retryAfter == nil)
        }
        #expect(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: Double.nan]).retryAfterSeconds?.isNaN == true)
        #expect(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: "3"]).retryAfterSeconds == nil)
        #expect(CKError(.zoneBusy).retryAfterSeconds == nil)
    }

    @Test("Every number is a code, as with an enumeration imported from C")
    func codes() {
        for number in [Int.min, -1, 0, 1, 24, 36, 37, 110, 112, .max] {
            let code = CKError.Code(rawValue: number)
            #expect(code?.rawValue == number)
            guard let code else { continue }
            let error = CKError(code)
            #expect(error.code == code && error.errorCode == number && (error as NSError).code == number)
            let stored = DatabaseError.Code(rawValue: number)
            #expect(error.databaseError.code == stored ?? .internalError)
            do { throw error } catch code {} catch { Issue.record("\(number) was not caught by its code") }
        }
        for stored in DatabaseError.Code.allCases {
            let code = CKError(DatabaseError(stored, "reason")).code
            #expect(code.rawValue == stored.rawValue && "\(code)" == "\(stored)")
            #expect(CKError.Code(rawValue: stored.rawValue) == code)
        }
    }

    @Test("What belongs to an error of the database is each where it belongs, either way")
    func belongings() throws {
        let wait = CKError(DatabaseError(.zoneBusy, "busy", retryAfter: .milliseconds(1500)))
        #expect(wait.retryAfterSeconds == 1.5 && wait.userInfo[CKErrorUserDidResetEncryptedDataKey] == nil)
        let names = ["server", "client", "ancestor"]
        let records = names.map { Record(type: "T", id: Record.ID($0)) }
        let conflict = DatabaseError(.init(server: records[0], client: records[1], ancestor: records[2]))
        let told = CKError(conflict)
        let found = [told.serverRecord, told.clientRecord, told.ancestorRecord]
        #expect(found.map { $0?.recordID.recordName } == names)
        let made = CKError(.serverRecordChanged, userInfo: told.userInfo).databaseError
        #expect([made.serverRecord, made.clientRecord, made.ancestorRecord].map { $0?.id.recordName } == names)

        let zoneID = RecordZone.ID("Z", ownerName: "_o")
        let zone = CKRecordZone.ID(zoneID)
        let ids: [AnyHashable] = [CKRecord.ID(recordName: "r", zoneID: zone), zone, "s"]
        let codes: [CKError.Code] = [.zoneBusy, .zoneNotFound, .unknownItem]
        let errors = Dictionary(uniqueKeysWithValues: zip(ids, codes.map { CKError($0) as any Error }))
        let partial = CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: errors]).databaseError
        let items: [DatabaseError.Item] = [
            .record(Record.ID("r", zoneID: zoneID)), .zone(zoneID), .subscription("s"),
        ]
        #expect(items.map { partial.partialErrors[$0]?.code } == [.zoneBusy, .zoneNotFound, .unknownItem])
        let back = CKError(partial).partialErrorsByItemID
        #expect(ids.map { (back?[$0] as? CKError)?.code } == codes)

        // Made anew, an error is equal, with objects of its own.
        for error in [conflict, partial] {
            #expect(CKError(error) == CKError(error) && CKError(error).hashValue == CKError(error).hashValue)
        }
    }

    @Test("Errors with one record of a conflict differ by that record")
    func singleRecords() {
        for key in [CKRecordChangedErrorServerRecordKey, CKRecordChangedErrorClientRecordKey] {
            let errors = ["a", "b", "a"].map {
                CKError(
                    .serverRecordChanged,
                    userInfo: [key: CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: $0))])
            }
            #expect(errors[0] != errors[1] && errors[1] != errors[0] && errors[0] == errors[2])
        }
        let words = CKError(.zoneBusy, userInfo: [NSLocalizedDescriptionKey: "words"])
        #expect("\(words)" == "<CKError 23: words>" && words.errorDescription == "words")
    }

    @Test("The records of an error are the same objects at every access")
    func sameRecords() async throws {
        let scene = try await Scene()
        let stale = try await scene.database.record(for: scene.id("a"))
        let current = try await scene.database.record(for: scene.id("a"))
        current["size"] = 2
        try await scene.database.save(current)
        stale["size"] = 3
        let single = await #expect(throws: CKError.self) { try await scene.database.save(stale) }
        let batch = await #expect(throws: CKError.self) {
            try await scene.database.modifyRecords(saving: [stale], deleting: [])
        }
        for error in [single, batch?.partialErrorsByItemID?[stale.recordID] as? CKError] {
            let error = try #require(error)
            let copy = error
            error.serverRecord?["size"] = 7
            #expect(error.serverRecord?["size"] as? Int == 7 && copy.serverRecord === error.serverRecord)
            #expect(error.userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord === error.serverRecord)
            #expect(error.clientRecord != nil && error.clientRecord === copy.clientRecord)
            #expect(error.ancestorRecord != nil && error.ancestorRecord === copy.ancestorRecord)
            #expect(error.serverRecord !== error.clientRecord && error.serverRecord !== error.ancestorRecord)
        }
        let again = batch?.partialErrorsByItemID?[stale.recordID] as? CKError
        let server = try #require(again?.serverRecord)
        #expect(server["size"] as? Int == 7)
        #expect(try await scene.database.save(server)["size"] as? Int == 7)
    }
}
