import CampaignCore
import FoundationEssentials
import Storage
import YAML

/// One run of `codes import`.
struct CodesImport {
    let files: InputFiles
    let terms: CodeBatchTerms
    let quota: CodeQuota
    let appAppleId: AppAppleID
    let now: Instant
    let isDryRun: Bool
    let rejected: RejectedLines
    let output: Output

    /// What the import came to; nil when a line was refused.
    mutating func run(into store: Store) throws(CommandError) -> CodeImportResult? {
        do throws(CodesImportFailure) {
            if let known = try knownSource(in: store) { return .unchanged(known) }
            return try load(into: store)
        } catch {
            throw error.commandError
        }
    }

    /// The batch that was loaded from these very files, which then need not be read as codes.
    private func knownSource(in store: Store) throws(CodesImportFailure) -> LoadedCodes? {
        guard files.bytes > 0 else { return nil }
        let isLikely = try storage { () throws(StorageError) in
            try CodeImport.hasBatch(
                ofBytes: files.bytes, bundleId: terms.bundleId, environment: terms.environment, in: store)
        }
        guard isLikely else { return nil }
        var sources: [CodeSource] = []
        for path in files.paths {
            sources.append(try command { () throws(CommandError) in try CodeFile.source(of: path) })
        }
        return try storage { () throws(StorageError) in try CodeImport.known(CodeSource(sources), terms, in: store) }
    }

    private func load(into store: Store) throws(CodesImportFailure) -> CodeImportResult? {
        let codes = try storage { () throws(StorageError) in try CodeImport(into: store) }
        var progress = CodesProgress()
        var sources: [CodeSource] = []
        for (index, path) in files.paths.enumerated() {
            let file = CodeFile(path, appAppleId: appAppleId)
            let before = files.bytesBefore(path)
            let source = try command { () throws(CommandError) in
                try file.read(
                    { read, line throws(CommandError) in
                        switch read {
                        case .code(let code):
                            do throws(StorageError) {
                                try codes.add(code, at: CodePlace(file: index, line: line))
                            } catch {
                                throw CodesImportFailure.storage(error).commandError
                            }
                        case .fault(let fault):
                            try rejected.add(file: path, line: line, reason: fault.description)
                        }
                    },
                    progress: { bytes in
                        if let text = progress.text(
                            "reading", codes: codes.count, done: before + bytes, of: files.bytes)
                        {
                            output.progress(text)
                        }
                    })
            }
            sources.append(source)
        }
        // Codes that the app has are told beside the lines that are none, so that one look finds all.
        let hasRefusedLines = rejected.count > 0
        var failure: CommandError?
        let result = try storage { () throws(StorageError) in
            try codes.finish(
                terms, source: CodeSource(sources), quota: quota, now: now, isDryRun: isDryRun || hasRefusedLines,
                conflict: { place, code, owner in
                    do throws(CommandError) {
                        try rejected.add(
                            file: files.paths[place.file], line: place.line,
                            reason: "the code \(code.masked) is \(owner.place(askedFor: terms.environment)) already")
                    } catch let caught {
                        failure = caught
                    }
                },
                progress: { step, done in
                    let name = step == .checking ? "checking" : "loading"
                    if let text = progress.text(name, codes: done, done: done, of: codes.count) {
                        output.progress(text)
                    }
                })
        }
        if let failure { throw .command(failure) }
        return hasRefusedLines ? nil : result
    }

    private func storage<Value>(_ body: () throws(StorageError) -> Value) throws(CodesImportFailure) -> Value {
        do throws(StorageError) { return try body() } catch { throw .storage(error) }
    }

    private func command<Value>(_ body: () throws(CommandError) -> Value) throws(CodesImportFailure) -> Value {
        do throws(CommandError) { return try body() } catch { throw .command(error) }
    }
}

/// What stopped an import.
enum CodesImportFailure: Error {
    case storage(StorageError)
    case command(CommandError)

    var commandError: CommandError {
        switch self {
        case .command(let error): error
        // A disk without space refuses the work like any other limit: nothing was changed.
        case .storage(.full(let path)), .storage(.transactionLost(because: .full(let path))):
            .refused(StorageError.full(path: path))
        case .storage(let error): .failed(error)
        }
    }
}
