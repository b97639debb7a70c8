// References that matter when records are deleted, as servers keep them.

package import RecordModel

/// A reference that matters when its target is deleted.
///
/// Where target and holder are on different nodes, both nodes have it: that of the target before the holder is saved,
/// that of the holder with it. The first may have links that no record holds, whose savers ended before their end.
package struct ServerLink: Hashable, Sendable {
    package let target: Record.ID
    package let holder: Record.ID
    package let holderType: String
    /// Whether the holder goes with its target; otherwise it is below it.
    package let isOwning: Bool
    /// Tells a link between nodes from earlier ones of the same records; `nil` on one node.
    package var mark: Int64?
    /// Whether a link between nodes is younger than a minute: somebody may be about to save its holder.
    package var isFresh = false

    package init(
        target: Record.ID, holder: Record.ID, holderType: String, isOwning: Bool, mark: Int64? = nil,
        isFresh: Bool = false
    ) {
        (self.target, self.holder, self.holderType, self.isOwning) = (target, holder, holderType, isOwning)
        (self.mark, self.isFresh) = (mark, isFresh)
    }

    /// What is the same on both nodes.
    package var key: ServerLink {
        ServerLink(target: target, holder: holder, holderType: "", isOwning: isOwning, mark: mark)
    }

    /// As `key`, of whichever save.
    package var unmarked: ServerLink { ServerLink(target: target, holder: holder, holderType: "", isOwning: isOwning) }
}

/// What a commit changes of links between nodes.
package struct LinksApart: Sendable {
    /// Links of saved records to records of other nodes, new ones and those that are no more.
    package var held: [ServerLink] = []
    package var released: [ServerLink] = []
    /// Links of records of other nodes to records here, of saves to come, and those that are no more.
    package var noted: [ServerLink] = []
    package var forgotten: [ServerLink] = []
    /// Deleted records that are targets of such links.
    package var ended: [Record.ID] = []
    /// Links to records deleted before whose holders are what they have to be.
    package var settled: [ServerLink] = []

    package init() {}

    /// Whether nothing changes.
    package var isEmpty: Bool {
        [held, released, noted, forgotten, settled].allSatisfy(\.isEmpty) && ended.isEmpty
    }
}
