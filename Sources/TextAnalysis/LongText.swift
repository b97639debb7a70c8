// Work on one long text, which looks now and then whether it is still wanted.

import Deadlines

/// How often work on a long text looks at its deadline.
enum LongText {
    /// Bytes between two looks: a tenth of a millisecond of folding, about.
    static let stretch = 1 << 16

    /// Looks after every so many steps of work.
    struct DeadlineCheck {
        private let stride: Int
        private var left: Int

        init(each stride: Int) {
            self.stride = max(1, stride)
            left = self.stride
        }

        /// Counts steps; whether the work shall give up.
        @inline(__always)
        mutating func isOver(after steps: Int = 1) -> Bool {
            left &-= steps
            return left <= 0 && look()
        }

        private mutating func look() -> Bool {
            left = stride
            return Deadline.watch.isOver
        }
    }
}
