import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#endif

/// Notices that the files of a campaign folder have changed, once they are at rest.
///
/// An editor or a copy writes a file in several steps, so a change is told when two looks in a row find the same.
public struct CampaignFolderWatch: Sendable {
    public let folder: Configuration.CampaignFolder
    /// As it was when the campaigns were last read.
    private var read: [FileStamp]
    private var last: [FileStamp]

    /// What tells one state of a file from another; times are compared to the nanosecond, and a file that was put in
    /// another's place is another inode.
    private struct FileStamp: Hashable {
        let name: String
        let inode: UInt64
        let size: Int64
        let modifiedSeconds: Int64
        let modifiedNanoseconds: Int64
    }

    /// Takes the folder as it is now for what was read.
    public init(_ folder: Configuration.CampaignFolder) {
        self.folder = folder
        read = Self.look(at: folder.path)
        last = read
    }

    /// Whether the files are others than those read last, and the same as at the last look; they then count as read.
    public mutating func hasChanged() -> Bool {
        let found = Self.look(at: folder.path)
        defer { last = found }
        guard found == last, found != read else { return false }
        read = found
        return true
    }

    /// Its files that may hold campaigns, by name; empty for a folder that cannot be read.
    private static func look(at path: String) -> [FileStamp] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted().map { name in
            var status = stat()
            _ = stat("\(path)/\(name)", &status)
            return FileStamp(
                name: name, inode: UInt64(status.st_ino), size: Int64(status.st_size),
                modifiedSeconds: Int64(status.st_mtim.tv_sec), modifiedNanoseconds: Int64(status.st_mtim.tv_nsec))
        }
    }
}
