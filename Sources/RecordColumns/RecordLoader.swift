// Takes records one by one: types, fields and their kinds are learnt on the way.

package import RecordModel

/// Makes segments of records that come one by one: `begin`, one `column(forKey:)` per field, then `commit` or
/// `rollBack`.
package final class RecordLoader {
    /// Bounds of what is taken, so that odd files end in an error and not in exhausted memory.
    package struct Limits: Hashable, Sendable {
        /// Different fields of all record types together.
        package var maximumFields = 4096
        /// Different record types.
        package var maximumTypes = 1024
        /// Record types of all zones together: each is a segment of its own.
        package var maximumSegmentTypes = 1 << 14
        /// Bytes of one field's text, or elements of its lists, after which a type goes on in a new segment.
        package var segmentExtent = 1 << 30
        /// Rows after which a type goes on in a new segment.
        package var segmentRows = 1 << 26

        package init() {}
    }

    private let keys: RecordKeys
    private let limits: Limits
    private let readsDates: Bool
    private let isWidening: Bool

    /// Field names of all types, each with a number.
    package let fieldNames: FieldNames

    private struct TypeKey: Hashable {
        let name: [UInt8]
        let zoneID: RecordZone.ID
    }

    private var types: [TypeBuilder] = []
    private var typePositions: [TypeKey: Int] = [:]
    private var typeNames: Set<[UInt8]> = []
    private var segments: [SegmentBuilder] = []
    private var current: TypeBuilder?
    /// The one of the record before: most records are of its type.
    private var lastType: TypeBuilder?
    private var currentOrigin = 0
    /// Bytes of records since it was last checked whether a segment is full.
    private var uncheckedBytes = 0

    /// What cells of CSV tell of their columns, for all types and zones.
    private var cells = CellColumns()

    private let addresses = AddressMap()
    private let origins = RunLengthMap()
    private let names = NameIndex()
    private let greatestName = GreatestName()
    /// Whether a record gave a name of its own.
    package private(set) var hasNames = false
    /// Whether a record gave a type of its own.
    package var hasTypes = false

    /// A loader without records.
    ///
    /// - Parameters:
    ///   - readsDates: Whether texts of a field become dates if all of them read so, as those of files do.
    ///   - isWidening: Whether a field takes values of kinds that do not mix, each as it is, instead of an error.
    package init(
        keys: RecordKeys = RecordKeys(), limits: Limits = Limits(), readsDates: Bool = true, isWidening: Bool = false
    ) {
        self.isWidening = isWidening
        self.keys = keys
        self.limits = limits
        self.readsDates = readsDates
        fieldNames = FieldNames(limit: limits.maximumFields)
    }

    /// What a record is reckoned to take beside its bytes, so that tiny records fill segments too.
    private static let recordOverhead = 32

    /// Number of records so far.
    package var count: Int { addresses.count }

    /// About how many bytes the segments of the records so far will take, text before it is put into dictionaries.
    /// - Complexity: O(segments · fields).
    package var byteCount: Int {
        segments.reduce(count * Self.recordOverhead) { $0 + $1.byteCount }
    }

    // MARK: Records

    /// Begins a record of a type with a name; its row takes no value until `commit`.
    /// - Throws: `ColumnError` of kind `duplicateName`, `tooManyTypes` or `tooManyZones`; then no record is begun.
    package func begin(
        type: UnsafeBufferPointer<UInt8>, name: UnsafeBufferPointer<UInt8>, zoneID: RecordZone.ID? = nil, origin: Int
    ) throws(ColumnError) {
        let builder = try unsafe typeBuilder(type, zoneID: zoneID ?? .default)
        lastType = builder
        if unsafe !greatestName.rises(to: name), let first = unsafe position(named: name, zoneID: builder.zoneID) {
            throw ColumnError(.duplicateName(first: origins[first]))
        }
        guard unsafe builder.segment.names.append(name) else { throw ColumnError(.tooLarge) }
        current = builder
        currentOrigin = origin
    }

    /// The record of a zone with a name.
    private func position(named name: UnsafeBufferPointer<UInt8>, zoneID: RecordZone.ID) -> Int? {
        func withName<Result>(_ position: Int, _ body: (TextColumn, Int, SegmentBuilder) -> Result) -> Result {
            let address = addresses[position]
            let segment = segments[address.segment]
            return body(segment.names.column, address.row, segment)
        }
        return unsafe names.position(
            ByteHash.hash(name), among: count,
            hash: { withName($0) { names, row, _ in unsafe names.withBytes(row) { unsafe ByteHash.hash($0) } } },
            where: {
                withName($0) { names, row, segment in
                    unsafe names.equals(row, name) && segment.zoneID == zoneID
                }
            })
    }

    /// The row of the record that was begun, within its segment.
    package var row: Int { current?.segment.count ?? 0 }

    /// The columns of the record's type by the number of their field's name, as far as there are some by now:
    /// what `column(forKey:)` gives, for those who need it often.
    package var columnsByKey: [ColumnBuilder?] { current?.columnsByKey ?? [] }

    /// The column of the record's type for a field, to append at `row`.
    package func column(forKey number: Int) -> ColumnBuilder {
        guard let current else {
            return ColumnBuilder(shape: FieldInference(name: fieldNames[number]))
        }
        return current.column(forKey: number, name: fieldNames[number], origin: currentOrigin)
    }

    /// Ends the record, of about that many bytes: it counts now.
    package func commit(bytes: Int) {
        guard let builder = current else { return }
        let segment = builder.segment
        addresses.append(segment: segment.index, row: segment.count)
        origins.append(currentOrigin)
        segment.positions.append(addresses.count - 1)
        segment.count += 1
        current = nil
        uncheckedBytes += bytes + Self.recordOverhead
        if segment.count >= limits.segmentRows || uncheckedBytes > limits.segmentExtent / 4 {
            uncheckedBytes = 0
            for type in types where type.segment.isFull(limits) { seal(type) }
        }
    }

    /// Takes the record back, with whatever it taught about its fields.
    package func rollBack() {
        current?.rollBack(origin: currentOrigin)
        current = nil
    }

    /// Adds a record, fields in order of name.
    /// - Throws: `ColumnError`; then the record does not count.
    package func append(_ record: Record, origin: Int) throws(ColumnError) {
        let type = Array(record.type.utf8)
        let name = Array(record.id.recordName.utf8)
        unsafe try type.withUnsafeBufferPointer { type throws(ColumnError) in
            unsafe try name.withUnsafeBufferPointer { name throws(ColumnError) in
                try unsafe begin(type: type, name: name, zoneID: record.id.zoneID, origin: origin)
            }
        }
        do throws(ColumnError) {
            for (field, value) in record.fields.sorted(by: { $0.key < $1.key }) {
                let column = column(forKey: try fieldNames.number(of: field))
                try column.append(value, row: row, origin: origin)
            }
        } catch {
            rollBack()
            throw error
        }
        noteName()
        hasTypes = true
        commit(bytes: 1 << 16)
    }

    /// Notes that the record that was begun gave its name.
    package func noteName() {
        hasNames = true
        current?.hasNames = true
    }

    /// Has the columns of new types and zones be others than those before, also where their names are equal.
    package func separateColumns() { cells = CellColumns() }

    private func typeBuilder(
        _ type: UnsafeBufferPointer<UInt8>, zoneID: RecordZone.ID
    ) throws(ColumnError) -> TypeBuilder {
        if let lastType, unsafe lastType.matches(type, zoneID: zoneID) { return lastType }
        let key = TypeKey(name: unsafe Array(type), zoneID: zoneID)
        if let position = typePositions[key] { return types[position] }
        guard typeNames.count < limits.maximumTypes || typeNames.contains(key.name) else {
            throw ColumnError(.tooManyTypes(limit: limits.maximumTypes))
        }
        guard types.count < limits.maximumSegmentTypes else {
            throw ColumnError(.tooManyZones(limit: limits.maximumSegmentTypes))
        }
        typeNames.insert(key.name)
        typePositions[key] = types.count
        let segment = SegmentBuilder(index: segments.count, zoneID: zoneID)
        segments.append(segment)
        let builder = TypeBuilder(
            name: key.name, zoneID: zoneID, segment: segment, readsDates: readsDates, isWidening: isWidening,
            cells: cells)
        types.append(builder)
        return builder
    }

    private func seal(_ builder: TypeBuilder) {
        let segment = SegmentBuilder(index: segments.count, zoneID: builder.zoneID)
        segments.append(segment)
        builder.continue(in: segment)
    }

    // MARK: The end

    /// The fields that were widened, those of each type in order.
    package var mixtures: [KindMixture] { types.flatMap(\.mixtures) }

    /// All records committed. The loader is of no use afterwards.
    package func finish() -> LoadedSegments {
        rollBack()
        // The fields of one type alone are read as they are finished.
        if types.count > 1 { CellColumn.settle(types.flatMap { $0.fieldsOfCells($0.segments(among: segments)) }) }
        let built = types.map { ($0, $0.finish($0.segments(among: segments))) }
        var schemas: [RecordSchema] = []
        var sealed: [Int: Segment] = [:]
        for (type, result) in built where type.hasRecords {
            if let known = schemas.firstIndex(where: { $0.recordType == result.schema.recordType }) {
                for var field in result.schema.fields {
                    if let type = schemas[known].type(of: field.name) { field.type = type.covering(field.type) }
                    schemas[known].define(field)
                }
            } else {
                schemas.append(result.schema)
            }
            for (index, segment) in result.segments { sealed[index] = segment }
        }
        // A type whose records were all taken back leaves an empty segment.
        let kept = segments.indices.filter { (sealed[$0]?.count ?? 0) > 0 }
        let named = Set(built.flatMap { type, result in type.hasNames ? result.segments.map(\.0) : [] })
        var numbers = [Int](repeating: 0, count: segments.count)
        for (number, index) in kept.enumerated() { numbers[index] = number }
        return LoadedSegments(
            keys: keys, hasNames: hasNames, hasTypes: hasTypes,
            namedSegments: Set(kept.indices.filter { named.contains(kept[$0]) }),
            segments: kept.compactMap { sealed[$0] },
            positions: kept.map { segments[$0].positions },
            addresses: kept.count == segments.count ? addresses : addresses.renumbered(numbers),
            origins: OriginMap(numbers: origins), schemas: schemas)
    }
}
