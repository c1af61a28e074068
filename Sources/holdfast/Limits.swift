/// The sizes that this target keeps to, each with its reason.
enum Limits {
    /// Standard output is handed over in pieces of this size: big enough that a long CSV costs few system calls.
    static let outputBufferBytes = 64 * 1024

    /// Help is wrapped at this width, the narrowest terminal people use.
    static let helpColumns = 80

    /// A StoreKit configuration file is judged by its reader, which takes at most 16 MiB; this only bounds the memory.
    static let catalogFileBytes = 32 * 1024 * 1024
}
