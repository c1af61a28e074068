public import Foundation

/// Where the tests find what is not theirs.
public enum Surroundings {
    /// The folder that holds `Package.swift`.
    public static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Real inputs beside the project; tests that use them are skipped by name when they are absent.
    public static let shared = project.deletingLastPathComponent().appendingPathComponent("shared")
    public static let hasShared = FileManager.default.fileExists(atPath: shared.path)

    /// The StoreKit configuration files that Xcode wrote, by name.
    public static func storeKitFiles() throws -> [URL] { try files(in: "data/storekit", ending: "storekit") }

    /// The compact JWS of each real, Apple-signed notification, one a file.
    public static func realNotifications() throws -> [URL] { try files(in: "data/real-notifications", ending: "jws") }

    private static func files(in folder: String, ending: String) throws -> [URL] {
        try FileManager.default
            .contentsOfDirectory(at: shared.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == ending }
            .sorted { $0.path < $1.path }
    }

    /// The Python that `./setup test` prepares with Apple's App Store Server Library.
    public static let python = project.appendingPathComponent(".venv/bin/python").path

    /// The program under test, built beside the test bundle.
    public static let holdfast = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("holdfast").path
}
