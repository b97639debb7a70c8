// Calls of a container that tell a handler.

import Foundation

extension CKContainer {
    /// Makes a call in a task, and calls a handler on a thread of its own: it may wait for another call, and the
    /// threads of tasks must not wait.
    func tellResult<Value: Sendable>(
        _ body: @escaping @Sendable (CKContainer) async throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await body(self)) } catch { result = .failure(error) }
            DispatchQueue(label: "CKContainer").async { handler(result) }
        }
    }

    /// As `tellResult`, for a handler that takes a value or an error.
    func tell<Value: Sendable>(
        _ body: @escaping @Sendable (CKContainer) async throws -> Value,
        _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) { tellResult(body) { handler($0.success, $0.failure) } }
}
