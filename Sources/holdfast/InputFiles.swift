import FoundationEssentials
@preconcurrency import Glibc

/// The files that a line names: files themselves, those of folders, and standard input.
struct InputFiles {
    /// In the order of the line, those of a folder by name.
    let paths: [String]
    /// Of all regular files together; 0 when standard input is among them, because nobody knows how long it is.
    let bytes: Int64
    private let sizes: [Int64]

    /// Finds every file; a path that is neither a file nor a folder is refused.
    init(_ names: [String]) throws(CommandError) {
        var paths: [String] = []
        for name in names {
            if name != "-", isFolder(name) {
                paths += try Self.files(in: withoutTrailingSlashes(name))
            } else {
                paths.append(name)
            }
        }
        guard !paths.isEmpty else {
            throw .refused("there is no file in \(names.map { "'\($0)'" }.joined(separator: ", "))")
        }
        self.paths = paths
        sizes = paths.map { $0 == "-" ? 0 : fileSize($0) }
        bytes = paths.contains("-") ? 0 : sizes.reduce(0, +)
    }

    /// The bytes of the file at `path`; nil for standard input.
    func size(of path: String) -> Int64? {
        guard path != "-", let index = paths.firstIndex(of: path) else { return nil }
        return sizes[index]
    }

    /// The bytes of all files that come before `path`.
    func bytesBefore(_ path: String) -> Int64 {
        guard let index = paths.firstIndex(of: path) else { return 0 }
        return sizes[..<index].reduce(0, +)
    }

    /// Hidden files are none of ours.
    private static func files(in folder: String) throws(CommandError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw .failed("cannot read the folder '\(folder)'; check its mode")
        }
        var files: [String] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            if isFolder(path) { files += try Self.files(in: path) } else { files.append(path) }
        }
        return files
    }
}

private func fileSize(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
}
