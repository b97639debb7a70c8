// Shell completions, drawn from the tables that make the help texts.

import PredicateEditing

/// Completion scripts of the command.
struct CompletionScript {
    var commands: [CommandSpecification]

    /// The shells there are scripts for.
    static let shells = ["bash", "zsh", "fish"]

    /// The script of a shell, ending in a line break; `nil` for a shell that is not known.
    func text(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    private var names: [String] { commands.map(\.name) + ["help"] }

    // MARK: bash

    private var bash: String {
        var text = """
            # bash completion for predicate: source it, or put it into a folder of completions as 'predicate'.
            _predicate_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }
            _predicate_files() { mapfile -t COMPREPLY < <(compgen -f -- "$1"); }
            _predicate() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
                COMPREPLY=()
                # An option and its value may be joined by '='.
                if [ "$word" = = ]; then word=''; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
                if [ "$COMP_CWORD" -eq 1 ]; then
                    _predicate_words '\(names.joined(separator: " ")) --help --version' "$word"
                    return
                fi
                case $command in
                    help) _predicate_words '\(commands.map(\.name).joined(separator: " "))' "$word" ;;

            """
        for command in commands {
            text += "        \(command.name))\n            case $before in\n"
            for (spellings, reply) in Self.bashValues(of: command) {
                text += "                \(spellings.joined(separator: "|"))) \(reply); return ;;\n"
            }
            let options = command.allOptions.flatMap(\.spellings).joined(separator: " ")
            let operands = Self.bashReply(command.operandChoices, takesFile: command.takesFiles)
            text += """
                            esac
                            case $word in
                                -*) _predicate_words '\(options)' "$word" ;;
                                *) \(operands) ;;
                            esac ;;

                """
        }
        return text + "    esac\n}\ncomplete -o filenames -o bashdefault -F _predicate predicate\n"
    }

    /// The options that take values, those that are completed alike together.
    private static func bashValues(of command: CommandSpecification) -> [(spellings: [String], reply: String)] {
        var values: [(spellings: [String], reply: String)] = []
        for option in command.allOptions where option.value != nil && !option.isValueOptional {
            let reply = bashReply(option.choices, takesFile: option.takesFile)
            if let index = values.firstIndex(where: { $0.reply == reply }) {
                values[index].spellings += option.spellings
            } else {
                values.append((option.spellings, reply))
            }
        }
        return values
    }

    private static func bashReply(_ choices: [String], takesFile: Bool) -> String {
        if !choices.isEmpty { return "_predicate_words '\(choices.joined(separator: " "))' \"$word\"" }
        return takesFile ? "_predicate_files \"$word\"" : ":"
    }

    // MARK: zsh

    private var zsh: String {
        var text = """
            #compdef predicate
            # zsh completion for predicate: put it into a folder of $fpath as '_predicate'.
            _predicate() {
                local -a commands
                commands=(

            """
        for command in commands { text += "        '\(command.name):\(Self.zshQuoted(command.summary))'\n" }
        text += """
                    'help:Tell the options of a command.'
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    _arguments '--help[Show how to call it.]' '--version[Show the version.]'
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
                    help) _describe command commands ;;

            """
        for command in commands {
            text += "        \(command.name))\n            _arguments -s"
            for option in command.allOptions { text += " \\\n                " + Self.zshArgument(option) }
            if !command.operandChoices.isEmpty {
                text +=
                    " \\\n                '*:\(command.operands):(\(command.operandChoices.joined(separator: " ")))'"
            } else {
                text +=
                    " \\\n                '*:\(Self.zshQuoted(command.operands)):"
                    + "\(command.takesFiles ? "_files" : " ")'"
            }
            text += " ;;\n"
        }
        return text
            + "    esac\n}\nif [ \"$funcstack[1]\" = _predicate ]; then _predicate \"$@\"; "
            + "else compdef _predicate predicate; fi\n"
    }

    private static func zshArgument(_ option: OptionSpecification) -> String {
        var action = ""
        if let value = option.value {
            let values =
                option.choices.isEmpty
                ? option.takesFile ? "_files" : " " : "(\(option.choices.joined(separator: " ")))"
            action = "\(option.isValueOptional ? "::" : ":")\(zshQuoted(value)):\(values)"
        }
        let summary = "[\(zshQuoted(option.summary))]"
        let stars = option.repeats ? "*" : ""
        guard let letter = option.letter else { return "'\(stars)\(option.name)\(summary)\(action)'" }
        let exclusion = option.repeats ? "'*'" : "'(\(letter) \(option.name))'"
        return "\(exclusion){\(letter),\(option.name)}'\(summary)\(action)'"
    }

    /// A text inside single quotes of a zsh specification.
    private static func zshQuoted(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "'": "'\\''"
            case "[", "]", ":", "\\": "\\\(scalar)"
            default: nil
            }
        }
    }

    // MARK: fish

    private var fish: String {
        var text = """
            # fish completion for predicate: put it into ~/.config/fish/completions as 'predicate.fish'.
            complete -c predicate -f
            complete -c predicate -n __fish_use_subcommand -l help -s h -d 'Show how to call it.'
            complete -c predicate -n __fish_use_subcommand -l version -d 'Show the version.'
            complete -c predicate -n __fish_use_subcommand -a help -d 'Tell the options of a command.'
            complete -c predicate -n '__fish_seen_subcommand_from help' \
            -a '\(commands.map(\.name).joined(separator: " "))'

            """
        for command in commands {
            text +=
                "complete -c predicate -n __fish_use_subcommand -a \(command.name) "
                + "-d \(Self.fishQuoted(command.summary))\n"
            let condition = "complete -c predicate -n '__fish_seen_subcommand_from \(command.name)'"
            if command.takesFiles { text += "\(condition) -F\n" }
            if !command.operandChoices.isEmpty {
                text += "\(condition) -a '\(command.operandChoices.joined(separator: " "))'\n"
            }
            for option in command.allOptions {
                text += "\(condition) -l \(option.name.dropFirst(2))"
                if let letter = option.letter { text += " -s \(letter.dropFirst())" }
                if option.value != nil, !option.isValueOptional { text += option.takesFile ? " -r -F" : " -x" }
                if !option.choices.isEmpty { text += " -a '\(option.choices.joined(separator: " "))'" }
                text += " -d \(Self.fishQuoted(option.summary))\n"
            }
        }
        return text
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.escaping { $0 == "'" || $0 == "\\" ? "\\\($0)" : nil } + "'"
    }
}
