// The fixed tasks whose instructions the gate counts.

import PredicateSyntax

/// A task: prepared once, done some number of times, its answer checked.
struct GateTask {
    var name: String
    /// The answer that every repetition must give.
    var answer: Int
    /// Prepares the task and returns what is repeated.
    var prepare: () throws -> () throws -> Int

    /// All tasks.
    static var all: [GateTask] {
        [
            GateTask(name: "generate 200 places", answer: 6_744_279_834_389_093_812) {
                let generator = PlaceGenerator(count: 200)
                return {
                    var bytes: [UInt8] = []
                    for index in 0..<generator.count { generator[index].appendJSON(to: &bytes) }
                    return Checksum.of(bytes)
                }
            },
            GateTask(name: "parse 10 predicates 100 times", answer: 1_000) {
                let texts = TypicalPredicate.all.map(\.text)
                return {
                    var parsed = 0
                    for _ in 0..<100 {
                        for text in texts where try SyntaxTree(parsing: text).text == text { parsed += 1 }
                    }
                    return parsed
                }
            },
            GateTask(name: "print 10 predicates 100 times", answer: 22_400) {
                let trees = try TypicalPredicate.all.map { try SyntaxTree(parsing: $0.text) }
                return { (0..<100).reduce(0) { sum, _ in sum + trees.reduce(0) { $0 + $1.description.utf8.count } } }
            },
        ]
    }

    /// Does the task of a name; prints how many blocks of memory the last repetition allocated.
    static func run(_ name: String, repetitions: Int) throws {
        guard let task = all.first(where: { $0.name == name }) else {
            throw UsageError(description: "no task is named \(name)")
        }
        let work = try task.prepare()
        for repetition in 1...max(1, repetitions) {
            var answer = 0
            let blocks = try allocations { answer = try work() }
            if repetition == repetitions { print(blocks) }
            guard answer == task.answer else {
                throw WrongAnswer(description: "\(name) gives \(answer), not \(task.answer)")
            }
        }
    }
}
