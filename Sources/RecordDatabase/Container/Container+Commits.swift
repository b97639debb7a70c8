// Commits as they happen, for those who keep them elsewhere or check them.

extension Container {
    /// Has every commit of the store's databases told, from the next one on.
    ///
    /// The commits of one database come in their order, each before the call that made it returns. The observer is
    /// called on the thread of some caller, one commit at a time, and must not call the store. Commits to databases on
    /// a server are not told, neither those of this process nor those of others.
    ///
    /// - Returns: A number that ends it.
    package func watchCommits(_ observer: @escaping @Sendable (CommitEvent) -> Void) -> Int {
        client.store.events.add(observer)
    }

    /// Ends what `watchCommits` began.
    package func endWatching(_ number: Int) { client.store.events.remove(number) }

    /// The number by which commits name this client.
    package var clientNumber: Int { client.number }
}
