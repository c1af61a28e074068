import Testing

@testable import holdfast

/// Lines against a table of their own, so that what is checked is the reading alone.
@Suite struct LineTests {
    static let level = Option.choice("level", ["low", "high"], help: "how much", isRequired: true)
    static let times = Option.integer("times", "N", in: 1...9, help: "how often")
    static let tag = Option.text("tag", "TAG", help: "a tag", isRepeated: true)
    static let loud = Option.flag("loud", help: "with noise")
    static let file = Argument("FILE", help: "what is read")
    static let more = Argument("MORE", .several, help: "and these")

    static let table = [
        Command(
            "horn",
            summary: "Things that sound",
            subcommands: [
                Command(
                    "blow", summary: "Blow it", arguments: [file, more],
                    options: [level, times, tag, loud, .at, .format(.text, .json)],
                    examples: [Example("holdfast horn blow a b --level low", "once")],
                    run: { _, _ in .done })
            ]),
        Command(
            "rest", summary: "Do nothing", arguments: [Argument("WHERE", .optional, help: "the place")],
            examples: [Example("holdfast rest", "here")], run: { _, _ in .done }),
    ]

    private func arguments(_ line: String) throws -> Arguments {
        let request = try Request(line.split(separator: " ").map(String.init), commands: Self.table)
        guard case .run(_, let arguments) = request else { throw CommandError.failed("no run: \(request)") }
        return arguments
    }

    private func complaint(_ line: String) -> String? {
        do throws(CommandError) {
            _ = try Request(line.split(separator: " ").map(String.init), commands: Self.table)
            return nil
        } catch {
            return error.exitCode == .wrongUsage ? error.messages[0] : "not usage"
        }
    }

    @Test(arguments: [
        "horn blow a b c --level high --times 3 --tag x --tag=y --loud --at 2026-09-05T12:00:00Z",
        "--level high --times 3 --tag x --tag=y --loud --at 2026-09-05T12:00:00Z horn blow a b c",
        "--loud horn --level=high blow --tag x a --times=3 b --at=2026-09-05T12:00:00Z c --tag y",
        "horn blow --level high --times 3 --tag x --tag y --loud --at 2026-09-05T12:00:00Z -- a b c",
    ])
    func `options may stand anywhere on the line`(line: String) throws {
        let arguments = try arguments(line)
        #expect(arguments.path == ["horn", "blow"])
        #expect(arguments[Self.file] == "a")
        #expect(arguments.all(Self.more) == ["b", "c"])
        #expect(arguments.requiredText(Self.level) == "high")
        #expect(arguments.integer(Self.times) == 3)
        #expect(arguments.texts(Self.tag) == ["x", "y"])
        #expect(arguments.has(Self.loud))
        #expect(arguments.instant(.at).map { "\($0)" } == "2026-09-05T12:00:00Z")
    }

    @Test func `what is left out is absent`() throws {
        let arguments = try arguments("horn blow a b --level low")
        #expect(!arguments.has(Self.loud))
        #expect(arguments.integer(Self.times) == nil)
        #expect(arguments.texts(Self.tag) == [])
        #expect(arguments.instant(.at) == nil)
        #expect(arguments.text(.config) == nil)
        #expect(arguments.format == .text)
        #expect(try self.arguments("horn blow a b --level low --format json").format == .json)
        #expect(try self.arguments("rest")[Argument("WHERE", .optional, help: "")] == nil)
    }

    @Test func `after two dashes every word is an argument`() throws {
        let arguments = try arguments("horn blow --level low -- --loud -x --level")
        #expect(arguments[Self.file] == "--loud")
        #expect(arguments.all(Self.more) == ["-x", "--level"])
        #expect(!arguments.has(Self.loud))
    }

    @Test func `one dash alone is a word`() throws {
        #expect(try arguments("horn blow - b --level low")[Self.file] == "-")
    }

