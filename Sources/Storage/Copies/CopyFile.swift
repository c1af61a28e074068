import Glibc

/// The file `DATABASE.restoring`: held by one process from before the copy is made until it has its final name.
///
/// A restore that was killed leaves its file behind, with a log perhaps, which SQLite would take for that of a new file
/// of the same name. So the next restore needs to know whether the file is a left-over, which it empties, or the work of
/// a process that runs: that holds a lock, which ends with the process however it ends.
final class CopyFile {
    let path: String
    private let descriptor: Int32

    /// Makes the file, or empties a left-over of it and removes the files beside it; readable by its owner alone.
    ///
    /// Errors: `inUse` when another process works on it, and what the system says.
    init(_ path: String) throws(StorageError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFault(path: path) }
        do throws(StorageError) {
            guard FileLock.take(descriptor, from: Self.lockByte, count: 1), isStillThere else {
                throw .inUse(path: path)
            }
            for suffix in Self.suffixes { unlink(path + suffix) }
            guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else { throw .fileFault(path: path) }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Removes it with everything beside it.
    func remove() {
        for suffix in [""] + Self.suffixes { unlink(path + suffix) }
    }

    /// Whether nothing beside the file belongs to it, so that a rename takes all of it along.
    var isSelfContained: Bool {
        Self.suffixes.allSatisfy { access(path + $0, F_OK) != 0 }
    }

    /// Whether the path still names the opened file: between open and lock its maker may have given it its final name.
    private var isStillThere: Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    private static let suffixes = ["-journal", "-wal", "-shm"]

    /// Far behind every byte that SQLite locks or stores.
    private static let lockByte: Int64 = 1 << 62
}
