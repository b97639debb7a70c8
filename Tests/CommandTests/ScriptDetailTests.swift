// What completion scripts, help and the manual page say of options: files, choices, values that may be left out.

import Testing

@testable import predicate

struct ScriptDetailTests {
    private static let command = CommandSpecification(
        name: "c", operands: "FILE", summary: "It's one.", discussion: "",
        options: [
            OptionSpecification("--in", letter: "-i", value: "FILE", repeats: true, "In."),
            OptionSpecification("--out", letter: "-o", value: "FILE", "Out."),
            OptionSpecification("--how", value: "H", choices: ["a", "b"], isValueOptional: true, "How."),
            OptionSpecification("--count", value: "N", "Count."), OptionSpecification("--yes", "Yes."),
        ], examples: [])

    private static func script(_ shell: String) throws -> [String] {
        let text = try #require(CompletionScript(commands: [command]).text(for: shell))
        return text.split(separator: "\n").map(String.init)
    }

    @Test func optionsOfFish() throws {
        let condition = "complete -c predicate -n '__fish_seen_subcommand_from c'"
        let found = try Self.script("fish").filter { $0.hasPrefix(condition) }.map { $0.dropFirst(condition.count) }
        #expect(
            found == [
                " -F", " -l in -s i -r -F -d 'In.'", " -l out -s o -r -F -d 'Out.'", " -l how -a 'a b' -d 'How.'",
                " -l count -x -d 'Count.'", " -l yes -d 'Yes.'", " -l help -s h -d 'Show this text.'",
            ], "\(found)")
    }

    @Test func optionsOfZsh() throws {
        let lines = try Self.script("zsh")
        for part in [
            "'*'{-i,--in}'[In.]:FILE:_files'", "'(-o --out)'{-o,--out}'[Out.]:FILE:_files'",
            "'--how[How.]::H:(a b)'", "'--count[Count.]:N: '", "'--yes[Yes.]'",
            "'(-h --help)'{-h,--help}'[Show this text.]'", "'*:FILE:_files'",
        ] {
            #expect(lines.contains { $0.contains(" " + part) }, "\(part): \(lines)")
        }
    }

    @Test func valuesThatMayBeLeftOut() {
        let page = ManualPage(commands: [Self.command]).text
        for line in [
            "\\fB\\-\\-how\\fR[=\\fIH\\fR]", "\\fB\\-\\-count\\fR \\fIN\\fR", "\\fB\\-\\-yes\\fR",
            "\\fB\\-i\\fR, \\fB\\-\\-in\\fR \\fIFILE\\fR",
        ] {
            #expect(page.contains("\n\(line)\n"), "\(line): \(page)")
        }
        let help = Self.command.help(style: Style(isColored: false))
        for part in [" --how[=H] ", " --count N ", " --yes ", "-i, --in FILE "] {
            #expect(help.contains(part), "\(part): \(help)")
        }
    }
}
