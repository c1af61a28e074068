import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// Handing codes out: each to one customer at most.
struct CodeClaimTests {
    let fixture: Fixture
    let store: Store
    private let bundleId = BundleID("com.example.tide")

    init() throws {
        fixture = try Fixture()
        store = try fixture.open()
    }

    private func release(_ code: OfferCode) throws -> CodeMovement {
        try store.releaseCode(code, bundleId: bundleId, environment: .production, reason: "test", now: Fixture.now)
    }

    private func void(_ code: OfferCode) throws -> CodeMovement {
        try store.voidCode(code, bundleId: bundleId, environment: .production, reason: "test", now: Fixture.now)
    }

    @Test func `C05 of 400 who claim at once, 100 get the 100 codes`() throws {
        try store.importCodes((0..<100).map { "TIDE\($0)" })
        let path = fixture.path
        let claimed = ClaimResults()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                let store = try Store(path, now: Fixture.now)
                for index in 0..<50 {
                    claimed.add(try store.claim("customer \(thread)-\(index)")?.code.rawValue)
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        let codes = claimed.all.compactMap { $0 }
        #expect(claimed.all.count == 400 && codes.count == 100 && Set(codes).count == 100)
        #expect(try Store(reading: path).codeFaults() == [])
    }

    @Test func `C06 claims stop the margin before the codes expire`() throws {
        let end = Fixture.now.adding(milliseconds: 30 * 86_400_000)
        try store.importCodes(["TIDE1", "TIDE2", "TIDE3"], { $0.expiresDate = end })
        let day: Int64 = 86_400_000
        #expect(try store.claim("a", at: end.adding(milliseconds: -day - 1)) != nil)
        #expect(try store.claim("b", at: end.adding(milliseconds: -day)) == nil)
        #expect(try store.claim("b", { $0.expiryMarginMilliseconds = 0 }, at: end.adding(milliseconds: -1)) != nil)
        #expect(try store.claim("c", { $0.expiryMarginMilliseconds = 0 }, at: end) == nil)
        // Who has one keeps it.
        #expect(try store.claim("a", at: end)?.isNew == false)
        let status = try #require(try store.codeBatches(now: end).first)
        #expect(status.expired == 1 && status.free == 0 && status.claimed == 2)
    }

    @Test func `the nearest expiry goes first, and never a code of another offer, app or environment`() throws {
        let day: Int64 = 86_400_000
        try store.importCodes(["LATE"], { $0.expiresDate = Fixture.now.adding(milliseconds: 60 * day) })
        try store.importCodes(["SOON"], { $0.expiresDate = Fixture.now.adding(milliseconds: 30 * day) })
        try store.importCodes(["SANDBOX"], { $0.environment = .sandbox })
        try store.importCodes(["OTHER"], { $0.offer = .init("OTHER") })
        try store.importCodes(["FOREIGN"], { $0.bundleId = .init("com.example.other") })
        #expect(try store.claim("a")?.code.rawValue == "SOON")
        #expect(try store.claim("b")?.code.rawValue == "LATE")
        #expect(try store.claim("c") == nil)
        #expect(try store.claim("c", { $0.environment = .sandbox })?.code.rawValue == "SANDBOX")
        #expect(try store.claim("a")?.code.rawValue == "SOON")
        #expect(try store.claim("a", { $0.offer = .init("OTHER") })?.code.rawValue == "OTHER")
        #expect(try store.claim("a", { $0.offer = .init("UNKNOWN") }) == nil)
    }

    @Test func `a released code goes to the next customer, a void one to nobody`() throws {
        try store.importCodes(["AAAA", "BBBB", "CCCC"])
        let first = try #require(try store.claim("a")).code
        #expect(try release(first) == .moved(1))
        #expect(try release(first) == .notClaimed)
        #expect(try store.claim("b")?.code == first)
        let second = try #require(OfferCode(rawValue: "bbbb"))
        #expect(try void(second) == .moved(1))
        #expect(try void(second) == .alreadyVoid)
        #expect(try store.claim("a")?.code.rawValue == "CCCC")
        #expect(try store.claim("c") == nil)
        // The customer of a void code gets another one, when there is one.
        #expect(try void(first) == .moved(1))
        #expect(try store.claim("b") == nil)
        #expect(try release(try #require(OfferCode(rawValue: "ZZZZ"))) == .unknown)
        #expect(try Store(reading: fixture.path).codeFaults() == [])
        let ledger = """
            loaded|3|
            claimed|1|a
            released|1|a
            claimed|1|b
            voided|1|
            claimed|1|a
            voidedClaimed|1|b
            """
        #expect(try fixture.sqlite3("SELECT movement, count, customer FROM code_ledger ORDER BY id") == ledger)
    }

    @Test func `a void batch leaves its customers their codes`() throws {
        try store.importCodes(["AAAA", "BBBB", "CCCC"], { $0.name = "spring" })
        let code = try #require(try store.claim("a")).code
        let void = try store.voidBatch(
            "spring", bundleId: bundleId, environment: .production, reason: "deactivated", now: Fixture.now)
        #expect(void == .moved(2))
        #expect(try store.claim("b") == nil)
        #expect(try store.claim("a")?.code == code)
        #expect(try Store(reading: fixture.path).codeFaults() == [])
        #expect(try release(code) == .moved(1))
        #expect(try store.claim("b") == nil)
        #expect(try Store(reading: fixture.path).codeFaults() == [])
        let status = try #require(try store.codeBatches(now: Fixture.now).first)
        #expect(status.void == 3 && status.claimed == 0 && status.free == 0)
    }

    @Test(arguments: [
        "UPDATE code_batch SET claimed = claimed + 1", "DELETE FROM code_claim", "DELETE FROM offer_code",
        "UPDATE code_ledger SET count = 2 WHERE movement = 'claimed'",
        "UPDATE code_block SET codes = 'BBBB' || char(10) || 'AAAA'",
        "DELETE FROM code_block", "UPDATE code_batch SET is_open = 0", "UPDATE code_batch SET next = 0",
    ])
    func `the check of the books finds what was changed`(change: String) throws {
        try store.importCodes(["AAAA", "BBBB"])
        _ = try store.claim("a")
        #expect(try Store(reading: fixture.path).codeFaults() == [])
        try fixture.sqlite3(change)
        #expect(try Store(reading: fixture.path).codeFaults() != [])
    }

    /// The same as the store does, with lists.
    private struct Model {
        struct Batch {
            let name: String
            let expires: Int64
            var free: Set<String>
            var claimed: [String: String] = [:]
            var void: Set<String> = []
            var isVoid = false
            let all: Set<String>
        }

        var batches: [Batch] = []

        func index(of code: String) -> Int? { batches.firstIndex { $0.all.contains(code) } }
    }

    @Test(arguments: 0..<4)
    func `whatever is claimed, released, voided and loaded, the store does what lists do`(round: Int) throws {
        let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var model = Model()
        var had: [String: String] = [:]
        for step in 0..<400 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<6:
                let codes = Set((0..<Int.random(in: 1...450, using: &random)).map { _ in random.code(8) })
                let expires = Int64.random(in: 2...40, using: &random)
                try store.importCodes(
                    Array(codes),
                    {
                        $0.name = "b\(step)"
                        $0.expiresDate = Fixture.now.adding(milliseconds: expires * 86_400_000)
                    })
                model.batches.append(.init(name: "b\(step)", expires: expires, free: codes, all: codes))
            case 6..<70:
                let customer = "c\(Int.random(in: 0..<300, using: &random))"
                let claimed = try store.claim(customer)
                if let code = had[customer] {
                    #expect(claimed?.code.rawValue == code && claimed?.isNew == false)
                } else if let claimed {
                    let code = claimed.code.rawValue
                    let index = try #require(model.index(of: code))
                    let nearest = model.batches.filter { !$0.free.isEmpty }.map(\.expires).min()
                    #expect(model.batches[index].free.contains(code) && model.batches[index].expires == nearest)
                    model.batches[index].free.remove(code)
                    model.batches[index].claimed[code] = customer
                    had[customer] = code
                } else {
                    let isExhausted = model.batches.allSatisfy { $0.free.isEmpty }
                    #expect(isExhausted)
                }
            case 70..<84:
                guard let (customer, text) = had.min(by: { $0.value < $1.value }) else { continue }
                #expect(try release(try #require(OfferCode(rawValue: text))) == .moved(1))
                had[customer] = nil
                let index = try #require(model.index(of: text))
                model.batches[index].claimed[text] = nil
                if model.batches[index].isVoid {
                    model.batches[index].void.insert(text)
                } else {
                    model.batches[index].free.insert(text)
                }
            case 84..<99:
                let all = model.batches.flatMap(\.all).sorted()
                guard let text = all.randomElement(using: &random), let index = model.index(of: text) else { continue }
                let moved = try void(try #require(OfferCode(rawValue: text)))
                #expect(moved == (model.batches[index].void.contains(text) ? .alreadyVoid : .moved(1)))
                if let customer = model.batches[index].claimed[text] { had[customer] = nil }
                model.batches[index].claimed[text] = nil
                model.batches[index].free.remove(text)
                model.batches[index].void.insert(text)
            default:
                guard let index = model.batches.indices.randomElement(using: &random) else { continue }
                let batch = model.batches[index]
                let moved = try store.voidBatch(
                    batch.name, bundleId: bundleId, environment: .production, reason: "x", now: Fixture.now)
                if case .moved(let count) = moved { #expect(count == Int64(batch.free.count)) }
                model.batches[index].free = []
                model.batches[index].void.formUnion(batch.free)
                model.batches[index].isVoid = true
            }
        }
        let status = try store.codeBatches(now: Fixture.now)
        for batch in model.batches {
            let found = try #require(status.first { $0.batch == batch.name })
            #expect(found.free == Int64(batch.free.count) && found.void == Int64(batch.void.count))
            #expect(found.claimed == Int64(batch.claimed.count) && found.total == Int64(batch.all.count))
        }
        #expect(try Store(reading: fixture.path).codeFaults() == [])
    }
}

/// What several threads got.
private final class ClaimResults: @unchecked Sendable {
    // Sendable because the lock is held whenever the list is touched.
    private let lock = NSLock()
    private var results: [String?] = []

    func add(_ code: String?) { lock.withLock { results.append(code) } }
    var all: [String?] { lock.withLock { results } }
}
