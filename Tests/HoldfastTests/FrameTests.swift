import Foundation
import TestSupport
import Testing

/// The built program: exit codes, and what goes to which stream.
@Suite struct FrameTests {
    @Test func `the version is one line`() throws {
        let result = try run(Surroundings.holdfast, ["--version"])
        #expect(result.exitCode == 0)
        #expect(result.text.wholeMatch(of: /holdfast \d+\.\d+\.\d+\n/) != nil)
        #expect(result.errorText == "")
    }

    @Test func `no command at all shows the overview on standard error`() throws {
        let result = try run(Surroundings.holdfast)
        #expect(result.exitCode == 64)
        #expect(result.text == "")
        #expect(result.errorText == (try run(Surroundings.holdfast, ["--help"]).text))
    }

    @Test func `wrong usage is one error line with where to read on`() throws {
        let result = try run(Surroundings.holdfast, ["--versoin"])
        #expect(result.exitCode == 64)
        #expect(result.text == "")
        #expect(
            result.errorText == """
                error: unknown option '--versoin'; did you mean '--version'?
                run 'holdfast --help' to see how it goes

                """)
    }

    @Test func `a reader that goes away is no error`() throws {
        // The reader closes at once, so the writer finds a broken pipe.
        let line = "{ sleep 0.2; '\(Surroundings.holdfast)' --help; echo \"exit $?\" >&2; } | true"
        let result = try run("sh", ["-c", line])
        #expect(result.errorText == "exit 0\n")
    }

    @Test func `a full disk is an error`() throws {
        let result = try run("sh", ["-c", "'\(Surroundings.holdfast)' --help > /dev/full"])
        #expect(result.exitCode == 1)
        #expect(
            result.errorText == """
                error: cannot write to standard output: No space left on device; free space or write elsewhere

                """)
    }

    @Test(arguments: [
        ["verify", "--jws", "pipe"], ["verify", "--reply", "pipe"], ["catalog", "check", "pipe"],
        ["catalog", "show", "pipe"], ["verify", "a.b.c", "--root", "pipe"],
    ])
    func `a named pipe is refused and not waited for`(line: [String]) throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let result = try run("timeout", ["20", Surroundings.holdfast] + line, in: folder.url)
        #expect(result.exitCode == 1)
        #expect(
            result.errorText == """
                error: cannot read 'pipe': it is no regular file; name one, or '-' for standard input

                """)
    }

    @Test func `a server with a closed standard output stops in good order`() throws {
        let installation = try Installation()
        let line = """
            '\(Surroundings.holdfast)' serve --config holdfast.yaml --listen 127.0.0.1:0 >&- & server=$!
            sleep 2; kill -TERM $server; wait $server; echo "exit $?"
            """
        let result = try run("sh", ["-c", line], in: installation.folder.url)
        #expect(result.text == "exit 0\n", "\(result.errorText)")
    }

    @Test func `a demo's configuration says where it was told to listen`() throws {
        let folder = try TemporaryFolder()
        let line = ["demo", "--once", "--subscribers", "5", "--directory", "demo/", "--listen", "127.0.0.1:0"]
        let result = try run(Surroundings.holdfast, line, in: folder.url)
        #expect(result.exitCode == 0, "\(result.text)")
        let text = try String(contentsOfFile: folder.path("demo/holdfast.yaml"), encoding: .utf8)
        #expect(text.contains("\nlisten: \"127.0.0.1:0\"\n"))
        let wrong = try run(Surroundings.holdfast, ["demo", "--directory", "none", "--listen", "x"], in: folder.url)
        #expect(wrong.exitCode == 64)
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    }

    @Test func `colours are for a terminal and never with NO_COLOR`() throws {
        let folder = try TemporaryFolder()
        try folder.write("[]", to: "list.storekit")
        let line = "'\(Surroundings.holdfast)' catalog check list.storekit"
        // 'script' gives the program a terminal of its own.
        let cases: [(environment: [String: String], isColoured: Bool)] = [
            (["TERM": "xterm", "NO_COLOR": ""], true), (["TERM": "xterm", "NO_COLOR": "1"], false),
            (["TERM": "dumb", "NO_COLOR": ""], false),
        ]
        for (environment, isColoured) in cases {
            let result = try run("script", ["-qec", line, "/dev/null"], environment: environment, in: folder.url)
            #expect(result.exitCode == 2)
            #expect(result.text.contains("list.storekit: "))
            #expect(result.text.contains("\u{1b}[31merror:\u{1b}[0m") == isColoured, "\(environment)")
        }
        let piped = try run("sh", ["-c", line], environment: ["TERM": "xterm", "NO_COLOR": ""], in: folder.url)
        #expect(!piped.text.contains("\u{1b}"))
    }
}
