public import Foundation

/// What a finished child process left behind.
public struct ChildResult: Sendable {
    public let exitCode: Int32
    public let output: Data
    public let errorOutput: Data

    public var text: String { String(decoding: output, as: UTF8.self) }
    public var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
}

/// Runs `executable` (a path, or a name on `PATH`) to its end; its whole output is returned.
///
/// Output goes through files, so a child that writes a lot never blocks on a full pipe.
public func run(
    _ executable: String, _ arguments: [String] = [], input: Data? = nil, environment: [String: String] = [:],
    in folder: URL? = nil
) throws -> ChildResult {
    let scratch = try TemporaryFolder()
    let process = Process()
    if executable.contains("/") {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
    } else {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [executable] + arguments
    }
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let inputFile = try scratch.write(input ?? Data(), to: "input")
    let outputFile = try scratch.write(Data(), to: "output")
    let errorFile = try scratch.write(Data(), to: "error")
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    process.standardError = try FileHandle(forWritingTo: errorFile)
    try process.run()
    process.waitUntilExit()
    return ChildResult(
        exitCode: process.terminationStatus, output: try Data(contentsOf: outputFile),
        errorOutput: try Data(contentsOf: errorFile))
}
