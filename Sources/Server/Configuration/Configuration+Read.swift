public import FoundationEssentials
import YAML

extension Configuration {
    /// The configuration file to read: `--config`, else `HOLDFAST_CONFIG`, else `holdfast.yaml` in the current folder.
    ///
    /// An empty variable counts as not set.
    public static func locate(option: String?, environment: [String: String]) -> String {
        if let option { return option }
        if let named = environment[ConfigurationLimits.environmentVariable], !named.isEmpty { return named }
        return ConfigurationLimits.fileName
    }

    /// Reads and checks the file at `path`, with all its faults at once: YAML, shape, values, and files it names that
    /// are not there. What those files hold is for a later step.
    ///
    /// A relative `path` starts at `currentFolder`; messages show it as given. A key that is empty, `~` or `null` is as good
    /// as absent, so it has its default where there is one.
    ///
    /// - Parameter requiringFiles: false accepts names of files that do not exist, for what needs none of them.
    public static func read(
        path: String, currentFolder: String = FileManager.default.currentDirectoryPath, requiringFiles: Bool = true
    ) throws(ConfigurationError) -> Configuration {
        let file = absolute(path, in: currentFolder)
        let bytes: [UInt8]
        do {
            // One byte more than YAML takes, so that it can tell that the file is too long.
            bytes = try firstBytes(ofFile: file, limit: YAMLLimits.fileBytes + 1)
        } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        let diagnostics = Diagnostics()
        let reader = ConfigurationReader(
            folder: parentFolder(of: file), requiresFiles: requiringFiles, diagnostics: diagnostics)
        let configuration = ValueReader(yaml: bytes, into: diagnostics).flatMap { reader.configuration($0, path: path) }
        guard var configuration, !diagnostics.hasErrors else {
            throw .refused(path: path, diagnostics.all)
        }
        configuration.warnings = diagnostics.all
        return configuration
    }
}
