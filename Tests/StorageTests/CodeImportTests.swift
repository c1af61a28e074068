import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// Loading codes: all or nothing, each once in an app, and never beyond the quarter's limit.
struct CodeImportTests {
    let fixture: Fixture
    let store: Store

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private func loaded(_ result: CodeImportResult) throws -> LoadedCodes {
        guard case .loaded(let codes) = result else { throw Unexpected(result: result) }
        return codes
    }

    struct Unexpected: Error {
        let result: CodeImportResult
    }

    @Test func `what is stored is what sort makes of the file, with its digest`() throws {
        var random = SeededGenerator(seed: 11)
        var codes = (0..<2_001).map { _ in random.code(Int.random(in: 1...64, using: &random)) }
        codes += codes[..<10]
        let result = try loaded(store.importCodes(codes))
        let unique = Set(codes).count
        #expect(result.new == Int64(unique))
        #expect(result.duplicates == Int64(codes.count - unique))
        let text = Data(codes.map { $0 + "\n" }.joined().utf8)
        let sorted = try run("sort", ["-u"], input: text, environment: ["LC_ALL": "C"])
        #expect(try fixture.sqlite3("SELECT codes FROM code_block ORDER BY id") + "\n" == sorted.text)
        let digest = try run("sha256sum", [], input: sorted.output).text.prefix(64)
        #expect(try fixture.sqlite3("SELECT lower(hex(content_digest)) FROM code_batch") == digest)
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_block") == "\((unique + 199) / 200)")
        #expect(try Store(reading: fixture.path).codeFaults() == [])
    }

    @Test func `C04 duplicates regardless of case are dropped, and the same codes again change nothing`() throws {
        let first = try loaded(store.importCodes(["TIDE7Q2M", "tide7q2m", "TIDE7Q2M"]))
        #expect(first.new == 1 && first.duplicates == 2)
        let before = try fixture.sqlite3(".dump")
        guard case .unchanged(let again) = try store.importCodes(["TIDE7Q2M", "tide7q2m", "TIDE7Q2M"]) else {
            Issue.record("a second import is no change")
            return
        }
        #expect(again.new == 0 && again.duplicates == 3 && again.batch == first.batch)
        #expect(try fixture.sqlite3(".dump") == before)
        var told: [(Int64, CodeOwner)] = []
        let other = try store.importCodes(
            ["AAAA", "TIDE7Q2M"], conflict: { place, _, owner in told.append((place.line, owner)) })
        #expect(other == .refused(.knownCodes(1)))
        #expect(told.map(\.0) == [2])
        #expect(told.map(\.1) == [.batch(name: first.batch, isSandbox: false)])
        #expect(try fixture.sqlite3(".dump") == before)
    }

    @Test func `a code of the app's other environment or a custom code is taken, another app's is not`() throws {
        try store.importCodes(["AAAA"], { $0.environment = .sandbox })
        #expect(try store.importCodes(["AAAA"]) == .refused(.knownCodes(1)))
        _ = try loaded(store.importCodes(["AAAA"], { $0.bundleId = .init("com.example.other") }))
        let custom = CustomCode(
            bundleId: .init("com.example.tide"), environment: .production, productId: .init("tide.monthly"),
            offer: .init("BACK30"), code: try #require(OfferCode(rawValue: "spring")), redemptionLimit: 10,
            createdDate: Fixture.now, expiresDate: nil, timeZone: "UTC")
        let quota = CodeQuota(limit: 100, zone: .utc)
        #expect(try store.addCustomCode(custom, quota: quota) == nil)
        #expect(try store.addCustomCode(custom, quota: quota) == .known(.customCodes))
        #expect(try store.importCodes(["BBBB", "SPRING"]) == .refused(.knownCodes(1)))
        var taken = custom
        taken.code = try #require(OfferCode(rawValue: "AAAA"))
        guard case .known(.batch) = try store.addCustomCode(taken, quota: quota) else {
            Issue.record("a code of a batch cannot be a custom code")
            return
        }
    }

