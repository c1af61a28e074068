import CampaignCore
import FoundationEssentials
import Server
import Storage

/// `holdfast codes quota`: how many codes each app may still make in this quarter and the next.
enum CodesQuotaCommand {
    static let command = Command(
        "quota",
        summary: "Show how much of the limit of this quarter and the next is used",
        details: """
            One-time codes that were loaded and the redemption limits of custom codes count together, for every \
            product of an app, in the quarter that they were made in. Sandbox has no limit.
            """,
        options: [.app, .format(.text, .json), .at],
        examples: [Example("holdfast codes quota", "every configured app")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration(requiringFiles: false)
        let apps = arguments.text(.app) == nil ? configuration.apps : [try arguments.app(of: configuration)]
        let store = try arguments.openStore(of: configuration)
        var objects: [JSON] = []
        for app in apps {
            let zone = try readTimeZone(app.offerCodes.quarterTimeZone)
            let quota = CodeQuota(limit: app.offerCodes.quarterlyLimit, zone: zone)
            let present = CalendarQuarter(at: arguments.now, in: zone)
            var uses: [CodeQuotaUse] = []
            for quarter in [present, present.next] {
                do throws(StorageError) {
                    uses.append(try store.codeQuotaUse(bundleId: app.bundleId, quarter: quarter, quota: quota))
                } catch {
                    throw .failed(error)
                }
            }
            objects.append(CodeQuotaUse.json(of: app.bundleId, quota, uses))
            if arguments.format == .text { output.write(text(app, uses)) }
        }
        if arguments.format == .json { output.write(["apps": .array(objects)]) }
        return .done
    }

    private static func text(_ app: Configuration.App, _ uses: [CodeQuotaUse]) -> String {
        var lines = [
            "\(app.bundleId)  limit \(app.offerCodes.quarterlyLimit) codes a quarter (\(app.offerCodes.quarterTimeZone))"
        ]
        lines += columns(
            uses.map { ["  \($0.quarter)", "\($0.used) used", "\($0.left) left", "resets \($0.resetsDate)"] })
        if app.offerCodes.quarterlyLimit > DoctorCommand.appleQuarterlyLimit {
            lines.append(
                "  Apple's help pages state \(DoctorCommand.appleQuarterlyLimit) codes per app and quarter; compare the "
                    + "limit with App Store Connect")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
