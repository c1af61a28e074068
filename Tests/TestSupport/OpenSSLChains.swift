import Foundation

/// The certificates of `Fixtures/Certificates/make-chains`, made once a process by the openssl command line.
public enum OpenSSLChains {
    private static let folder: Result<TemporaryFolder, any Error> = Result {
        let folder = try TemporaryFolder()
        let script = Surroundings.project.appendingPathComponent("Fixtures/Certificates/make-chains").path
        let made = try run(script, [folder.url.path])
        guard made.exitCode == 0 else { throw Failure(text: made.errorText) }
        return folder
    }

    struct Failure: Error {
        let text: String
    }

    public static func path(_ name: String) throws -> String { try folder.get().path(name) }

    public static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Whether `openssl verify` accepts the chain at `date`, in milliseconds, under the rules that ours are to follow.
    public static func accepts(leaf: String, intermediate: String, root: String, at date: Int64) throws -> Bool {
        let result = try run(
            "openssl",
            [
                "verify", "-x509_strict", "-auth_level", "2", "-attime", String(date / 1000),
                "-no-CApath", "-no-CAstore", "-CAfile", path("\(root).pem"),
                "-untrusted", path("\(intermediate).pem"), path("\(leaf).pem"),
            ])
        return result.exitCode == 0
    }
}

/// Milliseconds since 1970 of a UTC midnight.
public func midnight(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let date = calendar.date(from: DateComponents(year: year, month: month, day: day)) ?? .distantPast
    return Int64(date.timeIntervalSince1970) * 1000
}