    @Test func `a used name, other terms and other names for the same codes are refused`() throws {
        _ = try loaded(store.importCodes(["AAAA"], { $0.name = "spring" }))
        #expect(try store.importCodes(["BBBB"], { $0.name = "spring" }) == .refused(.nameTaken("spring")))
        guard case .unchanged = try store.importCodes(["AAAA"], { $0.name = "spring" }),
            case .unchanged = try store.importCodes(["AAAA"])
        else {
            Issue.record("the same codes under the same or no name are no change")
            return
        }
        let refused = try [
            store.importCodes(["AAAA"], { $0.name = "summer" }),
            store.importCodes(["AAAA"], { $0.productId = .init("tide.yearly") }),
            store.importCodes(["AAAA"], { $0.offer = .init("OTHER") }),
            store.importCodes(["AAAA"], { $0.expiresDate = Fixture.now.adding(milliseconds: 5) }),
        ]
        for result in refused {
            guard case .refused(.otherTerms(batch: "spring", _)) = result else {
                Issue.record("expected other terms, found \(result)")
                continue
            }
        }
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_batch") == "1")
    }

    @Test func `the limit of a quarter is reached but not passed, whatever the codes are`() throws {
        _ = try loaded(store.importCodes(["A1", "A2", "A3"], limit: 5))
        let custom = CustomCode(
            bundleId: .init("com.example.tide"), environment: .production, productId: .init("tide.yearly"),
            offer: .init("OTHER"), code: try #require(OfferCode(rawValue: "SPRING")), redemptionLimit: 2,
            createdDate: Fixture.now, expiresDate: nil, timeZone: "UTC")
        guard case .quotaPassed? = try store.addCustomCode(custom, quota: CodeQuota(limit: 4, zone: .utc)) else {
            Issue.record("three codes and two redemptions pass four")
            return
        }
        #expect(try store.addCustomCode(custom, quota: CodeQuota(limit: 5, zone: .utc)) == nil)
        guard case .refused(.quotaPassed(let use, asked: 1, timeZone: "UTC")) = try store.importCodes(["B1"], limit: 5)
        else {
            Issue.record("a sixth code passes five")
            return
        }
        #expect(use.used == 5 && use.left == 0)
        _ = try loaded(store.importCodes(["B1"], { $0.environment = .sandbox }, limit: 5))
        let earlier = Fixture.now.adding(milliseconds: -100 * 86_400_000)
        _ = try loaded(store.importCodes(["B2"], { $0.createdDate = earlier }, limit: 5))
        let full = try store.importCodes(["B3"], limit: 6)
        #expect(try loaded(full).quota?.left == 0)
    }

