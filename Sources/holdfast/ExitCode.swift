/// How the program ends, for scripts to read.
///
/// Source: design section 3; 64 is `EX_USAGE` of `sysexits.h`.
enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// A check found problems, or a limit or a row refused the work.
    case refused = 2
    case wrongUsage = 64
}
