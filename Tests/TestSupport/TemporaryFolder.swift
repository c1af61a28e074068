public import Foundation

/// A folder that is removed together with this object.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes `data` to the file `name` with mode `mode` and returns where it is.
    @discardableResult
    public func write(_ data: Data, to name: String, mode: Int = 0o600) throws -> URL {
        let file = url.appendingPathComponent(name)
        try data.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file
    }

    @discardableResult
    public func write(_ text: String, to name: String, mode: Int = 0o600) throws -> URL {
        try write(Data(text.utf8), to: name, mode: mode)
    }
}
