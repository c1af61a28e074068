import CampaignCore
import Storage

/// `holdfast subscriber erase ID`: removes what is known of one customer.
enum SubscriberEraseCommand {
    private static let id = Argument("ID", .one, help: "the subscription's originalTransactionId")
    private static let customer = Option.text(
        "customer", "ID", help: "your own id of the person, under which codes were claimed")
    private static let dryRun = Option.flag("dry-run", help: "only tell whose data would be removed")

    static let command = Command(
        "erase",
        summary: "Remove what is known of one customer, on request",
        details: """
            Removes the subscription and those that share an account token or a download with it: their log entries, \
            facts, links, arms and what campaigns gave. Of grants only counts stay, and offer codes stay handed out to a digest. It asks nothing and \
            cannot be undone.

            What Apple signed until now is refused from then on, so that a late delivery or an import does not bring \
            the customer back; what Apple signs later is kept again. Backups are not touched.
            """,
        arguments: [id],
        options: [.app, .environment, customer, dryRun, .format(.text, .json)],
        examples: [
            Example("holdfast subscriber erase 2000000000000001 --dry-run", "tell whose data would be removed"),
            Example("holdfast subscriber erase 2000000000000001", "remove it"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore(of: try arguments.configuration(requiringFiles: false))
        let known = try SubscriberShowCommand.find(arguments[id] ?? "", arguments, store)
        if arguments.has(dryRun) {
            try tell(known, arguments, output, store)
            return .done
        }
        let erasure: Erasure?
        do throws(StorageError) {
            erasure = try store.eraseSubscriber(
                originalTransactionId: known.originalTransactionId, bundleId: known.bundleId,
                environment: known.environment, codeCustomer: arguments.text(customer), now: arguments.now)
        } catch {
            throw .failed(error)
        }
        guard let erasure else {
            throw .refused("subscriber '\(known.originalTransactionId)' was erased by somebody else just now")
        }
        switch arguments.format {
        case .json: output.write(json(erasure))
        case .text, .csv:
            output.write(
                "erased \(counted(erasure.subscriptions, "subscription")), "
                    + "\(counted(erasure.payloads, "log entry", "log entries")), \(counted(erasure.facts, "fact")) and "
                    + "\(counted(erasure.campaignGrants, "offer")) of campaigns; "
                    + "of \(counted(erasure.grants, "grant")) and \(counted(erasure.codes, "code")) only counts stay\n")
            if !erasure.isLogCut {
                output.write(
                    "somebody reads the database at this moment; older copies of its pages go at the next checkpoint\n")
            }
        }
        return .done
    }

    private static func tell(
        _ known: KnownSubscription, _ arguments: Arguments, _ output: Output, _ store: Store
    ) throws(CommandError) {
        var entries = 0
        let subscriptions: Int
        do throws(StorageError) {
            let erased = try store.subscriptionsErased(
                originalTransactionId: known.originalTransactionId, bundleId: known.bundleId,
                environment: known.environment)
            for id in erased { entries += try store.history(of: id).count }
            subscriptions = erased.count
        } catch {
            throw .failed(error)
        }
        switch arguments.format {
        case .json:
            output.write(
                [
                    "originalTransactionId": .string(known.originalTransactionId.rawValue),
                    "bundleId": .string(known.bundleId.rawValue),
                    "environment": .string(known.environment.rawValue),
                    "subscriptions": .integer(Int64(subscriptions)), "payloads": .integer(Int64(entries)),
                ])
        case .text, .csv:
            output.write(
                line: "subscriber \(known.originalTransactionId) of '\(known.bundleId)' in \(known.environment): "
                    + "\(counted(subscriptions, "subscription")) with what shares a token or a download, "
                    + "\(counted(entries, "log entry", "log entries")); nothing was removed")
        }
    }

    private static func json(_ erasure: Erasure) -> JSON {
        [
            "subscriptions": .integer(Int64(erasure.subscriptions)), "payloads": .integer(Int64(erasure.payloads)),
            "facts": .integer(Int64(erasure.facts)), "grants": .integer(Int64(erasure.grants)),
            "campaignGrants": .integer(Int64(erasure.campaignGrants)), "codes": .integer(Int64(erasure.codes)),
            "isLogCut": .bool(erasure.isLogCut),
        ]
    }
}

/// `1 fact` or `2 facts`.
func counted(_ count: Int, _ one: String, _ several: String? = nil) -> String {
    count == 1 ? "1 \(one)" : "\(count) \(several ?? one + "s")"
}
