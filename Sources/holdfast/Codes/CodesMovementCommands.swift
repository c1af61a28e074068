import CampaignCore
import Server
import Storage

/// `holdfast codes release CODE`: a code back into its pool.
enum CodesReleaseCommand {
    private static let code = Argument("CODE", help: "the code, in either case")

    static let command = Command(
        "release",
        summary: "Take a code from its customer and put it back into the pool",
        details: """
            The next claim may give it to somebody else, so release only a code that was never sent.
            """,
        arguments: [code],
        options: [CodeOptions.reason, .app, .environment, .at],
        examples: [
            Example("holdfast codes release TIDE7Q2M --reason 'mail bounced'", "the code of a mail that came back")
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let target = try CodeTarget(arguments)
        let reason = try CodeOptions.reason(of: arguments)
        let code = try CodeOptions.code(arguments[code] ?? "")
        let store = try arguments.openStore(of: target.configuration)
        let moved: CodeMovement
        do throws(StorageError) {
            moved = try store.releaseCode(
                code, bundleId: target.app.bundleId, environment: target.environment, reason: reason,
                now: arguments.now)
        } catch {
            throw .failed(error)
        }
        return try CodeOptions.tell(moved, of: "the code \(code.masked)", verb: "released", target, output)
    }
}

/// `holdfast codes void CODE` or `--batch B`: codes out of the inventory for good.
enum CodesVoidCommand {
    private static let code = Argument("CODE", .optional, help: "the code, in either case")
    private static let batch = Option.text("batch", "NAME", help: "every code of this batch that nobody has")

    static let command = Command(
        "void",
        summary: "Take a code, or the rest of a batch, out of the inventory for good",
        details: """
            Codes of a batch that customers have stay theirs. The customer of a single code that is void may claim \
            another one. The quarter's limit is not given back, because App Store Connect does not say that it is.
            """,
        arguments: [code],
        options: [batch, CodeOptions.reason, .app, .environment, .at],
        examples: [
            Example("holdfast codes void TIDE7Q2M --reason leaked", "one code"),
            Example("holdfast codes void --batch spring --reason 'offer deactivated'", "the rest of a batch"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        guard (arguments[code] == nil) != (arguments.text(batch) == nil) else {
            throw arguments.wrongUsage("name either a CODE or a batch with '--batch'")
        }
        let target = try CodeTarget(arguments)
        let reason = try CodeOptions.reason(of: arguments)
        let one = try arguments[code].map { text throws(CommandError) in try CodeOptions.code(text) }
        let store = try arguments.openStore(of: target.configuration)
        let (bundleId, environment, now) = (target.app.bundleId, target.environment, arguments.now)
        let moved: CodeMovement
        do throws(StorageError) {
            if let one {
                moved = try store.voidCode(
                    one, bundleId: bundleId, environment: environment, reason: reason, now: now)
            } else {
                moved = try store.voidBatch(
                    arguments.text(batch) ?? "", bundleId: bundleId, environment: environment, reason: reason, now: now)
            }
        } catch {
            throw .failed(error)
        }
        let what = one.map { "the code \($0.masked)" } ?? "the batch \(quotedName(arguments.text(batch) ?? ""))"
        return try CodeOptions.tell(moved, of: what, verb: "voided", target, output)
    }
}
