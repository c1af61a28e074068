import CampaignCore
import FoundationEssentials
import PrivateAppStore
import Storage

/// Offer codes over HTTP: each claim decided, booked and on the disk before it is answered, and no code given twice.
enum ClaimBench {
    static let bench = Bench(name: "claims", summary: "claims of offer codes over HTTP, 64 connections", run: run)

    private static let offer = OfferIdentifier("SPRING")

    private static func run(_ session: BenchSession) throws(CommandError) {
        session.progress("claims")
        let folder = try DemoFolder(folder: nil, listen: nil, subscriberCount: 0, now: session.now)
        defer { folder.removeIfTemporary() }
        let key = try folder.makeKey(role: .client, name: "bench", now: session.now)
        let seconds = session.seconds(0.16) + Limits.benchPhaseSeconds
        let count = min(Limits.claimsPrepared, Int(seconds * Limits.claimsPerSecond))
        try load(count, into: folder, now: session.now)
        do {
            let server = try ServerProcess(configuration: folder.configurationPath, log: folder.path + "/serve.log")
            defer { server.stop() }
            let load = try LoadGenerator(port: server.port)
            var requests = LoadRequests(once: claims(count, key: key), answerStart: "{\"decision\":\"granted\"")
            // The first ones grow the database's first pages.
            _ = try load.run(&requests, seconds: Limits.benchPhaseSeconds)
            try session.saturate("claims", nil, server, load, &requests, .signature, ratio: nil, rateAbove: 8_000)
        }
        try folder.checkCodeBooks()
    }

    /// Puts random codes into the inventory.
    private static func load(_ count: Int, into folder: DemoFolder, now: Instant) throws(CommandError) {
        let day = Limits.dayMilliseconds
        let terms = CodeBatchTerms(
            bundleId: DemoFolder.bundleId, environment: .production, productId: ProductID("reader.annual"),
            offer: offer, name: "bench", createdDate: now, expiresDate: now.adding(milliseconds: 90 * day),
            timeZone: "UTC")
        var random = RandomCodes()
        do {
            let codes = try CodeImport(into: Store(folder.databasePath, now: now))
            for line in 1...count {
                try random.next().withUnsafeBufferPointer { code throws(StorageError) in
                    try codes.add(code, at: CodePlace(file: 0, line: Int64(line)))
                }
            }
            _ = try codes.finish(
                terms, source: CodeSource(digest: [UInt8](repeating: 1, count: 32), bytes: 1),
                quota: CodeQuota(limit: .max, zone: .utc), now: now, isDryRun: false)
        } catch {
            throw .failed(error)
        }
    }

    /// One claim for each of as many customers, whose ids are UUIDs as most back ends have them.
    private static func claims(_ count: Int, key: String) -> [[UInt8]] {
        (0..<count).map { _ in
            let body: JSON = [
                "requestId": .string(UUID().lowercaseString), "bundleId": .string(DemoFolder.bundleId.rawValue),
                "environment": "Production", "offer": .string(offer.rawValue),
                "customer": .string(UUID().lowercaseString),
            ]
            let bytes = body.bytes
            let head =
                "POST /v1/codes/claims HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
            return Array(head.utf8) + bytes
        }
    }
}
