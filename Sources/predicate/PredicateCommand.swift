// The command's entry point.

@main
struct PredicateCommand {
    static func main() {}
}
