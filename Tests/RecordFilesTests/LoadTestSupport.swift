// Loading from memory in tests.

@testable import RecordFiles

func load(_ text: String, name: String = "f.ndjson", _ change: (inout LoadOptions) -> Void = { _ in }) throws
    -> LoadedRecords
{
    try load(Array(text.utf8), name: name, change)
}

func load(_ bytes: [UInt8], name: String = "f.ndjson", _ change: (inout LoadOptions) -> Void = { _ in }) throws
    -> LoadedRecords
{
    var options = LoadOptions()
    change(&options)
    let reader = RecordFileReader(options: options)
    try reader.load(bytes: bytes, name: name)
    return reader.finish()
}
