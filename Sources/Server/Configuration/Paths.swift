import Glibc

/// `path`, taken from `folder` when it is relative.
func absolute(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") { return path }
    let rest = path.hasPrefix("./") ? path.dropFirst(2) : path[...]
    return folder.hasSuffix("/") ? folder + rest : "\(folder)/\(rest)"
}

/// The part of an absolute path before its last slash.
func parentFolder(of path: String) -> String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
}

/// What stands at a path, links followed.
enum PathKind {
    case file
    case folder
    case other
    case absent

    init(at path: String) {
        var facts = stat()
        guard !path.utf8.contains(0), stat(path, &facts) == 0 else {
            self = .absent
            return
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }
}

/// Why a file was not read, in the system's words.
struct FileFault: Error {
    let reason: String

    static func last() -> FileFault {
        FileFault(reason: String(cString: strerror(errno)).lowercased())
    }
}

/// At most `limit` bytes from the start of the regular file at `path`.
///
/// A pipe or a device could hold the program for ever, so it is refused.
func firstBytes(ofFile path: String, limit: Int) throws(FileFault) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw FileFault(reason: "the path has a zero byte") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last() }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw .last() }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileFault(reason: "it is a directory")
    default: throw FileFault(reason: "it is a pipe or device, no regular file")
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while bytes.count < limit {
        let count = read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .last() }
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    return bytes
}
