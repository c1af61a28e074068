import Glibc

/// Locks of open file descriptions: they exclude those of every other process, and end with their descriptor.
enum FileLock {
    /// Whether the bytes could be locked for writing; it does not wait.
    static func take(_ descriptor: Int32, from first: Int64, count: Int64) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(first)
        range.l_len = off_t(count)
        return fcntl(descriptor, openFileLock, &range) == 0
    }

    /// `F_OFD_SETLK` of Linux, which the module of the C library leaves out.
    private static let openFileLock: Int32 = 37
}
