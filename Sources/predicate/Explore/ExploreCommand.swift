// predicate explore: records in a browser.

import ExploreServer
import Glibc
import RecordDatabase

/// `predicate explore [FILE…|FOLDER]`
enum ExploreCommand: Command {
    static let specification = CommandSpecification(
        name: "explore",
        operands: "[FILE…|FOLDER]",
        summary: "Look at records in a browser.",
        discussion: """
            Prints an address of this machine with a key, opens the browser, and serves until Control-C: a table, counts
            by value, a histogram, a map, the plan. Every click edits one line, the predicate, which can be copied.
            It only reads; nothing is fetched from elsewhere, and nothing is sent there. The page follows what is
            appended to the files or saved in the store.
            FOLDER is a store that 'predicate import' or an application made.
            Who has the address may read the records: the key is new each time. Another machine comes by 'ssh -L';
            where the port differs there, --allow-host names it.
            """,
        options: [
            OptionSpecification("--port", value: "N", "The port (default: one that is free)."),
            OptionSpecification("--no-open", "Print the address, and open no browser."),
            OptionSpecification(
                "--allow-host", value: "NAME:PORT", repeats: true, "A further name under which the page is reached."),
            OptionSpecification("--time-limit", value: "MS", "Milliseconds that a query may take (default: 10000)."),
        ] + SharedOptions.records + SharedOptions.messages,
        examples: [
            Example("records of a file", "predicate explore cities.ndjson"),
            Example("a store, while an application writes it", "predicate explore places.store"),
            Example("without a browser on this machine", "predicate explore cities.ndjson --no-open --port 8080"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let files = try InputFiles(arguments, files: arguments.operands)
        let port = try arguments.count("--port") ?? 0
        guard let port = UInt16(exactly: port) else {
            throw CommandError(.usage, "'--port': \(port) is no port", hint: "a port is a number below 65536")
        }
        let source = source(files)
        let records = try files.load(session)
        let time = try arguments.count("--time-limit").map { Duration.milliseconds($0) } ?? .seconds(10)
        let options = ExploreServer.Options(
            port: port, allowedHosts: arguments.all("--allow-host"), time: time, translations: translations,
            // For work on the page: each request reads its files.
            page: Environment["PREDICATE_EXPLORE_PAGE"])
        // Caught from here on: Control-C ends the wait below.
        let signals = SignalPipe()
        let server: ExploreServer
        do throws(DatabaseError) {
            server = try ExploreServer(source, records, options: options)
        } catch {
            throw CommandError(.inputOutput, error.reason, hint: error.hint)
        }
        let page = arguments.has("--no-open") ? nil : AddressFile(server.address)
        if let page { server.onFirstCall { page.remove() } }
        session.output.write(server.address + "\n")
        session.output.flush()
        page?.open()
        waitForEnd(signals)
        page?.remove()
        server.stop()
        return .success
    }

    /// The records of files or of a store, as they are written.
    private static func source(_ files: InputFiles) -> ExploredRecords {
        ExploredRecords(
            name: files.description,
            version: { ExploredRecords.Version(files.versions.flatMap { $0?.numbers ?? [-1] }) },
            load: { () throws(ExploredRecords.LoadError) in
                do throws(CommandError) {
                    return try files.load(Session([]))
                } catch {
                    throw ExploredRecords.LoadError(error.message)
                }
            })
    }

    /// Waits for Control-C, or for the end that another program requests.
    private static func waitForEnd(_ signals: SignalPipe) {
        while true {
            if case .signals(let numbers) = signals.wait(for: -1, milliseconds: nil),
                numbers.contains(where: { $0 == SIGINT || SignalPipe.ends($0) })
            {
                return
            }
        }
    }

    /// What predicates are copied as.
    private static var translations: [PageTranslation] {
        [("Swift", "swift"), ("SQL", "sql"), ("CloudKit JSON", "cloudkit-json"), ("NSPredicate", "nspredicate")].map {
            name, language in
            PageTranslation(name) { predicate, variables, records in
                let translation = Translation(
                    language: language, type: "Record", database: .sqlite, usesParameters: false, table: nil,
                    records: records, dialect: .full, arguments: [], variables: variables)
                do throws(CommandError) {
                    return .success(try translation.result(of: PredicateLine(text: predicate)).text)
                } catch {
                    return .failure(.init(error.message))
                }
            }
        }
    }
}
