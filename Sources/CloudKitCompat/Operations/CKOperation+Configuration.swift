// Settings of operations.

public import Foundation
import Synchronization

extension CKOperation {
    /// Settings of an operation, or of many.
    public typealias Configuration = CKOperationConfiguration
}

/// Settings of an operation, or of many: what is not set here is taken from elsewhere.
///
/// Times end an operation that takes longer, with `networkFailure`; without them it takes as long as it needs. There is
/// no network whose use the others could steer.
public final class CKOperationConfiguration: NSObject, NSCopying, Sendable {
    /// The settings that were made; `nil` for the others.
    struct Settings: Sendable {
        var container: CKContainer?
        var qualityOfService: QualityOfService?
        var allowsCellularAccess: Bool?
        var isLongLived: Bool?
        var timeoutIntervalForRequest: TimeInterval?
        var timeoutIntervalForResource: TimeInterval?

        /// These settings, and for those that were not made the other ones.
        func over(_ other: Settings) -> Settings {
            Settings(
                container: container ?? other.container,
                qualityOfService: qualityOfService ?? other.qualityOfService,
                allowsCellularAccess: allowsCellularAccess ?? other.allowsCellularAccess,
                isLongLived: isLongLived ?? other.isLongLived,
                timeoutIntervalForRequest: timeoutIntervalForRequest ?? other.timeoutIntervalForRequest,
                timeoutIntervalForResource: timeoutIntervalForResource ?? other.timeoutIntervalForResource)
        }
    }

    private let state: Mutex<Settings>

    /// Nothing set: every value is the usual one.
    public convenience override init() { self.init(Settings()) }
    init(_ settings: Settings) {
        state = Mutex(settings)
        super.init()
    }

    /// Other settings that say the same.
    public func copy(with zone: NSZone? = nil) -> Any { CKOperationConfiguration(settings) }

    var settings: Settings { state.withLock { $0 } }

    /// Whose private database operations use that have no database; `nil` for the default container.
    public var container: CKContainer? {
        get { settings.container }
        set { state.withLock { $0.container = newValue } }
    }

    /// How urgent the work is: of the thread that does it. `.default` unless set.
    public var qualityOfService: QualityOfService {
        get { settings.qualityOfService ?? .default }
        set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether a cellular network may be used; true unless set. Kept, without effect.
    public var allowsCellularAccess: Bool {
        get { settings.allowsCellularAccess ?? true }
        set { state.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether the container finds the operation by its identifier until it ends, beside a store also in a later
    /// process; false unless set.
    public var isLongLived: Bool {
        get { settings.isLongLived ?? false }
        set { state.withLock { $0.isLongLived = newValue } }
    }

    /// Seconds that the operation may take once it has begun; what it has not done then fails with `networkFailure`,
    /// and a query ends. 60 where not set, which ends nothing; no limit where it is 0 or less.
    public var timeoutIntervalForRequest: TimeInterval {
        get { settings.timeoutIntervalForRequest ?? 60 }
        set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds from when the operation is added, with the time that it waits in its queue; as above. A week where not
    /// set, which ends nothing.
    public var timeoutIntervalForResource: TimeInterval {
        get { settings.timeoutIntervalForResource ?? 604_800 }
        set { state.withLock { $0.timeoutIntervalForResource = newValue } }
    }
}

/// Operations that an application sees as one task: they share settings, and nothing else.
public final class CKOperationGroup: NSObject, NSSecureCoding, Sendable {
    /// How much is expected to be sent or received.
    public enum TransferSize: Int, Sendable {
        /// Nothing is known about the size.
        case unknown = 0
        /// A size of that order. Kept, without effect.
        case kilobytes, megabytes, tensOfMegabytes, hundredsOfMegabytes
        /// A size of that order. Kept, without effect.
        case gigabytes, tensOfGigabytes, hundredsOfGigabytes
    }

    private struct State {
        var defaultConfiguration = CKOperation.Configuration()
        var name: String?
        var quantity = 0
        var expectedSendSize = TransferSize.unknown
        var expectedReceiveSize = TransferSize.unknown
    }

    /// Names the group; different for each.
    public let operationGroupID: String
    private let state: Mutex<State>

    /// A group without a name, whose operations have the usual settings.
    public convenience override init() { self.init(UUID().uuidString, State()) }

    private init(_ id: String, _ state: State) {
        operationGroupID = id
        self.state = Mutex(state)
        super.init()
    }

    // MARK: Archives

    private struct Coded: Codable {
        let id: String
        let name: String?
        let quantity, sent, received: Int
    }
    private static let key = "CKOperationGroup"
    /// True: a group can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    /// Writes all but the settings of operations.
    public func encode(with coder: NSCoder) {
        let coded = state.withLock {
            Coded(
                id: operationGroupID, name: $0.name, quantity: $0.quantity, sent: $0.expectedSendSize.rawValue,
                received: $0.expectedReceiveSize.rawValue)
        }
        coder.encode(value: coded, for: Self.key)
    }

    /// `nil` where no group was archived.
    public convenience init?(coder: NSCoder) {
        guard let coded: Coded = coder.value(for: Self.key), let sent = TransferSize(rawValue: coded.sent),
            let received = TransferSize(rawValue: coded.received)
        else { return nil }
        var state = State()
        (state.name, state.quantity) = (coded.name, coded.quantity)
        (state.expectedSendSize, state.expectedReceiveSize) = (sent, received)
        self.init(coded.id, state)
    }

    // MARK: Settings

    /// Settings of the operations that do not have their own.
    public var defaultConfiguration: CKOperation.Configuration {
        get { state.withLock { $0.defaultConfiguration } }
        set { state.withLock { $0.defaultConfiguration = CKOperation.Configuration(newValue.settings) } }
    }

    /// What the application calls the group.
    public var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// How many operations or items the application counts in the group.
    public var quantity: Int {
        get { state.withLock { $0.quantity } }
        set { state.withLock { $0.quantity = newValue } }
    }

    /// How much the operations are expected to send. Kept, without effect.
    public var expectedSendSize: TransferSize {
        get { state.withLock { $0.expectedSendSize } }
        set { state.withLock { $0.expectedSendSize = newValue } }
    }

    /// How much the operations are expected to receive. Kept, without effect.
    public var expectedReceiveSize: TransferSize {
        get { state.withLock { $0.expectedReceiveSize } }
        set { state.withLock { $0.expectedReceiveSize = newValue } }
    }
}
