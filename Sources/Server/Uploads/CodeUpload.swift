import CampaignCore
import Storage

/// One code file on its way in: kept beside the database piece by piece, then loaded.
///
/// One thread at a time has it: the event loop while bytes come, then the thread that loads it.
final class CodeUpload: @unchecked Sendable {
    private let spool: CodeSpool
    private let uploads: CodeUploads
    private let load: @Sendable (CodeSpool, CodeImportStop) -> Response

    /// - Parameter load: what is done with the whole file; it runs on a thread on which it may take its time.
    init(
        into spool: CodeSpool, of uploads: CodeUploads,
        load: @escaping @Sendable (CodeSpool, CodeImportStop) -> Response
    ) {
        self.spool = spool
        self.uploads = uploads
        self.load = load
    }

    deinit {
        uploads.leave()
    }

    /// Takes the next piece; the problem ends the upload.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Problem? {
        guard spool.bytes + Int64(bytes.count) <= Int64(Limits.uploadBytes) else {
            return Problem(.bodyTooLarge, "the body is over \(Limits.uploadBytes) bytes")
        }
        do throws(StorageError) {
            try spool.append(bytes)
            return nil
        } catch {
            return error.problem
        }
    }

    /// Loads what was received and gives the answer on another thread.
    func finish(_ answer: @escaping @Sendable (Response) -> Void) {
        let isQueued = uploads.submit { [self] in answer(load(spool, uploads.stopSignal)) }
        if !isQueued { answer(StorageError.stopped.problem.response) }
    }
}
