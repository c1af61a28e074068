import CampaignCore
import FoundationEssentials
import Server
import Storage

/// `holdfast notifications replay`: every subscription anew from the log.
enum NotificationsReplayCommand {
    static let command = Command(
        "replay",
        summary: "Rebuild every subscription from the log, and list what comes out otherwise",
        details: """
            Facts and subscriptions are built beside the present ones and then take their place; the service may be \
            running meanwhile. Facts whose log entries retention has removed stay as they are. Nothing comes out \
            otherwise unless this program reads the log better than the one that wrote it, or the tables were damaged.
            """,
        options: [.format(.text, .json)],
        examples: [Example("holdfast notifications replay", "rebuild and list the differences")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore(of: try arguments.configuration(requiringFiles: false))
        var differences: [ReplayDifference] = []
        var told = ContinuousClock.now
        var read = 0
        let summary: ReplaySummary
        do throws(StorageError) {
            summary = try store.replay(
                reading: { entry, text in
                    read += 1
                    if ContinuousClock.now - told >= .milliseconds(200) {
                        told = ContinuousClock.now
                        output.progress("\(read) log entries read")
                    }
                    return ReplayedPayload(entry, text: text)
                },
                difference: { difference in
                    if differences.count < Limits.differencesTold { differences.append(difference) }
                })
        } catch {
            throw .failed(error)
        }
        output.progress("")
        switch arguments.format {
        case .json: output.write(json(summary, differences))
        case .text, .csv: output.write(text(summary, differences))
        }
        return .done
    }

    private static func json(_ summary: ReplaySummary, _ differences: [ReplayDifference]) -> JSON {
        [
            "payloads": .integer(Int64(summary.payloads)),
            "subscriptions": .integer(Int64(summary.subscriptions)),
            "differences": .integer(Int64(summary.differences)),
            "listed": .array(
                differences.map { one in
                    [
                        "originalTransactionId": .string(one.originalTransactionId.rawValue),
                        "fields": .array(changes(of: one).map { .string($0) }),
                    ]
                }),
        ]
    }

    private static func text(_ summary: ReplaySummary, _ differences: [ReplayDifference]) -> String {
        var lines = [
            "\(summary.payloads) log entries replayed, \(summary.subscriptions) subscriptions compared, "
                + "\(summary.differences) came out otherwise"
        ]
        for one in differences {
            lines.append("  \(one.originalTransactionId)  \(changes(of: one).joined(separator: ", "))")
        }
        let more = summary.differences - differences.count
        if more > 0 { lines.append("  and \(more) more") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What differs, by field: `expiresDate 2026-… -> 2026-…`.
    static func changes(of difference: ReplayDifference) -> [String] {
        guard let before = difference.before, let after = difference.after else {
            return [difference.before == nil ? "is new" : "is gone"]
        }
        let fields: [(String, String, String)] = [
            ("productId", before.productId.rawValue, after.productId.rawValue),
            ("transactionId", before.transactionId.rawValue, after.transactionId.rawValue),
            ("expiresDate", "\(before.expiresDate)", "\(after.expiresDate)"),
            ("revocationDate", text(before.revocationDate), text(after.revocationDate)),
            ("autoRenewStatus", before.autoRenewStatus?.name ?? "-", after.autoRenewStatus?.name ?? "-"),
            ("expirationIntent", before.expirationIntent?.name ?? "-", after.expirationIntent?.name ?? "-"),
            ("gracePeriodExpiresDate", text(before.gracePeriodExpiresDate), text(after.gracePeriodExpiresDate)),
            ("saveWindowOpensDate", text(before.saveWindowOpensDate), text(after.saveWindowOpensDate)),
            ("firstSignedDate", "\(before.firstSignedDate)", "\(after.firstSignedDate)"),
            ("newestSignedDate", "\(before.newestSignedDate)", "\(after.newestSignedDate)"),
        ]
        let changed = fields.filter { $0.1 != $0.2 }.map { "\($0.0) \($0.1) -> \($0.2)" }
        return changed.isEmpty ? ["other fields"] : changed
    }

    private static func text(_ instant: Instant?) -> String { instant.map { "\($0)" } ?? "-" }
}
