import AppStore
import CampaignCore

/// The verdict on a JWS that the App Store should have signed.
enum PayloadVerdict {
    static func of(
        _ text: String, _ unproven: UnprovenJWS, _ sources: VerificationSources
    ) throws(CommandError) -> Verdict {
        let chains = ChainVerifier(roots: try sources.roots())
        let apps = sources.apps ?? [claimedApp(unproven.payload)]
        do throws(AppStoreError) {
            let data = try SignedDataVerifier(chains: chains, apps: apps).payload(text)
            return valid(Facts(data), unproven, isAppKnown: sources.apps != nil)
        } catch {
            return notValid(error, unproven)
        }
    }

    /// What every kind of payload tells.
    private struct Facts {
        let kind: SignedDataKind
        let signedDate: Instant
        let environment: AppStoreEnvironment
        let bundleId: BundleID?

        init(_ data: VerifiedData) {
            kind = data.kind
            switch data {
            case .notification(let it):
                (signedDate, environment, bundleId) = (it.signedDate, it.environment, it.bundleId)
            case .transaction(let it):
                (signedDate, environment, bundleId) = (it.signedDate, it.environment, it.bundleId)
            case .renewalInfo(let it):
                (signedDate, environment, bundleId) = (it.signedDate, it.environment, it.bundleId)
            case .appTransaction(let it):
                (signedDate, environment, bundleId) = (it.signedDate, it.environment, it.bundleId)
            case .realtimeRequest(let it):
                (signedDate, environment, bundleId) = (it.signedDate, it.environment, it.bundleId)
            }
        }
    }

    /// The app that the payload itself names, for a check of the signature alone.
    private static func claimedApp(_ payload: JSON?) -> AppIdentity {
        let containers = [payload] + ["data", "appData", "summary", "externalPurchaseToken"].map { payload?[$0] }
        var bundleId: String?
        var appAppleId: Int64?
        for container in containers {
            if bundleId == nil { bundleId = container?["bundleId"]?.string }
            if appAppleId == nil { appAppleId = container?["appAppleId"]?.integer }
        }
        return AppIdentity(
            bundleId: BundleID(bundleId ?? ""), appAppleId: appAppleId ?? 0, environments: [.production, .sandbox])
    }

    private static func valid(_ facts: Facts, _ unproven: UnprovenJWS, isAppKnown: Bool) -> Verdict {
        let app =
            facts.bundleId.map { "\($0)" + (isAppKnown ? "" : " (not compared: no configuration)") } ?? "not named"
        return Verdict(
            isValid: true, headline: "the App Store signed this \(facts.kind.words) at \(facts.signedDate)",
            lines: ["environment: \(facts.environment)", "bundleId: \(app)", "payload:"] + fields(unproven),
            json: [
                "valid": .bool(true), "kind": .string(facts.kind.rawValue), "signedDate": .instant(facts.signedDate),
                "environment": .string(facts.environment.rawValue), "bundleId": .text(facts.bundleId?.rawValue),
                "appCompared": .bool(isAppKnown), "faults": [], "payload": unproven.opened ?? .null,
            ])
    }

    private static func notValid(_ error: AppStoreError, _ unproven: UnprovenJWS) -> Verdict {
        let shown = unproven.payload == nil ? [] : ["payload, not to be believed:"] + fields(unproven)
        return Verdict(
            isValid: false, headline: "\(error.code): \(error)", lines: shown,
            json: [
                "valid": .bool(false), "faults": [["code": .string(error.code), "detail": .string("\(error)")]],
                "payload": unproven.opened ?? .null,
            ])
    }

    /// The payload's values by their path, dates also as people read them.
    private static func fields(_ unproven: UnprovenJWS) -> [String] {
        var lines: [String] = []
        append(unproven.opened ?? .null, path: "", to: &lines)
        return lines
    }

    private static func append(_ json: JSON, path: String, to lines: inout [String]) {
        switch json {
        case .object(let members):
            for member in members {
                append(member.value, path: path.isEmpty ? member.key : "\(path).\(member.key)", to: &lines)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { append(element, path: "\(path)[\(index)]", to: &lines) }
        case .string(let text):
            lines.append("  \(path): \(oneLine(text))")
        case .number where path.hasSuffix("Date"):
            let instant = json.integer.map { " (\(Instant(millisecondsSince1970: $0)))" } ?? ""
            lines.append("  \(path): \(json.prettyText)\(instant)")
        default:
            lines.append("  \(path): \(json.prettyText)")
        }
    }

    /// A payload that nothing proves may hold anything, and a terminal obeys control characters.
    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}

extension SignedDataKind {
    /// What a person calls it.
    fileprivate var words: String {
        switch self {
        case .notification: "notification"
        case .transaction: "transaction"
        case .renewalInfo: "renewal info"
        case .appTransaction: "app transaction"
        case .realtimeRequest: "retention message request"
        }
    }
}
