import Foundation
import TestSupport
import Testing

/// Four notifications that Apple signed for another app's sandbox, with a catalogue that does not know its product.
@Suite(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
struct `Real notifications in every order` {
    private static let subscriber = "2000001024993299"
    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.folder.write(
            """
            listen: 127.0.0.1:0
            database: sqlite:holdfast.sqlite
            apps:
              - bundleId: com.loki-project.loki-messenger
                appAppleId: 1470168868
                environments: [Sandbox]
                catalog: Reader.storekit
                signing: { keyId: \(Installation.keyId), issuerId: 57246542-96fe-1a63-e053-0824d011072a,
                  privateKeyFile: \(Installation.keyFile) }

            """, to: "holdfast.yaml")
    }

    private func payloads() throws -> [String] {
        let texts = try Surroundings.realNotifications().map {
            try String(contentsOf: $0, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        try #require(texts.count == 4)
        return texts
    }

    private func orders<Element>(_ elements: [Element]) -> [[Element]] {
        guard let last = elements.last else { return [[]] }
        return orders(Array(elements.dropLast())).flatMap { order in
            (0...order.count).map { place in Array(order[..<place]) + [last] + Array(order[place...]) }
        }
    }

    private func show(at instant: String, _ more: String...) throws -> ChildResult {
        let line = ["subscriber", "show", Self.subscriber, "--at", instant] + more
        return try run(
            Surroundings.holdfast, line, environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
    }

    /// What each of the three instants shows: some lines of the text and some values of the JSON.
    private static let expected: [(instant: String, lines: [String], values: [String: String])] = [
        (
            "2025-10-01T07:09:00Z",
            [
                "status      active, will renew", "access      full", "message     none",
                "expires     2025-10-01T07:12:12Z",
                "  2025-10-01T07:08:38.835Z  DID_RENEW  active, will renew",
            ],
            ["status": "active", "autoRenewStatus": "on", "message": "none", "saveWindow": "null"]
        ),
        (
            "2025-10-02T07:08:00Z",
            [
                "status       active, auto-renew off", "message      saveOffer",
                "save window  2025-10-02T07:07:35.473Z to 2025-10-02T07:09:07Z",
                "  2025-10-02T07:06:16.941Z  SUBSCRIBED RESUBSCRIBE                         active, will renew",
                "  2025-10-02T07:07:35.473Z  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  active, auto-renew off",
            ],
            [
                "status": "active", "autoRenewStatus": "off", "access": "full", "message": "saveOffer",
                "saveWindow": "{\"closesDate\":1759388947000,\"opensDate\":1759388855473}",
            ]
        ),
        (
            "2025-10-02T07:11:00Z",
            [
                "status      expired, customerCancelled", "access      none", "message     winBack",
                "  2025-10-02T07:10:41.604Z  EXPIRED VOLUNTARY                              expired, customerCancelled",
            ],
            [
                "status": "expired", "expirationIntent": "customerCancelled", "access": "none", "message": "winBack",
                "saveWindow": "null", "accessLevel": "null", "productId": "com.getsession.org.pro_sub",
            ]
        ),
    ]

    /// Everything that is shown at the three instants, without when each notification reached us, and without whether it
    /// came too late to change anything.
    private func shown() throws -> [String] {
        try Self.expected.flatMap { instant, lines, values in
            let text = try show(at: instant)
            try #require(text.exitCode == 0, "\(text.errorText)")
            let shownLines = text.text.split(separator: "\n").map { line in
                line.hasSuffix(" stale")
                    ? String(line.dropLast(6).reversed().drop { $0 == " " }.reversed()) : String(line)
            }
            for line in lines {
                #expect(shownLines.contains { $0.hasPrefix(line) }, "\(line) at \(instant): \(text.text)")
            }
            let json = try object(try show(at: instant, "--format", "json"))
            for (key, value) in values { #expect(written(json[key]) == value, "\(key) at \(instant)") }
            let history = try #require(json["history"] as? [[String: Any]])
            #expect(
                history.allSatisfy { entry in
                    ["folded", "stale"].contains(entry["outcome"] as? String ?? "") && entry["source"] as? String != nil
                })
            let timeless = history.map { entry in entry.filter { !["receivedDate", "outcome"].contains($0.key) } }
            return [shownLines.joined(separator: "\n"), written(json.merging(["history": timeless]) { $1 })]
        }
    }

    private func written(_ value: Any?) -> String {
        if let text = value as? String { return text }
        guard let value, !(value is NSNull),
            let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `end in the same subscription, which the program shows as it was at each instant`() throws {
        let payloads = try payloads()
        var all: Set<[String]> = []
        var orderCount = 0
        for order in orders(payloads) {
            for file in ["holdfast.sqlite", "holdfast.sqlite-wal", "holdfast.sqlite-shm"] {
                try? FileManager.default.removeItem(atPath: installation.folder.path(file))
            }
            try installation.folder.write(order.joined(separator: "\n"), to: "order.jsonl")
            let imported = try installation.holdfast("notifications", "import", "order.jsonl", "--format", "json")
            try #require(imported.exitCode == 0, "\(imported.errorText)")
            all.insert(try shown())
            orderCount += 1
        }
        #expect(orderCount == 24 && all.count == 1)
    }

    @Test func `are taken in over HTTP, each once, and shown while the service runs`() throws {
        let service = try RunningService(installation)
        let key = try installation.holdfast("key", "create", "--role", "client", "--name", "shop").text
            .trimmingCharacters(in: .newlines)
        for payload in try payloads().reversed() {
            for outcomes in [["folded", "stale"], ["duplicate"]] {
                let body = try JSONSerialization.data(withJSONObject: ["signedPayload": payload])
                let result = try run(
                    "curl",
                    [
                        "-sS", "--max-time", "20", "--data-binary", "@-",
                        "http://127.0.0.1:\(service.port)/v1/app-store/notifications",
                    ], input: body)
                #expect(outcomes.contains(try object(result)["outcome"] as? String ?? ""), "\(result.text)")
            }
        }
        _ = try shown()
        let query = "bundleId=com.loki-project.loki-messenger&environment=Sandbox"
        let now = try object(
            try run(
                "curl",
                [
                    "-sS", "-H", "Authorization: Bearer \(key)",
                    "http://127.0.0.1:\(service.port)/v1/subscribers/\(Self.subscriber)?\(query)",
                ]))
        #expect(now["status"] as? String == "expired" && now["message"] as? String == "winBack", "\(now)")
    }
}
