import CampaignCore
import Storage

/// `holdfast subscriber erase ID`: removes what is known of one customer.
enum SubscriberEraseCommand {
    private static let id = Argument("ID", .one, help: "the subscription's originalTransactionId")
    private static let yes = Option.flag("yes", help: "erase; without it only what would go is told")

    static let command = Command(
        "erase",
        summary: "Remove what is known of one customer, on request",
        details: """
            Removes the subscription and those that share an account token or a download with it: their log entries, \
            facts and links. Of grants only counts stay. What Apple signed until now is refused from then on, so that a \
            late delivery does not bring the customer back; what Apple signs later is kept again. Backups are not \
            touched.
            """,
        arguments: [id],
        options: [.app, .environment, yes, .format(.text, .json)],
        examples: [
            Example("holdfast subscriber erase 2000000000000001", "tell what would be removed"),
            Example("holdfast subscriber erase 2000000000000001 --yes", "remove it"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore(of: try arguments.configuration(requiringFiles: false))
        let known = try SubscriberShowCommand.find(arguments[id] ?? "", arguments, store)
        guard arguments.has(yes) else {
            output.write(
                "subscriber \(known.originalTransactionId) of '\(known.bundleId)' in \(known.environment) and all that "
                    + "shares a token or a download with it would be removed; add '--yes' to do so\n")
            return .refused
        }
        let erasure: Erasure?
        do throws(StorageError) {
            erasure = try store.eraseSubscriber(
                originalTransactionId: known.originalTransactionId, bundleId: known.bundleId,
                environment: known.environment, now: arguments.now)
        } catch {
            throw .failed(error)
        }
        guard let erasure else { throw .refused("nothing is known of subscriber '\(known.originalTransactionId)'") }
        switch arguments.format {
        case .json: output.write(json(erasure))
        case .text, .csv:
            output.write(
                "erased \(erasure.subscriptions) subscriptions, \(erasure.payloads) log entries and \(erasure.facts) "
                    + "facts; \(erasure.grants) grants stay without anything that leads to the customer\n")
            if !erasure.isLogCut {
                output.write("the service reads at this moment; earlier pages leave its log with the next checkpoint\n")
            }
        }
        return .done
    }

    private static func json(_ erasure: Erasure) -> JSON {
        [
            "subscriptions": .integer(Int64(erasure.subscriptions)), "payloads": .integer(Int64(erasure.payloads)),
            "facts": .integer(Int64(erasure.facts)), "grants": .integer(Int64(erasure.grants)),
            "isLogCut": .bool(erasure.isLogCut),
        ]
    }
}
