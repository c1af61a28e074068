import CampaignCore
import Server
import Storage

/// What several commands of `codes` share.
enum CodeOptions {
    static let reason = Option.text("reason", "R", help: "why, for the ledger", isRequired: true)
    static let offer = Option.text(
        "offer", "REF", help: "reference name of the code offer in the catalogue", isRequired: true)
    static let product = Option.text(
        "product", "PRODUCTID", help: "the subscription that the offer is on", isRequired: true)
    static let timeZone = Option.text(
        "time-zone", "ZONE", help: "zone whose day '--expires' names (default that of the quota)")

    static func reason(of arguments: Arguments) throws(CommandError) -> String {
        let text = arguments.requiredText(reason)
        guard text.utf8.count <= Limits.codeReasonBytes else {
            throw .refused("'--reason' has more than \(Limits.codeReasonBytes) bytes; shorten it")
        }
        return text
    }

    static func code(_ text: String) throws(CommandError) -> OfferCode {
        guard let code = OfferCode(rawValue: text) else {
            throw .refused(CodeLineFault.notACode(text).description)
        }
        return code
    }

    static func tell(
        _ movement: CodeMovement, of what: String, verb: String, _ target: CodeTarget, _ output: Output
    ) throws(CommandError) -> ExitCode {
        switch movement {
        case .moved(let count):
            output.write(line: "\(count) \(count == 1 ? "code" : "codes") \(verb)")
            return .done
        case .unknown:
            throw .refused(
                "\(what) is not in the inventory of '\(target.app.bundleId)' for \(target.environment.rawValue); "
                    + "'holdfast codes status' lists its batches")
        case .notClaimed: throw .refused("\(what) was not claimed, so there is nothing to release")
        case .alreadyVoid: throw .refused("\(what) is void already; nothing was changed")
        }
    }
}
