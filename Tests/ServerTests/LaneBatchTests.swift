import CampaignCore
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

/// What happens to the requests of one batch when one of them fails, with the database as the judge.
@Suite struct LaneBatchTests {
    /// A lane on a new database, whose first job holds it until all others of the batch are there, and joins them.
    private final class HeldLane: Sendable {
        let folder: TemporaryFolder
        let lane: DatabaseLane
        let answers = Mutex<[Int: Int]>([:])
        private let gate = DispatchSemaphore(value: 0)
        private let begun = DispatchSemaphore(value: 0)
        private let done = DispatchSemaphore(value: 0)

        init() throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            let path = folder.path("holdfast.sqlite")
            lane = try DatabaseLane { () throws(StorageError) in
                LaneContext(
                    store: try Store(path, now: TestServer.start),
                    environment: Server.Environment(now: { TestServer.start }, makeUUID: { UUID() }),
                    log: Log(descriptor: -1))
            }
        }

        /// Runs `works` in one batch; the status of each answer.
        func run(_ works: [LaneWork]) -> [Int] {
            let gate = gate
            let begun = begun
            lane.submit { _ in
                begun.signal()
                gate.wait()
                // When one of the batch fails it runs again.
                gate.signal()
                return .text("held")
            } answer: { _ in
            }
            // It has the lane to itself, so all that is submitted from here on is of one batch.
            begun.wait()
            for (index, work) in works.enumerated() {
                lane.submit(work) { [self] response in
                    answers.withLock { $0[index] = response.status }
                    done.signal()
                }
            }
            gate.signal()
            for _ in works { done.wait() }
            lane.stop()
            return works.indices.map { index in answers.withLock { $0[index] ?? 0 } }
        }

        func keyNames() throws -> [String] {
            try Store(reading: folder.path("holdfast.sqlite")).apiKeys().map(\.name)
        }
    }

    private static func makeKey(_ name: String, in context: LaneContext) throws(StorageError) {
        try context.store.createAPIKey(
            APIKey(name: name, role: .client, bundleId: nil, createdDate: TestServer.start),
            digest: Array(name.utf8) + [UInt8](repeating: 0, count: 32 - name.utf8.count))
    }

    @Test func `a request that fails after it wrote is undone alone, and the others are counted once`() throws {
        let lane = try HeldLane()
        let tries = Mutex(0)
        let effects = Mutex<[String]>([])
        func work(_ name: String, fails: Bool = false) -> LaneWork {
            { context throws(StorageError) in
                tries.withLock { $0 += 1 }
                try Self.makeKey(name, in: context)
                context.afterCommit { effects.withLock { $0.append(name) } }
                if fails { throw .busy(path: "x") }
                return .text(name)
            }
        }
        let statuses = lane.run([work("a"), work("b", fails: true), work("c")])
        #expect(statuses == [200, 503, 200])
        #expect(try lane.keyNames() == ["a", "c"])
        #expect(effects.withLock { $0 } == ["a", "c"])
        // Two before the failure was met, and all three once more with savepoints.
        #expect(tries.withLock { $0 } == 5)
    }

    @Test func `a batch in which nothing fails is done once`() throws {
        let lane = try HeldLane()
        let tries = Mutex(0)
        let work: @Sendable (String) -> LaneWork = { name in
            { context throws(StorageError) in
                tries.withLock { $0 += 1 }
                try Self.makeKey(name, in: context)
                return .text(name)
            }
        }
        #expect(lane.run([work("a"), work("b")]) == [200, 200])
        #expect(try lane.keyNames() == ["a", "b"])
        #expect(tries.withLock { $0 } == 2)
    }

    @Test func `the lane tells a key revoked by another process in its next transaction`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("holdfast.sqlite")
        let context = LaneContext(
            store: try Store(path, now: TestServer.start),
            environment: Server.Environment(now: { TestServer.start }, makeUUID: { UUID() }), log: Log(descriptor: -1))
        let other = try Store(path, now: TestServer.start)
        let digest = [UInt8](repeating: 7, count: 32)
        try other.createAPIKey(
            APIKey(name: "shop", role: .client, bundleId: nil, createdDate: TestServer.start), digest: digest)
        func found() throws -> APIKey? {
            try context.store.connection.begin()
            defer { try? context.store.connection.commit() }
            try context.transactionBegan()
            return try context.apiKey(digest: digest)
        }
        #expect(try found()?.isRevoked == false)
        // Its own commits do not make it look again; what another connection commits does.
        try context.store.check(now: TestServer.start)
        #expect(try found()?.isRevoked == false)
        _ = try other.revokeAPIKey("shop", now: TestServer.start)
        #expect(try found()?.isRevoked == true)
    }
}
