import Crypto
import Foundation
import TestSupport

/// The certificates of `Fixtures/Certificates/make-chains`, made once by the openssl command line.
enum OpenSSLChains {
    static let folder: Result<TemporaryFolder, any Error> = Result {
        let folder = try TemporaryFolder()
        let script = Surroundings.project.appendingPathComponent("Fixtures/Certificates/make-chains").path
        let made = try run(script, [folder.url.path])
        guard made.exitCode == 0 else { throw Failure(text: made.errorText) }
        return folder
    }

    struct Failure: Error {
        let text: String
    }

    static func path(_ name: String) throws -> String { try folder.get().path(name) }

    static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    static func certificate(_ name: String) throws -> Certificate {
        let all = try Certificate.all(in: file("\(name).pem"))
        guard all.count == 1 else { throw Failure(text: "\(name) is not one certificate") }
        return all[0]
    }

    /// Whether `openssl verify` accepts the chain at `date`, under the rules that we set it.
    static func accepts(leaf: String, intermediate: String, root: String, at date: Int64) throws -> Bool {
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
func midnight(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let date = calendar.date(from: DateComponents(year: year, month: month, day: day)) ?? .distantPast
    return Int64(date.timeIntervalSince1970) * 1000
}
