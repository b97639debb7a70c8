// The functions that libFuzzer calls. They are there only where .ci/fuzz builds; one program holds all targets.

#if FUZZING
    import Glibc
    import Synchronization

    /// What one process fuzzes, and what became of its inputs.
    private enum Fuzzing {
        static let target: FuzzTarget = {
            // SAFETY: the environment is read before there are other threads.
            let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
            guard let target = FuzzTarget.named(name) else {
                print("FUZZ_TARGET names no target: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
                exit(2)
            }
            atexit {
                let (accepted, runs) = Fuzzing.counts.withLock { $0 }
                print("\(Fuzzing.target.name): \(runs) inputs, \(accepted) of them accepted")
                ScratchFolder.remove()
            }
            return target
        }()
        static let counts = Mutex((accepted: 0, runs: 0))
    }

    @_silgen_name("LLVMFuzzerMutate")
    private func libFuzzerMutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

    /// Begins: writes the inputs to begin with where they are wanted.
    @_cdecl("LLVMFuzzerInitialize")
    public func fuzzInitialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
        // SAFETY: the environment is read before there are other threads.
        guard let folder = unsafe getenv("FUZZ_SEEDS").map({ unsafe String(cString: $0) }) else { return 0 }
        return Replay.writeSeeds(of: Fuzzing.target, into: folder) ? 0 : 1
    }

    /// Runs one input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        // SAFETY: libFuzzer gives that many bytes.
        let outcome = Fuzzing.target.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        Fuzzing.counts.withLock { counts in
            counts.runs += 1
            if outcome == .accepted { counts.accepted += 1 }
        }
        if case .finding(let finding) = outcome {
            print("FINDING \(Fuzzing.target.name): \(finding)")
            fflush(nil)
            abort()
        }
        // Few inputs that were refused are worth mutations of their own: most of what they lead to is refused, too.
        return outcome == .rejected && count % 8 != 0 ? -1 : 0
    }

    /// Makes an input like another one.
    @_cdecl("LLVMFuzzerCustomMutator")
    public func fuzzMutate(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt
    ) -> Int {
        let target = Fuzzing.target
        var generator = SeededGenerator(seed: UInt64(seed))
        // A quarter is libFuzzer's own, which knows what comparisons asked for.
        guard let mutated = target.mutated, !generator.oneIn(4) else {
            return unsafe libFuzzerMutate(bytes, count, min(limit, target.byteLimit))
        }
        let other = mutated(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)), &generator).prefix(limit)
        // SAFETY: the buffer has room for `limit` bytes.
        for (index, byte) in other.enumerated() { unsafe bytes[index] = byte }
        return other.count
    }
#endif
