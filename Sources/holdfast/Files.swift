@preconcurrency import Glibc

/// Reads the file at `path`, or standard input when `path` is `-`.
///
/// Throws `.failed` when it cannot be read, is larger than `limit` bytes, or is no regular file: a named pipe could be
/// waited for without end.
func readFile(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .failed("cannot read '\(path)': \(reason()); check the path and its mode") }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    guard descriptor == STDIN_FILENO || isRegularFile(descriptor) else {
        throw .failed("cannot read '\(path)': it is no regular file; name one, or '-' for standard input")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = read(descriptor, &piece, piece.count)
        if count == 0 { return bytes }
        if count < 0 {
            if errno == EINTR { continue }
            throw .failed("cannot read '\(path)': \(reason()); check the path and its mode")
        }
        bytes += piece.prefix(count)
        guard bytes.count <= limit else {
            throw .failed("'\(path)' has more than \(limit) bytes, the most that is read; give another file")
        }
    }
}

/// Writes a file that does not exist yet; an existing one is left as it is and refused.
func writeNewFile(_ path: String, _ text: String, mode: mode_t = 0o644) throws(CommandError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
        if errno == EEXIST { throw .refused("'\(path)' exists already; move it away or choose another folder") }
        throw .failed("cannot write '\(path)': \(reason()); check the folder and its mode")
    }
    defer { close(descriptor) }
    if let failure = writeAll(Array(text.utf8), to: descriptor) {
        throw .failed("cannot write '\(path)': \(String(cString: strerror(failure))); check the disk")
    }
}

/// Makes the folder at `path` and those above it; one that is there already is fine.
func makeFolder(_ path: String) throws(CommandError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
        made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
        if mkdir(made, 0o755) != 0, errno != EEXIST {
            throw .failed("cannot make the folder '\(made)': \(reason()); check the path and its mode")
        }
    }
    guard isFolder(path) else { throw .refused("'\(path)' is no folder; choose another path") }
}

/// The path of `folder` without slashes at its end, so that names can be put behind one.
func withoutTrailingSlashes(_ folder: String) -> String {
    var path = folder
    while path.hasSuffix("/"), path != "/" { path.removeLast() }
    return path
}

func fileExists(_ path: String) -> Bool {
    // A link to nowhere exists too, and would be in the way.
    var status = stat()
    return lstat(path, &status) == 0
}

private func isRegularFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}

func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Writes all of `bytes`; the error number when that fails.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// Occupies standard input, output and error where they are closed, so that no file or connection is opened in their
/// place and then written to; reading or writing what was closed still fails.
func holdStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
        // The lowest free number is taken, which is this one.
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

private func reason() -> String { String(cString: strerror(errno)) }
