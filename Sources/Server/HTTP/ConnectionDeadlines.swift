#if canImport(Glibc)
    import Glibc
#endif

/// How long a connection may take for each thing it does; then it is cut, whether or not bytes still drip in.
public struct ConnectionDeadlines: Sendable {
    /// From opening a connection to the end of its first request, and from a later request's first line to its end.
    public var requestMilliseconds: Int64
    /// From the end of an answer to the first line of the next request on the same connection.
    public var idleMilliseconds: Int64
    /// For the client to take an answer.
    public var answerMilliseconds: Int64
    /// For the database lane to begin a request; then it is answered 503 and never done.
    public var laneMilliseconds: Int64

    /// The deadlines of a server that is not told others.
    public static let standard = ConnectionDeadlines(
        requestMilliseconds: Limits.requestMilliseconds, idleMilliseconds: Limits.idleMilliseconds,
        answerMilliseconds: Limits.answerMilliseconds, laneMilliseconds: Limits.laneMilliseconds)
}

/// Milliseconds of a clock that only goes forward, at the pace of real time.
///
/// For deadlines of connections alone: what a request means is decided by `Environment.now`, which may be shifted.
func uptimeMilliseconds() -> Int64 {
    var time = timespec()
    // The coarse clock is a read of memory, and 4 ms of error do not matter here.
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
