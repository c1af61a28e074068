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

    /// The history's columns left of what each notification left behind, as its last lines tell it.
    private static let history = [
        "2025-10-01T07:08:22.188Z  SUBSCRIBED RESUBSCRIBE                         active, will renew"
    ]

    private func checkShown() throws -> [String] {
        let asked = ["2025-10-01T07:09:00Z", "2025-10-02T07:08:00Z", "2025-10-02T07:11:00Z"]
        var texts: [String] = []
        for instant in asked {
            let shown = try show(at: instant)
            try #require(shown.exitCode == 0, "\(shown.errorText)")
            texts.append(shown.text)
        }
        return texts
    }

    @Test func `end in the same subscription, which the program shows as it was at each instant`() throws {
        let payloads = try payloads()
        var shown: Set<[String]> = []
        for order in orders(payloads) {
            for file in ["holdfast.sqlite", "holdfast.sqlite-wal", "holdfast.sqlite-shm"] {
                try? FileManager.default.removeItem(atPath: installation.folder.path(file))
            }
            try installation.folder.write(order.joined(separator: "\n"), to: "order.jsonl")
            let imported = try installation.holdfast("notifications", "import", "order.jsonl", "--format", "json")
            try #require(imported.exitCode == 0, "\(imported.errorText)")
            shown.insert(try checkShown())
        }
        #expect(shown.count == 1)
        for text in try #require(shown.first) { print(text) }
    }
}