    @Test func `imports at once cannot pass the limit together`() throws {
        let (path, count) = (fixture.path, 6)
        let results = Results()
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let codes = (0..<100).map { "C\(index)X\($0)" }
            do {
                results.add(try Store(path, now: Fixture.now).importCodes(codes, limit: 250))
            } catch {
                results.fail("\(error)")
            }
        }
        #expect(results.errors == [])
        let loaded = results.all.filter { if case .loaded = $0 { true } else { false } }
        #expect(loaded.count == 2)
        #expect(try fixture.sqlite3("SELECT sum(total), count(*) FROM code_batch") == "200|2")
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_block") == "2")
    }

    @Test func `of two imports with a code in common one is loaded`() throws {
        let path = fixture.path
        let results = Results()
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let codes = (0..<300).map { "C\(index)X\($0)" } + ["SHARED"]
            do {
                results.add(try Store(path, now: Fixture.now).importCodes(codes))
            } catch {
                results.fail("\(error)")
            }
        }
        #expect(results.errors == [])
        #expect(results.all.filter { $0 == .refused(.knownCodes(1)) }.count == 3)
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_batch") == "1")
    }

    @Test func `what a killed import left is wiped, and one that runs is left alone`() throws {
        try store.importCodes(["AAAA"])
        let row = """
            INSERT INTO code_batch (id, app_id, product_id, offer, name, state, created_date, expires_date, time_zone,
                loaded_date, content_digest, file_digest, file_bytes, lines_with_codes, total)
            SELECT %, app_id, product_id, offer, name, 'loading', created_date, expires_date, time_zone, loaded_date,
                content_digest, file_digest, file_bytes, lines_with_codes, 2 FROM code_batch WHERE id = 1;
            INSERT INTO code_block VALUES (%<<32, 'X1'), (%<<32|1, 'X2');
            """
        for id in ["7", "8"] { try fixture.sqlite3(row.replacingOccurrences(of: "%", with: id)) }
        let lock = try ImportLock(beside: fixture.path)
        #expect(lock.take(batch: 8))
        #expect(try store.codeBatches(now: Fixture.now).count == 1)
        try store.wipeAbandonedImports()
        #expect(try fixture.sqlite3("SELECT id FROM code_batch ORDER BY id") == "1\n8")
        #expect(try fixture.sqlite3("SELECT id >> 32 FROM code_block ORDER BY id") == "1\n8\n8")
    }

    @Test func `a disk that fills half way leaves the inventory as it was`() throws {
        try store.importCodes(["AAAA"])
        var random = SeededGenerator(seed: 3)
        let codes = (0..<40_000).map { _ in random.code() }
        let pages = try fixture.sqlite3("PRAGMA page_count")
        try store.connection.execute("PRAGMA max_page_count = \((Int(pages) ?? 0) + 60)")
        do {
            try store.importCodes(codes)
            Issue.record("sixty pages do not hold two hundred")
        } catch StorageError.full {
        } catch StorageError.transactionLost(because: .full) {
        }
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_batch; SELECT count(*) FROM code_block") == "1\n1")
        try store.connection.execute("PRAGMA max_page_count = 1000000")
        #expect(try loaded(store.importCodes(codes)).new == 40_000)
        #expect(try Store(reading: fixture.path).codeFaults() == [])
    }

    @Test func `a dry run writes nothing`() throws {
        let before = try fixture.sqlite3(".dump")
        guard case .wouldLoad(let codes) = try store.importCodes(["AAAA", "BBBB"], isDryRun: true) else {
            Issue.record("a dry run says what it would load")
            return
        }
        #expect(codes.new == 2 && codes.quota?.used == 2)
        #expect(try fixture.sqlite3(".dump") == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(names.allSatisfy { !$0.contains("sorting") })
    }

    @Test func `codes that are known are found among many batches, few or many at a time`() throws {
        let seed = SeededGenerator(seed: UInt64.random(in: 0 ... .max)).seed
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var known: [String: String] = [:]
        for batch in 0..<12 {
            let codes = (0..<Int.random(in: 1...900, using: &random)).map { _ in random.code(6) }
                .filter { known[$0] == nil }
            for code in codes { known[code] = "b\(batch)" }
            try store.importCodes(codes, { $0.name = "b\(batch)" })
        }
        for size in [1, 3, 40, 5_000] {
            let new = (0..<size).map { _ in random.code(6) }.filter { known[$0] == nil }
            let old = known.keys.sorted().shuffled(using: &random).prefix(size / 2 + 1)
            let all = (new + old).shuffled(using: &random)
            var told: [String: String] = [:]
            let result = try store.importCodes(
                all,
                conflict: { place, code, owner in
                    guard case .batch(let name, _) = owner else { return }
                    #expect(all[Int(place.line) - 1] == code.rawValue)
                    told[code.rawValue] = name
                })
            #expect(result == .refused(.knownCodes(Int64(old.count))))
            #expect(told == known.filter { old.contains($0.key) })
        }
    }

    @Test func `an import that is stopped says so, and nothing of it is left`() throws {
        let store = try fixture.open()
        let stop = CodeImportStop()
        let work = try CodeImport(into: store, stop: stop)
        var random = SeededGenerator(seed: 7)
        for line in 0..<70_000 {
            try Array(random.code().utf8).withUnsafeBufferPointer {
                try work.add($0, at: CodePlace(file: 0, line: Int64(line)))
            }
        }
        // The first look after the codes are in, and one while they are loaded.
        var isLoading = false
        #expect(throws: StorageError.stopped) {
            try work.finish(
                .sample, source: CodeSource(digest: [UInt8](repeating: 1, count: 32), bytes: 1),
                quota: CodeQuota(limit: 100_000, zone: .utc), now: Fixture.now, isDryRun: false,
                progress: { step, _ in
                    guard case .loading = step else { return }
                    isLoading = true
                    stop.stop()
                })
        }
        #expect(isLoading)
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_batch") == "0")
        #expect(try fixture.sqlite3("SELECT count(*) FROM code_block") == "0")
        #expect(try store.importCodes(["AAAA"]) != .refused(.noCodes))
    }
}

/// What several threads came to.
final class Results: @unchecked Sendable {
    // Sendable because the lock is held whenever the lists are touched.
    private let lock = NSLock()
    private var results: [CodeImportResult] = []
    private var failures: [String] = []

    func add(_ result: CodeImportResult) { lock.withLock { results.append(result) } }
    func fail(_ text: String) { lock.withLock { failures.append(text) } }
    var all: [CodeImportResult] { lock.withLock { results } }
    var errors: [String] { lock.withLock { failures } }
}
