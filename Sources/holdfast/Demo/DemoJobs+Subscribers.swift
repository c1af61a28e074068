import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Server
import Storage

// What the App Store tells, what is known of a subscriber then, and that the log can tell it again.
extension DemoJobs {
    /// In this order: each builds on the one before.
    var subscriberJobs: [(name: String, job: () throws -> String)] {
        var cancellation: JSON = .null
        return [
            (
                "the App Store posts a cancellation, which is kept and folded",
                {
                    cancellation = try notification(.off)
                    return try posted(cancellation, expecting: "folded")
                }
            ),
            ("the same notification again changes nothing", { try posted(cancellation, expecting: "duplicate") }),
            ("the subscriber's status tells the open save window", saveWindow),
            ("every offer is theirs or has its reasons", eligibility),
            (
                "a file of notifications is imported, and what is known is passed over",
                { try imported([cancellation, notification(.on)]) }
            ),
            ("the log alone rebuilds every subscription as it is", replayed),
        ]
    }

    private func staying() throws -> DemoSubscriber {
        guard let staying = demo.staying else { throw Fault(description: "the demo has no subscriber") }
        return staying
    }

    private func notification(_ status: AutoRenewStatus) throws -> JSON {
        try demo.renewalChange(
            of: staying(), to: status, uuid: environment.makeUUID(), at: environment.now())
    }

    private func posted(_ notification: JSON, expecting outcome: String) throws -> String {
        let answer = try client.send("POST", "/v1/app-store/notifications", body: notification.bytes)
        guard answer.status == 200, JSON.read(answer.body)?["outcome"]?.string == outcome else {
            throw Fault(description: "status \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return "\(notification.bytes.count) bytes, 200 \(outcome)"
    }

    private func asked(_ path: String) throws -> JSON {
        let answer = try client.send("GET", path, bearer: demo.clientKey)
        guard answer.status == 200, let json = JSON.read(answer.body) else {
            throw Fault(description: "status \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return json
    }

    private func saveWindow() throws -> String {
        let subscriber = try staying()
        let status = try asked(demo.path(of: subscriber))
        let closes = status["saveWindow"]?["closesDate"]?.integer
        guard status["status"] == "active", status["autoRenewStatus"] == "off", status["message"] == "saveOffer",
            closes == subscriber.truth.expiresDate.millisecondsSince1970
        else { throw Fault(description: "not so: \(String(decoding: status.bytes, as: UTF8.self))") }
        return "active, auto-renew off, saveOffer until \(subscriber.truth.expiresDate)"
    }

    private func eligibility() throws -> String {
        let answer = try asked(demo.path(of: staying(), "/eligibility"))
        guard case .array(let offers)? = answer["offers"] else { throw Fault(description: "no list of offers") }
        func reasons(_ offer: JSON) -> [String] {
            guard case .array(let reasons)? = offer["reasons"] else { return [] }
            return reasons.compactMap { $0["code"]?.string }
        }
        let refused = offers.filter { $0["eligible"] == .bool(false) }
        let save = offers.first { $0["offerIdentifier"] == "save_50_3mo" }
        guard save?["eligible"] == .bool(true), refused.allSatisfy({ !reasons($0).isEmpty }),
            refused.contains(where: { reasons($0).contains("stillSubscribed") })
        else { throw Fault(description: "not so: \(String(decoding: answer.bytes, as: UTF8.self))") }
        let codes = Set(refused.flatMap(reasons)).sorted().joined(separator: ", ")
        return "\(offers.count - refused.count) of \(offers.count) are theirs; of the others: \(codes)"
    }

    private func imported(_ notifications: [JSON]) throws -> String {
        let path = demo.folder.path + "/import-\(environment.makeUUID().lowercaseString).jsonl"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try writeNewFile(path, notifications.map { String(decoding: $0.bytes, as: UTF8.self) + "\n" }.joined())
        let configuration = try Configuration.read(path: demo.folder.configurationPath)
        var work = NotificationsImport(
            files: try InputFiles([path]), verifier: try PayloadVerification.verifier(of: configuration),
            store: try Store(demo.folder.databasePath, now: environment.now()), output: output)
        try work.run()
        guard work.counts.json["folded"]?.integer == 1, work.counts.json["duplicate"]?.integer == 1 else {
            throw Fault(description: "not so: \(String(decoding: work.counts.json.bytes, as: UTF8.self))")
        }
        let status = try asked(demo.path(of: staying()))
        guard status["autoRenewStatus"] == "on", status["message"] == "none", status["saveWindow"] == .null else {
            throw Fault(description: "not so: \(String(decoding: status.bytes, as: UTF8.self))")
        }
        return "2 read, 1 folded, 1 duplicate; auto-renew is on again"
    }

    private func replayed() throws -> String {
        let store = try Store(demo.folder.databasePath, now: environment.now())
        var differences: [String] = []
        let summary = try store.replay(
            reading: { entry, text in ReplayedPayload(entry, text: text) },
            difference: { one in
                let changes = NotificationsReplayCommand.changes(of: one).joined(separator: ", ")
                differences.append("\(one.originalTransactionId): \(changes)")
            })
        guard differences.isEmpty, summary.payloads > 0, summary.subscriptions > 0 else {
            throw Fault(description: "came out otherwise: \(differences.joined(separator: "; "))")
        }
        return "\(summary.payloads) log entries, \(summary.subscriptions) subscriptions, no difference"
    }
}