    @Test(arguments: [
        ("horm", "unknown command 'horm'; did you mean 'horn'?"),
        ("zzzzzz", "unknown command 'zzzzzz'"),
        ("horn", "'horn' needs one of 'blow'"),
        ("horn blwo", "'horn' has no subcommand 'blwo'; did you mean 'blow'?"),
        ("rest --lod", "unknown option '--lod' for 'rest'"),
        ("horn blow a b --levle low", "unknown option '--levle' for 'horn blow'; did you mean '--level'?"),
        ("horn blow a b -l low", "unknown option '-l' for 'horn blow'"),
        ("rest --level low", "unknown option '--level' for 'rest'"),
        ("horn blow a b", "'horn blow' needs '--level low|high'"),
        ("horn blow a b --level", "'--level' needs a value: --level low|high"),
        ("horn blow a b --level --loud", "'--level' needs a value: --level low|high"),
        ("horn blow a b --level hihg", "'--level' needs one of 'low', 'high', not 'hihg'; did you mean 'high'?"),
        ("horn blow a b --level low --level high", "'--level' stands twice on the line; give it once"),
        ("horn blow a b --level low --times 10", "'--times' needs a whole number from 1 to 9, not '10'"),
        ("horn blow a b --level low --times x", "'--times' needs a whole number from 1 to 9, not 'x'"),
        ("horn blow a b --level low --loud=yes", "'--loud' takes no value, but has 'yes'"),
        ("horn blow a b --level low --tag=", "'--tag' needs a value: --tag TAG"),
        (
            "horn blow a b --level low --at yesterday",
            "'--at' needs an instant such as '2026-09-05T12:00:00Z', not 'yesterday'"
        ),
        (
            "horn blow a b --level low --format csv",
            "'--format' needs one of 'text', 'json', not 'csv'"
        ),
        ("horn blow a --level low", "'horn blow' needs MORE"),
        ("horn blow --level low", "'horn blow' needs FILE"),
        ("rest here there", "'rest' does not take 'there'"),
        ("help horn tune", "'horn' has no subcommand 'tune'"),
        ("--confg x", "unknown option '--confg'; did you mean '--config'?"),
    ])
    func `a wrong line is told what is wrong`(line: String, message: String) {
        #expect(complaint(line) == message)
    }

    @Test(arguments: [
        "horn blow --help", "--help horn blow", "horn --help blow", "help horn blow", "horn blow -h",
        "horn blow --level nonsense --help", "horn blow --unknown --help",
    ])
    func `help is given from anywhere on the line`(line: String) throws {
        let request = try Request(line.split(separator: " ").map(String.init), commands: Self.table)
        guard case .help(let path) = request else {
            Issue.record("no help: \(request)")
            return
        }
        #expect(path.map(\.name) == ["horn", "blow"])
    }

    @Test(arguments: [
        ["rest", ""], ["horn", "blow", "", "b", "--level", "low"], ["horn", "blow", "a", "b", "", "--level", "low"],
    ])
    func `an empty word is no argument`(line: [String]) {
        do throws(CommandError) {
            _ = try Request(line, commands: Self.table)
            Issue.record("it is taken")
        } catch {
            #expect(error.exitCode == .wrongUsage)
            #expect(error.messages[0].hasSuffix(" is an empty word; name what it stands for"))
        }
    }

    @Test func `without a command there is the overview`() throws {
        for line in [["--help"], ["help"], ["-h"], ["--config", "x", "--help"]] {
            guard case .overview = try Request(line, commands: Self.table) else {
                Issue.record("no overview for \(line)")
                continue
            }
        }
        for line in [["--version"], ["rest", "--version"], ["--version", "extra"], ["horn", "--version", "blow"]] {
            guard case .version = try Request(line, commands: Self.table) else {
                Issue.record("no version for \(line)")
                continue
            }
        }
        for line in [[], ["--config", "x"]] {
            guard case .missingCommand = try Request(line, commands: Self.table) else {
                Issue.record("a command in \(line)")
                continue
            }
        }
    }
}
