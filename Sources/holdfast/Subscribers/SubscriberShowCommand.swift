import CampaignCore
import Server
import Storage

/// `holdfast subscriber show ID`: the status with the history that led there.
enum SubscriberShowCommand {
    private static let id = Argument("ID", .one, help: "the subscription's originalTransactionId")

    static let command = Command(
        "show",
        summary: "Show the status of one subscriber with the history that led there",
        details: """
            The status is derived from what Apple signed. With '--at' only facts that were signed by that instant count, \
            so it answers what could be known then. App and environment are found by the id itself.
            """,
        arguments: [id],
        options: [.app, .environment, .at, .format(.text, .json)],
        examples: [
            Example("holdfast subscriber show 2000000000000001", "now"),
            Example("holdfast subscriber show 2000000000000001 --at 2026-10-01T00:00:00Z --format json", "as of then"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration(requiringFiles: false)
        let store = try arguments.openStore(of: configuration)
        let known = try Self.find(arguments[id] ?? "", arguments, store)
        let apps = SubscriberApps(configuration)
        let view: SubscriberView?
        do {
            view = try SubscriberView(
                of: known, at: arguments.instant(.at), now: arguments.now, app: try apps.app(known.bundleId), store)
        } catch let error as StorageError {
            throw .failed(error)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed(error)
        }
        guard let view else {
            throw .refused(
                "nothing was signed about subscriber '\(known.originalTransactionId)' by \(arguments.now); "
                    + "ask for a later instant")
        }
        switch arguments.format {
        case .json: output.write(view.json)
        case .text, .csv: output.write(view.text)
        }
        return .done
    }

    /// The one subscription of that id, in whichever app and environment it is.
    static func find(
        _ id: String, _ arguments: Arguments, _ store: Store
    ) throws(CommandError) -> KnownSubscription {
        let name = OriginalTransactionID(id)
        var found: [KnownSubscription]
        do throws(StorageError) {
            found = try store.subscriptions(originalTransactionId: name)
        } catch {
            throw .failed(error)
        }
        if let app = arguments.text(.app) { found = found.filter { $0.bundleId.rawValue == app } }
        if let environment = arguments.text(.environment) {
            found = found.filter { $0.environment.rawValue == environment }
        }
        guard let first = found.first else {
            throw .refused(
                "no subscriber \(quotedName(id)) is known; 'holdfast notifications import' takes in what Apple has sent"
            )
        }
        guard found.count == 1 else {
            let places = found.map { "'\($0.bundleId)' in \($0.environment)" }.joined(separator: ", ")
            throw arguments.wrongUsage(
                "subscriber \(quotedName(id)) is known for \(places); name one with '--app' and '--environment'")
        }
        return first
    }
}
