import Foundation
import TestSupport
import Testing

@testable import holdfast

/// The commands of the table with the words that lead to them, `[]` for the overview.
func everyPath(of commands: [Command] = commandTable, below path: [Command] = []) -> [[Command]] {
    commands.flatMap { [path + [$0]] + everyPath(of: $0.subcommands, below: path + [$0]) }
}

/// Help against `Fixtures/Help`, one file a command; `HOLDFAST_UPDATE_HELP=1 swift test` writes the files anew.
@Suite struct HelpTests {
    static let fixtures = Surroundings.project.appendingPathComponent("Fixtures/Help")
    static let updates = ProcessInfo.processInfo.environment["HOLDFAST_UPDATE_HELP"] == "1"
    static let paths = [[]] + everyPath().map { $0.map(\.name) }

    static func fixture(_ path: [String]) -> URL {
        let name = path.isEmpty ? "holdfast" : path.joined(separator: "-")
        return fixtures.appendingPathComponent(name + ".txt")
    }

    @Test(arguments: paths)
    func `help is what the fixture says`(path: [String]) throws {
        let result = try run(Surroundings.holdfast, path + ["--help"])
        #expect(result.exitCode == 0)
        #expect(result.errorText == "")
        #expect(try run(Surroundings.holdfast, ["help"] + path).output == result.output)
        let file = Self.fixture(path)
        if Self.updates {
            try FileManager.default.createDirectory(at: Self.fixtures, withIntermediateDirectories: true)
            try result.output.write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == result.text)
    }

    @Test func `no fixture is left over`() throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path).sorted()
        #expect(found == Self.paths.map { Self.fixture($0).lastPathComponent }.sorted())
    }

    @Test(arguments: paths)
    func `help fits a narrow terminal`(path: [String]) throws {
        let text = try run(Surroundings.holdfast, path + ["--help"]).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // An example is one line to paste, however long.
        #expect(lines.filter { $0.count > 80 && !$0.contains("  holdfast ") } == [])
    }

    @Test(arguments: everyPath().filter { $0.last?.body != nil }.map { $0.map(\.name) })
    func `every command has an example that parses`(path: [String]) throws {
        let command = try #require(everyPath().first { $0.map(\.name) == path }?.last)
        #expect(!command.examples.isEmpty)
        for example in command.examples {
            // The shell is the judge of how a pasted line falls into words.
            let shell = """
                exec 3>&1; holdfast() { printf '%s\\n' "$@" >&3; }
                SIGNATURE=MEQ= NONCE=20fba8a0-2b80-4a7d-a17f-85c1854727f8 TIME=1788609600000
                """
            let words = try run("sh", ["-c", shell + "\n" + example.line])
            #expect(words.exitCode == 0, "\(example.line)")
            let line = words.text.split(separator: "\n").map(String.init)
            guard case .run(_, let arguments) = try Request(line, commands: commandTable) else {
                Issue.record("'\(example.line)' runs nothing")
                continue
            }
            #expect(arguments.path == path)
        }
    }

    @Test func `an option of one name takes a value everywhere or nowhere`() {
        let byName = Dictionary(grouping: Request.everyOption(of: commandTable), by: \.name)
        for (name, options) in byName {
            #expect(Set(options.map(\.takesValue)).count == 1, "--\(name)")
        }
    }

    @Test func `the table keeps its own rules`() {
        for path in everyPath() {
            let names = path.map(\.name).joined(separator: " ")
            guard let command = path.last else { continue }
            #expect((command.body == nil) == !command.subcommands.isEmpty, "\(names)")
            #expect(!command.summary.hasSuffix("."), "\(names)")
            let options = command.allOptions.map(\.name)
            #expect(Set(options).count == options.count, "\(names)")
            #expect(command.arguments.dropLast().allSatisfy { $0.count == .one }, "\(names)")
        }
    }
}
