import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Server

/// What a running demo prints: where everything is, who subscribes, and lines to paste.
struct DemoPage {
    let demo: Demo

    private static let offered = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 1))
    private static let refused = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 2))
    private static let claimed = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 4))

    private static let given = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 7))
    private static let notGiven = UUID(
        uuid: (0x5f, 0x0c, 0x7f, 0x0e, 0x8c, 0x1e, 0x4a, 0x34, 0x9a, 0x55, 0, 0, 0, 0, 0, 8))

    private var folder: DemoFolder { demo.folder }
    private var server: String { "http://127.0.0.1:\(demo.port)" }

    var text: String {
        let head = """
            Holdfast serves \(folder.subscriberCount) subscribers of a private App Store on \(server)
            Files: \(folder.path)\(folder.isTemporary ? " (removed when the demo stops)" : "")
            \(population)

            """
        let parts = offers + subscribers + campaigns + codes
        let numbered = zip(1..., parts).map { number, part in "\(number). \(part.title)\n\n\(part.line)\n\n" }
        return head + "\n" + numbered.joined() + "Stop with Ctrl-C.\n"
    }

    /// How the subscribers stand; of a large demo only how many there are is known here.
    private var population: String {
        guard folder.subscribers.count == folder.subscriberCount else {
            return "The subscribers have a year behind them."
        }
        let truths = folder.subscribers.map(\.truth)
        let counts: [(String, Int)] = [
            ("will renew", truths.count { $0.status == .active && $0.autoRenewStatus == .on }),
            ("cancelled and still here", truths.count { $0.status == .active && $0.autoRenewStatus == .off }),
            ("in the grace period", truths.count { $0.status == .billingGracePeriod }),
            ("in billing retry", truths.count { $0.status == .billingRetry }),
            ("expired", truths.count { $0.status == .expired }),
            ("revoked", truths.count { $0.status == .revoked }),
        ]
        let told = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return "They have a year behind them: \(told.joined(separator: ", "))."
    }

    // MARK: - Lines

    private struct Part {
        let title: String
        let line: String
    }

    private var offers: [Part] {
        [
            Part(
                title: "An offer, signed. Paste it twice: the same requestId gets the same answer.",
                line: ask(demo.request(Self.offered, customer: demo.namedCustomer))
                    + " | tee \(folder.path)/reply.json"),
            Part(
                title: "Refused, with every reason: an offer of another product, a customer nobody knows.",
                line: ask(
                    demo.request(
                        Self.refused, product: "reader.annual",
                        customer: [.init("originalTransactionId", "2000001999999999")]))),
            Part(title: "The signature of 1, checked by OpenSSL alone.", line: opensslLines),
        ]
    }

    private var subscribers: [Part] {
        guard let leaving = demo.leaving, let staying = demo.staying else { return [] }
        var parts = [
            Part(
                title: folder.cast[.leaving] == nil
                    ? "What a subscriber is now."
                    : "Someone who has cancelled and is still subscribed: the save window is open.",
                line: get(demo.path(of: leaving))),
            Part(
                title: "Every offer of the catalogue for the same one, with the reasons against it.",
                line: get(demo.path(of: leaving, "/eligibility"))),
            Part(
                title: "The App Store posts that another one cancels. Paste it twice: the second is a duplicate.",
                line: "curl -s \(server)/v1/app-store/notifications -d @\(folder.notificationPath)"),
            Part(
                title: "The history that led there.",
                line: "\(program) subscriber show \(staying.originalTransactionId) \(config)"),
        ]
        let others: [(DemoRole, String)] = [
            (.inGrace, "in the grace period"), (.inRetry, "in billing retry"), (.gone, "gone, with a win-back offer"),
            (.refunded, "refunded"),
        ]
        for (role, words) in others {
            guard let one = folder.cast[role] else { continue }
            parts.append(
                Part(
                    title: "Someone \(words).",
                    line: "\(program) subscriber show \(one.originalTransactionId) \(config)"))
        }
        return parts
    }

    private var campaigns: [Part] {
        guard let leaving = folder.cast[.leaving], let gone = folder.cast[.gone] else { return [] }
        return [
            Part(
                title: "What the campaign '\(DemoCampaign.name)' gives the one who has cancelled: an offer, signed.",
                line: post(
                    "/v1/offers", demo.campaignRequest(Self.given, of: leaving, token: leaving.appAccountToken))),
            Part(
                title: "And someone who is gone: nothing, with the reasons.",
                line: post("/v1/offers", demo.campaignRequest(Self.notGiven, of: gone, token: nil))),
        ]
    }

    private var codes: [Part] {
        [
            Part(
                title: "A code of the offer '\(DemoCatalog.codeOffer)'. Paste it twice: a customer has one.",
                line: post("/v1/codes/claims", demo.claim(Self.claimed, customer: "1001"))),
            Part(
                title: "What is left of the codes, proved from the codes themselves.",
                line: "\(program) codes status --check \(config)"),
        ]
    }

    private var config: String { "--config \(folder.configurationPath)" }

    /// The program as a shell finds it from any folder.
    private var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "holdfast"
    }

    private func ask(_ body: JSON) -> String { post("/v1/signatures/promotional-offer", body) }

    private func post(_ path: String, _ body: JSON) -> String {
        """
        curl -s \(server)\(path) \\
          -H 'Authorization: Bearer \(demo.clientKey)' \\
          -d '\(String(decoding: body.bytes, as: UTF8.self))'
        """
    }

    private func get(_ path: String) -> String {
        """
        curl -s '\(server)\(path)' \\
          -H 'Authorization: Bearer \(demo.clientKey)' | jq .
        """
    }

    /// The seven fields joined by U+2063, the signature decoded once, and OpenSSL's verdict.
    private var opensslLines: String {
        """
        jq -j '["\(DemoFolder.bundleId)", .v1.keyIdentifier, .productId, .offerIdentifier, .v1.appAccountToken // "",
          .v1.nonce, (.v1.timestamp | tostring)] | join("\\u2063")' \(folder.path)/reply.json > \(folder.path)/signed.bin
        jq -r .v1.signature \(folder.path)/reply.json | base64 -d > \(folder.path)/signature.der
        openssl dgst -sha256 -verify \(folder.publicKeyPath) \\
          -signature \(folder.path)/signature.der \(folder.path)/signed.bin
        """
    }
}
