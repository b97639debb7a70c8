// The bytes of parameters, names in statements, what connection strings say, and what errors tell.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore

@Suite struct ParameterEdgesTests {
    @Test("Values are sent in the server's binary form, the highest byte first")
    func values() {
        let cases: [(value: Parameter, bytes: [UInt8]?)] = [
            (.bool(true), [1]), (.bool(false), [0]), (.int16(-2), [0xFF, 0xFE]), (.int32(0x0102_0304), [1, 2, 3, 4]),
            (.int64(258), [0, 0, 0, 0, 0, 0, 1, 2]), (.double(1), [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]),
            (.double(-0.0), [0x80, 0, 0, 0, 0, 0, 0, 0]), (.text("é"), [0xC3, 0xA9]), (.text(""), []),
            (.bytes([7, 0]), [7, 0]), (.null(.int64), nil), (Parameter.text(nil as String?), nil),
            (Parameter.text("a" as String?), [0x61]), (Parameter.bytes(nil as [UInt8]?), nil),
            (Parameter.bytes([1] as [UInt8]?), [1]),
        ]
        for (value, bytes) in cases { #expect(value.encoded == bytes, "\(value)") }
        #expect(Parameter.text(nil as String?).kind == .text && Parameter.bytes(nil as [UInt8]?).kind == .bytes)
    }

    @Test("Arrays have one dimension, the type of their elements, and each element behind its length")
    func arrays() {
        let head: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]
        let one: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]
        let cases: [(value: Parameter, bytes: [UInt8])] = [
            (.texts(["ab"]), head + [0, 0, 0, 25] + one + [0, 0, 0, 2, 0x61, 0x62]),
            (.int64s([5]), head + [0, 0, 0, 20] + one + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5]),
            (.int32s([5]), head + [0, 0, 0, 23] + one + [0, 0, 0, 4, 0, 0, 0, 5]),
            (.array(.int16s, [.int16(5)]), head + [0, 0, 0, 21] + one + [0, 0, 0, 2, 0, 5]),
            (.array(.bools, [.bool(true)]), head + [0, 0, 0, 16] + one + [0, 0, 0, 1, 1]),
            (.array(.bytesList, [.bytes([9])]), head + [0, 0, 0, 17] + one + [0, 0, 0, 1, 9]),
            // 701 is 0x2BD.
            (
                .array(.doubles, [.double(1)]),
                head + [0, 0, 2, 0xBD] + one + [0, 0, 0, 8, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]
            ),
            (.texts([]), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 25]),
            (.texts([""]), head + [0, 0, 0, 25] + one + [0, 0, 0, 0]),
            // What is of another type is missing, as what is missing is.
            (.array(.texts, [.int64(1)]), head + [0, 0, 0, 25] + one + [0xFF, 0xFF, 0xFF, 0xFF]),
            (.array(.texts, [.null(.text)]), head + [0, 0, 0, 25] + one + [0xFF, 0xFF, 0xFF, 0xFF]),
        ]
        for (value, bytes) in cases { #expect(value.encoded == bytes, "\(value)") }
    }

    @Test("The length of a value has four bytes")
    func lengths() {
        var bytes: [UInt8] = [1]
        Parameter.bytes(Array(repeating: 9, count: 0x0001_0203)).writeCounted(to: &bytes)
        #expect(bytes.count == 5 + 0x0001_0203 && Array(bytes.prefix(6)) == [1, 0, 1, 2, 3, 9] && bytes.last == 9)
        bytes = [1]
        Parameter.null(.text).writeCounted(to: &bytes)
        #expect(bytes == [1, 0xFF, 0xFF, 0xFF, 0xFF])
    }

    @Test("Names and texts stand in quotes, and those in them twice, also where a mark follows")
    func quotes() {
        let names = [
            ("a", "\"a\""), ("", "\"\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("'", "\"'\""),
            ("\"\u{301}", "\"\"\"\u{301}\""),
        ]
        for (name, quoted) in names { #expect(Statement.name(name).utf8.elementsEqual(quoted.utf8), "\(name)") }
        #expect(Statement.literal("it's \"so\"") == "'it''s \"so\"'::text")
    }

    @Test("What a server's states mean is told in words, the narrower ones first")
    func reasons() {
        let reasons = [
            ("40P01", "transactions wait for each other"), ("40001", "the transaction has to be repeated"),
            ("28P01", "the server rejects the login"), ("3D000", "the server has no such database"),
            ("42P01", "a table is missing"), ("42703", "a column is missing"),
            ("42501", "the user of the server may not do this"), ("57P01", "the server shuts down or is starting"),
            ("57014", "the server gave up a statement"), ("99999", "the server rejected a statement"),
        ]
        for (state, reason) in reasons {
            #expect(ServerError(sqlState: state).reason == "\(reason) (SQLSTATE \(state))")
            #expect(ServerError(sqlState: state).sqlState == state)
        }
    }

    @Test("An error without a state is rejected as one of no kind that is known")
    func rejectionsWithoutState() {
        let error = ServerError(.rejected, "words")
        #expect(!error.isOfConnection && !error.isTransient && !error.isOfMissingTable && !error.isOfReadOnlyServer)
        #expect(error.databaseError.code == .internalError && error.databaseError.hint == nil)
        #expect(ServerError(.noLibrary, "").databaseError.hint == "install PostgreSQL's client library")
    }

    @Test(
        "A connection string tells how long to wait, for how many servers, and whether it has a password",
        .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
    func connectionStrings() throws {
        let cases: [(text: String, timeout: Int, hosts: Int, hasPassword: Bool)] = [
            ("host=a", 2, 1, false), ("dbname=x", 2, 1, false), ("", 2, 1, false),
            ("host=a,b,c", 2, 3, false), ("postgresql://u:secret@a:1,b:2/x", 2, 2, true),
            ("host=a password=secret", 2, 1, true), ("host=a password=''", 2, 1, false),
            ("host=a connect_timeout=0", 2, 1, false), ("host=a connect_timeout=-5", 2, 1, false),
            // Less than two seconds are taken for two, as libpq does.
            ("host=a connect_timeout=1", 2, 1, false), ("host=a connect_timeout=2", 2, 1, false),
            ("host=a connect_timeout=3", 3, 1, false), ("host=a connect_timeout=30", 30, 1, false),
            ("host=a connect_timeout=3599", 3599, 1, false), ("host=a connect_timeout=3600", 3600, 1, false),
            ("host=a connect_timeout=3601", 3600, 1, false), ("host=a connect_timeout=99999", 3600, 1, false),
        ]
        for (text, timeout, hosts, hasPassword) in cases {
            let address = try ConnectionString(text)
            #expect(address.timeout == .seconds(timeout), "\(text)")
            #expect(address.hostCount == hosts && address.hasPassword == hasPassword, "\(text)")
            #expect(address.text == text)
        }
        for text in ["host=a\u{0}", "no such thing", "postgresql://a/%zz"] {
            let error = #expect(throws: ServerError.self) { try ConnectionString(text) }
            #expect(error?.kind == .malformedAddress, "\(text)")
        }
    }
}
