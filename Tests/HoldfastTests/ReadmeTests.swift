import Foundation
import TestSupport
import Testing

/// The README is part of the product: every command block in it is run as it is printed.
@Suite(.serialized) struct `README` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("holdfast"), withDestinationPath: Surroundings.holdfast)
    }

    private static let text =
        (try? String(contentsOf: Surroundings.project.appendingPathComponent("README.md"), encoding: .utf8)) ?? ""

    /// The fenced blocks of one language, without their fences.
    private static func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
    }

    /// Runs a block as a person would paste it, with our program found first.
    private func paste(_ script: String, _ environment: [String: String] = [:]) throws -> ChildResult {
        let path = "\(folder.url.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        return try run(
            "bash", ["-euo", "pipefail", "-c", script], environment: environment.merging(["PATH": path]) { $1 },
            in: folder.url)
    }

    @Test func `has these command blocks and no others, so that none goes untested`() {
        #expect(
            Self.blocks("sh") == [
                "./setup && swift run -c release holdfast demo", "./setup test && swift test", "holdfast init reader",
                """
                holdfast doctor --config reader/holdfast.yaml
                holdfast key create --role client --name shop --config reader/holdfast.yaml
                holdfast serve --config reader/holdfast.yaml
                """, "holdfast verify --reply reply.json --config reader/holdfast.yaml",
            ])
        #expect(Self.blocks("console").count == 3)
    }

    @Test func `the campaign that it shows has no fault, and fits the demo's catalogue`() throws {
        let blocks = Self.blocks("yaml")
        try #require(blocks.count == 1)
        try folder.write(blocks[0] + "\n", to: "keep-readers.yaml")
        let alone = try paste("holdfast campaign check keep-readers.yaml")
        #expect(alone.exitCode == 0 && alone.text == "", "\(alone.text)\(alone.errorText)")
        #expect(try paste("holdfast demo --once --directory kept --subscribers 1").exitCode == 0)
        let fitting = try paste("holdfast campaign check keep-readers.yaml --config kept/holdfast.yaml")
        #expect(fitting.exitCode == 0 && fitting.text == "", "\(fitting.text)\(fitting.errorText)")
    }

    @Test func `the first command installs what is missing and runs a demo`() throws {
        let block = Self.blocks("sh")[0]
        // The program is built already, by the very command that runs this test; '--once' makes the demo end.
        let script = block.replacing("swift run -c release holdfast", with: "holdfast") + " --once"
        let result = try paste("cd '\(Surroundings.project.path)' && \(script)")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.text.hasSuffix("all 18 jobs done and verified\n"), "\(result.text)")
    }

    @Test func `the second command is the one that a change must pass`() throws {
        let ci = try String(contentsOf: Surroundings.project.appendingPathComponent(".ci/run"), encoding: .utf8)
        #expect(ci.contains("\nif ! { \(Self.blocks("sh")[1]); } 2>&1 | tee "))
        #expect(try paste("cd '\(Surroundings.project.path)' && ./setup test").exitCode == 0)
    }

    @Test func `the session at the top shows what the demo answers`() throws {
        let demo = try RunningDemo(in: folder)
        let block = Self.blocks("console")[0]
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
        let end = try #require(lines.firstIndex { $0.contains("| jq ") })
        let command = String(lines[...end].joined(separator: "\n").dropFirst(2))
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(demo.port)")
        let result = try paste(command, ["KEY": demo.key])
        #expect(result.text == (lines[(end + 1)...] + [""]).joined(separator: "\n"), "\(result.errorText)")
    }

    @Test(arguments: [(block: 1, steps: 6), (block: 2, steps: 5)])
    func `the sessions about subscribers and codes show what a kept demo answers`(block: Int, steps count: Int) throws {
        let demo = try RunningDemo(in: folder, "--directory", "try", "--subscribers", "2")
        // One shell for all of it, as a person has; the marks tell the answers apart.
        let steps = Self.steps(of: Self.blocks("console")[block])
        try #require(steps.count == count)
        let script = steps.map(\.command).joined(separator: "\necho ----\n")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(demo.port)")
        let result = try paste(script, ["KEY": demo.key])
        #expect(result.exitCode == 0, "\(result.errorText)")
        let answers = result.text.components(separatedBy: "----\n")
        try #require(answers.count == steps.count, "\(result.text)")
        for (step, answer) in zip(steps, answers) { #expect(answer == step.answer, "\(step.command)") }
    }

    /// Each command of a session, also one of several lines, with what follows it.
    private static func steps(of session: String) -> [(command: String, answer: String)] {
        ("\n" + session).components(separatedBy: "\n$ ").dropFirst().map { step in
            let lines = step.components(separatedBy: "\n")
            let end = lines.firstIndex { !$0.hasSuffix("\\") } ?? lines.count - 1
            let answer = lines[(end + 1)...].map { $0 + "\n" }.joined()
            return (lines[...end].joined(separator: "\n"), answer)
        }
    }

    @Test func `what the demo prints can be pasted, and openssl verifies what it signs`() throws {
        let demo = try RunningDemo(in: folder)
        let commands = demo.page.components(separatedBy: "\n\n")
            .filter { $0.hasPrefix("curl") || $0.hasPrefix("jq") || $0.hasPrefix("/") }
        try #require(commands.count == 15)
        let results = try commands.map { try paste($0) }
        #expect(results.allSatisfy { $0.exitCode == 0 }, "\(results.map(\.errorText))")
        #expect(results[0].text.hasPrefix("{\"decision\":\"offered\""), "\(results[0].text)")
        #expect(try paste(commands[0]).text == results[0].text)
        #expect(results[1].text.hasPrefix("{\"decision\":\"refused\""), "\(results[1].text)")
        #expect(results[2].text == "Verified OK\n", "\(results[2].errorText)")
        #expect(results[3].text.contains("\"message\": \"saveOffer\""), "\(results[3].text)")
        #expect(results[4].text.contains("\"code\": \"stillSubscribed\""), "\(results[4].text)")
        #expect(results[5].text == "{\"outcome\":\"folded\"}")
        #expect(try paste(commands[5]).text == "{\"outcome\":\"duplicate\"}")
        for (result, status) in zip(
            results[6...], ["active, auto-renew off", "billingGracePeriod", "billingRetry", "expired", "revoked"])
        { #expect(result.text.firstMatch(of: /(?m)^status +(.*)$/)?.1.hasPrefix(status) == true, "\(result.text)") }
        #expect(results[11].text.contains("\"campaign\":\"keep-readers\",\"rule\":\"save\""), "\(results[11].text)")
        #expect(try paste(commands[11]).text == results[11].text)
        #expect(results[12].text.contains("\"code\":\"noRuleHolds\""), "\(results[12].text)")
        let claimed = try #require(results[13].text.firstMatch(of: /^{"decision":"granted".*"code":"([A-Z0-9]{18})"/))
        let again = try paste(commands[13].replacing("000000000004", with: "000000000005"))
        #expect(again.text.contains("\"code\":\"\(claimed.1)\""), "\(again.text)")
        #expect(results[14].text.contains("the books of 1 batch are right"), "\(results[14].text)")
    }

    @Test func `an app of one's own goes from init to a signature that verifies`() throws {
        let shell = Self.blocks("sh")
        #expect(try paste(shell[2]).exitCode == 0)
        // What CHECKLIST.txt says to fetch.
        let key = "reader/SubscriptionKey_ABC123DEFG.p8"
        let made = try paste(
            "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(key) && chmod 600 \(key)")
        #expect(made.exitCode == 0, "\(made.errorText)")
        try FileManager.default.copyItem(
            atPath: Surroundings.project.appendingPathComponent("Fixtures/Catalog/valid/Tide.storekit").path,
            toPath: folder.path("reader/Reader.storekit"))
        // Another server may have port 8080.
        let commands = shell[3].split(separator: "\n").map { String($0) }
        #expect(try paste("sed -i 's/^listen: .*/listen: 127.0.0.1:0/' reader/holdfast.yaml").exitCode == 0)
        let doctor = try paste(commands[0])
        #expect(doctor.exitCode == 0, "\(doctor.text)")
        #expect(try paste(commands[1]).text.hasPrefix("hf_client_"))
        let served = try paste("timeout --preserve-status -s TERM 2 \(commands[2])")
        #expect(served.exitCode == 0, "\(served.errorText)")
        #expect(served.text.hasPrefix("serving on http://127.0.0.1:") && served.text.hasSuffix("\nstopped\n"))
        let signed = try paste(
            "holdfast sign --product tide.monthly --offer save50 --format json --config reader/holdfast.yaml > reply.json"
        )
        #expect(signed.exitCode == 0, "\(signed.errorText)")
        let verified = try paste(shell[4])
        #expect(verified.exitCode == 0 && verified.text.hasPrefix("valid"), "\(verified.text)\(verified.errorText)")
    }
}

/// A demo that serves until this object goes.
private final class RunningDemo {
    let page: String
    let port: String
    let key: String
    private let process = Process()

    init(in folder: TemporaryFolder, _ options: String...) throws {
        let output = try folder.write("", to: "demo.out")
        process.executableURL = URL(fileURLWithPath: Surroundings.holdfast)
        process.arguments = ["demo", "--listen", "127.0.0.1:0"] + options
        process.currentDirectoryURL = folder.url
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        var page = ""
        for _ in 0..<2400 where !page.contains("Stop with Ctrl-C.\n") {
            Thread.sleep(forTimeInterval: 0.05)
            page = try String(contentsOf: output, encoding: .utf8)
        }
        self.page = page
        port = try #require(page.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/)).1.description
        key = try #require(page.firstMatch(of: /Bearer (hf_client_[\w-]+)/)).1.description
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }
}
