/// The sizes that this target keeps to, each with its reason.
enum Limits {
    /// Standard output is handed over in pieces of this size: big enough that a long CSV costs few system calls.
    static let outputBufferBytes = 64 * 1024

    /// Help is wrapped at this width, the narrowest terminal people use.
    static let helpColumns = 80
}
