import Foundation
import TestSupport
import Testing

/// An installation that trusts a private App Store, with a simulated year of a few subscribers in files.
struct SimulatedYear {
    let installation: Installation
    /// `{"signedPayload": …}` a line.
    let lines: [String]
    /// What is true of each subscriber at the end: the columns of `truth.csv` by its id.
    let truth: [String: [String]]

    static let ends = "2027-01-01T00:00:00Z"

    init(subscribers: Int = 12, seed: Int = 7) throws {
        let installation = try Installation()
        let made = try installation.holdfast(
            "simulate", "--subscribers", "\(subscribers)", "--seed", "\(seed)", "--from", "2026-01-01T00:00:00Z",
            "--output", "year.jsonl", "--truth", "truth.csv")
        try #require(made.exitCode == 0, "\(made.errorText)")
        try installation.edit(
            "# trust: { rootCertificates: [] }", "trust: { rootCertificates: [app-store/root.pem] }")
        self.installation = installation
        func text(_ file: String) throws -> String {
            try String(contentsOfFile: installation.folder.path(file), encoding: .utf8)
        }
        lines = try text("year.jsonl").split(separator: "\n").map(String.init)
        truth = Dictionary(
            uniqueKeysWithValues: try text("truth.csv").split(separator: "\n").dropFirst().map { row in
                let cells = row.split(separator: ",").map(String.init)
                return (cells[0], cells)
            })
    }

    /// The subscribers that stand as `status` at the end.
    func ids(_ status: String) -> [String] { truth.filter { $0.value[1] == status }.keys.sorted() }

    /// Takes the whole year in.
    func imported() throws -> SimulatedYear {
        let result = try installation.holdfast("notifications", "import", "year.jsonl")
        try #require(result.exitCode == 0, "\(result.errorText)")
        return self
    }

    /// Counts that an import wrote as JSON.
    func imports(_ paths: String...) throws -> [String: Int] {
        let result = try run(
            Surroundings.holdfast, ["notifications", "import"] + paths + ["--format", "json"],
            environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
        return try #require(try object(result) as? [String: Int], "\(result.errorText)")
    }

    /// Runs SQL in the database with the sqlite3 program and gives what it prints.
    @discardableResult
    func sql(_ statement: String) throws -> String {
        let result = try run("sqlite3", [installation.folder.path("holdfast.sqlite"), statement])
        try #require(result.exitCode == 0, "\(result.errorText)")
        return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
