import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Storage

/// Signed promotional offers over HTTP: authenticated, decided, signed and on the disk before they leave.
enum SignBench {
    static let bench = Bench(name: "sign", summary: "signed offers over HTTP, 64 connections", run: run)

    private static let path = "/v1/signatures/promotional-offer"

    private static func run(_ session: BenchSession) throws(CommandError) {
        session.progress("signed offers")
        let folder = try DemoFolder(
            folder: nil, listen: nil, subscriberCount: Limits.benchSubscribers, now: session.now)
        defer { folder.removeIfTemporary() }
        let key = try folder.makeKey(role: .client, name: "bench", now: session.now)
        let server = try ServerProcess(configuration: folder.configurationPath, log: folder.path + "/serve.log")
        defer { server.stop() }
        let load = try LoadGenerator(port: server.port)
        let ids = folder.subscribers.compactMap(\.transaction.originalTransactionId)
        var oneFormat = offers(for: ids, key: key, formats: ["v1"])
        var bothFormats = offers(for: ids, key: key, formats: ["v1", "v2"])
        // The first answers fill caches and grow the database's first pages.
        _ = try load.run(&oneFormat, seconds: Limits.benchPhaseSeconds)

        try session.saturate("sign", "V1", server, load, &oneFormat, .signature, ratio: 4.5)
        let both = try session.saturate("sign", "V1 and V2", server, load, &bothFormats, .signature, ratio: 6)
        try latency(session, load, &bothFormats, rate: both.rate / 2)
    }

    /// How long answers take at a rate that the server bears easily, beside those that need no work at all.
    private static func latency(
        _ session: BenchSession, _ load: LoadGenerator, _ requests: inout LoadRequests, rate: Double
    ) throws(CommandError) {
        let signed = try load.run(&requests, seconds: session.seconds(0.14), rate: rate)
        var live = LoadRequests.live
        let bare = try load.run(&live, seconds: session.seconds(0.14), rate: rate)
        session.add(
            BenchFigure(
                bench: "sign", what: "V1 and V2 at half that rate, \(Int(rate)) /s: 99 of 100 come within",
                value: signed.milliseconds(0.99), unit: .milliseconds,
                yardstick: .measured(what: "/health/live at that rate", value: bare.milliseconds(0.99)),
                target: .valueBelow(25)))
    }

    /// One request for each customer, as a back end would send it.
    static func offers(for customers: [OriginalTransactionID], key: String, formats: [String]) -> LoadRequests {
        var templates: [[UInt8]] = []
        var offsets: [Int?] = []
        // What makes the ids of one run, and of one format, differ from all others.
        let run = UUID().lowercaseString.prefix(24)
        for customer in customers {
            let start = "{\"requestId\":\"\(run)"
            let body: JSON = [
                "bundleId": .string(DemoFolder.bundleId.rawValue), "environment": "Production",
                "productId": "reader.monthly", "offerIdentifier": "save_50_3mo",
                "originalTransactionId": .string(customer.rawValue), "formats": .array(formats.map(JSON.string)),
            ]
            let rest = "000000000000\"," + String(decoding: body.bytes.dropFirst(), as: UTF8.self)
            let head =
                "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(start.utf8.count + rest.utf8.count)\r\n\r\n"
            templates.append(Array((head + start + rest).utf8))
            offsets.append(head.utf8.count + start.utf8.count)
        }
        return LoadRequests(templates: templates, idOffsets: offsets, answerStart: "{\"decision\":\"offered\"")
    }
}
