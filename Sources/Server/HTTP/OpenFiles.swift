#if canImport(Glibc)
    import Glibc
#endif

/// How many files and sockets this process may have open.
enum OpenFiles {
    /// Raises this process's own limit to `wanted` as far as the system lets it, and gives the limit then in force.
    ///
    /// Shells and service managers start programs with 1024, which is fewer than the connections that we can hold.
    static func allow(_ wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let goal = min(rlim_t(wanted), limit.rlim_max)
        if limit.rlim_cur < goal {
            limit.rlim_cur = goal
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        }
        return Int(min(limit.rlim_cur, rlim_t(wanted)))
    }
}
