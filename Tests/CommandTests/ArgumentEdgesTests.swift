// Words of a call: options and operands, keys and columns, places, values; and lines that begin with a dot.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct ArgumentEdgesTests {
    private static func parsed(_ words: [String]) throws(CommandError) -> ParsedArguments {
        try ParsedArguments(words, for: QueryCommand.specification)
    }

    /// Words, their options with values, and their operands.
    static let words: [(words: [String], options: [String], operands: [String])] = [
        (["-n5", "a"], ["--limit 5"], ["a"]), (["a", "-n", "5"], ["--limit 5"], ["a"]),
        (["--limit=5", "--fields=a=b"], ["--limit 5", "--fields a=b"], []),
        (["-c", "--", "-n", "--x", "--"], ["--count "], ["-n", "--x", "--"]), (["-", "a"], [], ["-", "a"]),
        // A dash before a number, a bracket, or a name in a text with blanks begins a predicate.
        (["-5 < n"], [], ["-5 < n"]), (["-5"], [], ["-5"]), (["-(a)"], [], ["-(a)"]), (["-x > 3"], [], ["-x > 3"]),
        (["-n > 3"], [], ["-n > 3"]), (["-count > 3"], [], ["-count > 3"]), (["-zoom > 3"], [], ["-zoom > 3"]),
        (["-size > 3"], ["--sort ize > 3"], []),
        (["-s", "a", "--sort", "b"], ["--sort a", "--sort b"], []),
        // The value of --explain may be left out.
        (["--explain", "json", "a"], ["--explain json"], ["a"]), (["--explain", "a"], ["--explain "], ["a"]),
        (["--explain=tree", "json"], ["--explain tree"], ["json"]), (["--explain"], ["--explain "], []),
    ]

    @Test func wordsAreOptionsOrOperands() throws {
        for test in Self.words {
            let arguments = try Self.parsed(test.words)
            #expect(arguments.options.map { "\($0.name) \($0.value)" } == test.options, "\(test.words)")
            #expect(arguments.operands == test.operands, "\(test.words)")
        }
    }

    /// Wrong words, the message, and the hint.
    static let wrong: [(words: [String], message: String, hint: String?)] = [
        (["-cx"], "option '--count' takes no value", nil), (["--count=1"], "option '--count' takes no value", nil),
        (["-n"], "option '--limit' needs a value: --limit N", nil),
        (["-n", "3", "--limit", "4"], "option '--limit' is given twice", nil),
        (
            ["-z"], "'predicate query' has no option '-z'",
            "'predicate query --help' lists the options; put '--' before a word that begins with a dash"
        ),
        (
            ["--nothing-alike"], "'predicate query' has no option '--nothing-alike'",
            "'predicate query --help' lists the options"
        ),
        (["--feilds", "a"], "'predicate query' has no option '--feilds'", "did you mean '--fields'?"),
        (["--explain=jsn"], "'jsn' is not a value of '--explain': tree, json", "did you mean 'json'?"),
    ]

    @Test func wrongWordsAreTold() {
        for test in Self.wrong {
            let error = #expect(throws: CommandError.self) { _ = try Self.parsed(test.words) }
            #expect(error?.message == test.message && error?.hint == test.hint && error?.status == .usage)
        }
    }

    @Test func valuesOfOptions() throws {
        let arguments = try Self.parsed([
            "-n", "0", "--offset", "-1", "--arguments", "[1]", "-a", "x", "-a", "2", "-v", "$x=1", "-v", "y=a=b",
            "-v", "z=",
        ])
        #expect(try arguments.count("--limit") == 0)
        #expect(try arguments.count("--width") == nil)
        let offset = #expect(throws: CommandError.self) { _ = try arguments.count("--offset") }
        #expect(offset?.message == "'-1' is not a whole number for '--offset'")
        #expect(try arguments.formatArguments() == [1, "x", 2])
        #expect(try arguments.variables() == ["x": 1, "y": "a=b", "z": ""])
        for word in ["x", "=1"] {
            let error = #expect(throws: CommandError.self) { _ = try Self.parsed(["-v", word]).variables() }
            #expect(error?.message == "'--variable' takes NAME=VALUE, not '\(word)'")
        }
        let list = #expect(throws: CommandError.self) { _ = try Self.parsed(["--arguments", "1"]).formatArguments() }
        #expect(list?.message == "'--arguments' takes a JSON array")
        let twice = #expect(throws: CommandError.self) {
            _ = try Self.parsed(["-a", #"{"a":1,"a":2}"#]).formatArguments()
        }
        #expect(twice?.message.hasPrefix("'--argument': ") == true)
    }

    // MARK: Keys, columns and places

    @Test func keysOfAnOrder() throws {
        let keys: [(text: String, keys: [SortKey])] = [
            ("a desc b asc,c:desc d DESC", [.descending("a"), .ascending("b"), .descending("c"), .descending("d")]),
            ("a:ascending, b descending", [.ascending("a"), .descending("b")]),
            ("desc", [.ascending("desc")]), ("a:desc desc", [.descending("a"), .ascending("desc")]),
            ("relevance", [SortKey(.relevance, isAscending: false)]), ("relevance asc", [SortKey(.relevance)]),
            ("#relevance", [.ascending("relevance")]), ("", []),
            (
                "distance(p, 1, 2) desc n",
                [
                    SortKey(.distance("p", from: Location(latitude: 1, longitude: 2)), isAscending: false),
                    .ascending("n"),
                ]
            ),
        ]
        for (text, expected) in keys { #expect(try FieldSelector.sortKeys(text) == expected, "\(text)") }
        let (sort, locales) = try FieldSelector.collatedKeys("a:locale=de desc b c:locale=sv:desc")
        #expect(sort == [.descending("a"), .ascending("b"), .descending("c")])
        #expect(locales == [.descending("a"): "de", .descending("c"): "sv"])
        #expect(try FieldSelector.sortKey("-") == .ascending("-"))
        let wrong: [(text: String, message: String, hint: String)] = [
            ("-a", "'-a' is not a sort key", "write a:desc"),
            ("a:up", "'a:up' is not a sort key", "write KEY, KEY:asc or KEY:desc; KEY may be distance(FIELD,LAT,LON)"),
            ("a:desc,b", "'a:desc,b' is not a sort key", "write --sort a:desc --sort b"),
        ]
        for (text, message, hint) in wrong {
            let error = #expect(throws: CommandError.self) { _ = try FieldSelector.sortKey(text) }
            #expect(error?.message == message && error?.hint == hint)
        }
        for text in ["a:locale=", "a:locale=d e", "a:locale=de/x"] {
            let error = #expect(throws: CommandError.self) { _ = try FieldSelector.collatedKey(text) }
            #expect(error?.message == "'\(text)' names no locale")
        }
    }

    @Test func columns() throws {
        #expect(FieldSelector.words("a, b  distance(p, 1, 2),c") == ["a", "b", "distance(p, 1, 2)", "c"])
        let list = try FieldSelector.list("a, distance(p,1,2),relevance,#relevance, b.c ")
        #expect(list.map(\.title) == ["a", "distance", "relevance", "relevance", "b.c"])
        #expect(list[3].criterion == .field("relevance") && list[2].criterion == .relevance)
        for numbers in ["p,1", ",1,2", "p,91,0", "p,0,181", "p,x,0", "p,1,2,3"] {
            let text = "distance(\(numbers))"
            let error = #expect(throws: CommandError.self) { _ = try FieldSelector(text) }
            #expect(error?.message == "'\(text)' is not a distance")
        }
        #expect(try FieldSelector("distance(p").title == "distance(p")
        #expect(throws: CommandError.self) { _ = try FieldSelector.list("a,,b") }
    }

    @Test func places() throws {
        #expect(try Location(text: " 1.5 , -2 ") == Location(latitude: 1.5, longitude: -2))
        #expect(try Location(text: "90,180") == Location(latitude: 90, longitude: 180))
        for text in ["1", "1,2,3", "1,x", "90.1,0", "0,-180.1", ""] {
            #expect(throws: CommandError.self) { _ = try Location(text: text) }
        }
        #expect(DistanceCommand.metres(0.0004) == "0.000" && DistanceCommand.metres(1_234.5678) == "1234.568")
        #expect(DistanceCommand.metres(9.05) == "9.050" && DistanceCommand.metres(0.012) == "0.012")
    }

    // MARK: Dot commands

    /// A line, the name and the operand of its call, and the command that it is.
    static let calls: [(line: String, name: String, operand: String, start: Int, command: String?)] = [
        (".limit  5", ".limit", "5", 8, ".limit"), (".lim", ".lim", "", 4, ".limit"),
        (".quit", ".quit", "", 5, ".quit"),
        (".exit", ".exit", "", 5, ".quit"), (".s a", ".s", "a", 3, nil), (".é x y", ".é", "x y", 4, nil),
        (".read", ".read", "", 5, ".read"),
    ]

    @Test func linesWithADotAreCalls() throws {
        for test in Self.calls {
            let call = try #require(DotCommand.Call(test.line))
            #expect(call.name == test.name && call.operand == test.operand && call.operandStart == test.start)
            #expect(call.command?.name == test.command, "\(test.line)")
        }
        for line in ["limit 5", ". limit", ".5 < n", ".", ""] { #expect(DotCommand.Call(line) == nil) }
        #expect(DotCommand.unknown(".s").message == "'.s' may be .schema, .sort, .snippets, .stats, .save")
        #expect(DotCommand.unknown(".tables").hint == "did you mean '.type'?")
        #expect(DotCommand.unknown(".limt").hint == "did you mean '.limit'?")
        #expect(DotCommand.unknown(".wholly-other").hint == "'.help' lists them")
        for line in ["help", " ? ", "help nil", "? like", "quit", " exit "] { #expect(Repl.isPlainCommand(line)) }
        for line in ["help a b", "helpful", "quit now", "a == 1", ""] { #expect(!Repl.isPlainCommand(line)) }
    }

    @Test func wordsOfDotCommands() {
        for (text, words) in [
            ("a  b\tc", ["a", "b", "c"]), ("'a b' \"c'd\" e", ["a b", "c'd", "e"]), ("a'b c'd", ["ab cd"]),
            ("'' x", ["", "x"]), ("", []), ("  ", []), ("a ''", ["a", ""]),
        ] {
            #expect(DotCommand.words(text) == words, "\(text)")
        }
    }

    // MARK: Paths

    @Test func partsOfPaths() throws {
        for (path, name, stem) in [
            ("data/cities.ndjson.gz", "cities.ndjson.gz", "cities"), ("-", "standard input", "standard input"),
            ("/a/b/", "b", "b"), ("a/.hidden", ".hidden", ".hidden"), ("/", "/", "/"),
        ] {
            #expect(FilePath.name(path) == name && FilePath.stem(path) == stem, "\(path)")
        }
        if let home = ProcessInfo.processInfo.environment["HOME"] {
            #expect(FilePath.expanded("~") == home && FilePath.expanded("~/x") == home + "/x")
        }
        #expect(FilePath.expanded("~x") == "~x" && FilePath.expanded("a/~/b") == "a/~/b")
    }

    @Test func completionsOfPaths() throws {
        let folder = try TemporaryFolder()
        for name in ["b.txt", "a.txt", ".hidden"] { _ = try folder.file(name, "") }
        let inner = folder.url.appendingPathComponent("ab")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let path = folder.url.path
        #expect(FilePath.completions(of: path + "/a") == ["\(path)/a.txt", "\(path)/ab/"])
        #expect(FilePath.completions(of: path + "/") == ["\(path)/a.txt", "\(path)/ab/", "\(path)/b.txt"])
        #expect(FilePath.completions(of: path + "/.") == ["\(path)/.hidden"])
        #expect(FilePath.completions(of: path + "/none/") == [])
        #expect(FilePath.isReadableFile(path + "/a.txt") && !FilePath.isReadableFile(path))
        #expect(FilePath.isRegularFile(path + "/a.txt") && !FilePath.isRegularFile("/dev/null"))
        #expect(!FilePath.isReadableFile(path + "/none") && FilePath.version(path + "/none") == nil)
    }
}
