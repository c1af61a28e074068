@preconcurrency import Glibc
import YAML

/// The lines of an import that were refused: the first ones are told, all of them are written to a file when there is
/// one.
final class RejectedLines {
    private let output: Output
    private let descriptor: Int32?
    private var buffer: [UInt8] = []
    private let path: String
    private(set) var count = 0

    /// `path` is nil for no file; a file that is there already is left as it is and refused.
    init(file path: String?, output: Output) throws(CommandError) {
        self.output = output
        self.path = path ?? ""
        guard let path else {
            descriptor = nil
            return
        }
        try writeNewFile(path, "file,line,reason\n", mode: 0o600)
        let opened = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard opened >= 0 else { throw .failed("cannot write '\(path)'; check the folder and its mode") }
        descriptor = opened
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    func add(file: String, line: Int64, reason: String) throws(CommandError) {
        count += 1
        if count <= Limits.refusedCodesTold {
            output.progress("")
            output.error("\(shown(file, limit: Limits.quotedPath)):\(line): \(reason)")
        }
        guard descriptor != nil else { return }
        buffer += "\(csvCell(file)),\(line),\(csvCell(reason))\n".utf8
        if buffer.count >= Limits.outputBufferBytes { try flush() }
    }

    /// Says how many more there are, and closes the file; one without a line is removed.
    func finish() throws(CommandError) {
        try flush()
        if count > Limits.refusedCodesTold {
            let more = count - Limits.refusedCodesTold
            output.error(
                "\(more) more lines were refused"
                    + (descriptor == nil ? "; '--rejects FILE' writes all" : "; all are in '\(path)'"))
        }
        if count == 0, descriptor != nil { unlink(path) }
    }

    private func flush() throws(CommandError) {
        guard let descriptor, !buffer.isEmpty else { return }
        if let failure = writeAll(buffer, to: descriptor) {
            throw .failed("cannot write '\(path)': \(String(cString: strerror(failure))); check the disk")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
