import Foundation
import Glibc

/// A `sqlite3` process that holds the write lock of a database until it is told to commit.
///
/// Sendable because the test waits for it before it does anything else with it.
final class LockHolder: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Returns when the lock is held; `statement` has run inside the transaction.
    init(of path: String, running statement: String = "SELECT 1") throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-batch", "-bail", path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try write("BEGIN IMMEDIATE; \(statement); SELECT 'held';\n")
        var text = ""
        while !text.contains("held") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw SQLite3Failed(text: "sqlite3 ended before it held the lock") }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    func finish() throws {
        try write("COMMIT;\n")
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SQLite3Failed(text: "sqlite3 could not commit") }
    }

    /// Ends the process as a power cut would, with its transaction open.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }
}
