import CampaignCore
@preconcurrency import Glibc
import PrivateAppStore

/// Where the notifications of a simulation go: a file, standard output, a server, or several of them.
final class NotificationSinks {
    private let file: NewFile?
    private let writesToOutput: Bool
    private let poster: NotificationPoster?
    private let truth: NewFile?

    init(
        file: String?, post: String?, truth: String?, arguments: Arguments, output: Output
    ) throws(CommandError) {
        writesToOutput = file == "-" || file == nil && post == nil
        if let post {
            guard let target = NotificationPoster.Target(post) else {
                throw arguments.wrongUsage("'\(post)' is no server on this machine; write http://127.0.0.1:8080")
            }
            poster = try NotificationPoster(target)
        } else {
            poster = nil
        }
        self.file = writesToOutput ? nil : try file.map { path throws(CommandError) in try NewFile(path) }
        self.truth = try truth.map { path throws(CommandError) in try NewFile(path) }
        try self.truth?.write("originalTransactionId,status,autoRenewStatus,productId,expiresDate\n")
    }

    func write(_ signedPayload: String, _ output: Output) throws(CommandError) {
        // A compact JWS has nothing that JSON escapes.
        let body = "{\"signedPayload\":\"\(signedPayload)\"}"
        if writesToOutput { output.write(body + "\n") }
        try file?.write(body + "\n")
        try poster?.post(body)
    }

    func write(_ truth: SimulatedTruth, of life: SimulatedLife) throws(CommandError) {
        guard let file = self.truth else { return }
        let autoRenew = truth.autoRenewStatus == .on ? "on" : "off"
        try file.write(
            "\(life.originalTransactionId),\(truth.status.rawValue),\(autoRenew),\(truth.productId),"
                + "\(truth.expiresDate.millisecondsSince1970)\n")
    }

    /// Waits for the last answers and finishes the files; `.refused` when a server did not take everything.
    func finish(_ output: Output) throws(CommandError) -> ExitCode {
        try file?.close()
        try truth?.close()
        guard let poster else { return .done }
        try poster.finish()
        for (status, count) in poster.counts.sorted(by: { $0.key < $1.key }) {
            output.note("the server answered \(status) to \(count) notifications\n")
        }
        return poster.counts.keys.allSatisfy { $0 == 200 } ? .done : .refused
    }
}

/// A file that did not exist before, written in large pieces.
private final class NewFile {
    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ path: String) throws(CommandError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .refused("'\(path)' exists already; move it away or choose another name") }
            throw .failed("cannot write '\(path)': \(String(cString: strerror(errno))); check the folder and its mode")
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    func write(_ text: String) throws(CommandError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Limits.outputBufferBytes { try flush() }
    }

    func close() throws(CommandError) {
        try flush()
    }

    private func flush() throws(CommandError) {
        if let failure = writeAll(buffer, to: descriptor) {
            throw .failed("cannot write '\(path)': \(String(cString: strerror(failure))); check the disk")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
