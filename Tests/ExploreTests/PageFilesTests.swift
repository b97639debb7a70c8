// The files of the page as they are sent: how large, and what clients can unpack.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import Campaigns
@testable import ExploreServer

@Suite struct PageFilesTests {
    /// With the map and its finest outlines: the design's goal is 150 KB.
    @Test func thePageIsSmall() {
        let sizes = PageFile.all.mapValues { $0.reply(accepting: ["gzip, deflate, br"]).bytes.count }
        #expect(sizes.count == 15)
        #expect(sizes["/world50.bin"].map { $0 > 50_000 } == true)
        #expect(sizes.values.reduce(0, +) < 150_000, "\(sizes)")
    }

    @Test func anotherProgramUnpacksWhatIsSent() throws {
        for (path, file) in PageFile.all where file.packed != file.bytes {
            let packed = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).gz")
            defer { try? FileManager.default.removeItem(at: packed) }
            try Data(file.packed).write(to: packed)
            let outcome = ChildProcess.run(["/bin/gzip", "-dc", packed.path])
            #expect(outcome.status == 0 && outcome.output == file.bytes, "\(path)")
            #expect(file.packed.count < file.bytes.count, "\(path)")
        }
    }

    @Test(
        arguments: [
            ([], false), (["identity"], false), (["gzip"], true), (["GZIP"], true), (["br, gzip;q=0.5"], true),
            (["br", "gzip"], true), (["gzip;q=0"], false), (["gzip; q=0.0"], false), (["*"], true), (["*;q=0"], false),
            (["*, gzip;q=0"], false), (["*;q=0, gzip"], true), (["gzip;q=x"], true), (["xgzip"], false),
            ([",;,"], false),
        ] as [([String], Bool)])
    func encodings(values: [String], isAccepted: Bool) {
        #expect(PageFile.isAccepted("gzip", in: values) == isAccepted)
    }

    /// For work on the page: its files come from a folder, and from the program where the folder has none.
    @Test func filesOfAFolder() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["index.html", "explore.js"] { try Data(name.utf8).write(to: folder.appending(path: name)) }
        let records = try RecordSet(records: [Record(type: "T", id: Record.ID("a"))])
        let source = ExploredRecords(name: "a", version: { nil }, load: { nil })
        let server = try ExploreServer(source, records, options: ExploreServer.Options(page: folder.path))
        let client = try PageClient(server)
        #expect(try client.get("/").body == Data("index.html".utf8))
        #expect(try client.get("/explore.js").body == Data("explore.js".utf8))
        #expect(try [UInt8](client.get("/explore.css").body) == PageFile.all["/explore.css"]?.bytes)
    }

    @Test func aClientThatDoesNotUnpackGetsTheFileItself() throws {
        let server = try ExploreServer(try RecordSet(records: [Record(type: "T", id: Record.ID("a"))]))
        let plain = try PageClient(server).get("/explore.js")
        #expect(plain.status == 200 && [UInt8](plain.body) == PageFile.all["/explore.js"]?.bytes)
        let packed = SocketClient.exchange(
            server.port,
            "GET /explore.js HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        )
        #expect(packed.contains("Content-Encoding: gzip") && packed.contains("Vary: Accept-Encoding"))
    }
}
