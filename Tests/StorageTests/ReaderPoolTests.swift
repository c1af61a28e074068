import CampaignCore
import Foundation
import Synchronization
import Testing

@testable import Storage

struct ReaderPoolTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func `threads read at once while one writes, and see each commit`() throws {
        let store = try fixture.open()
        let pool = ReaderPool(path: fixture.path)
        let failures = Mutex<[StorageError]>([])
        let writes = 40
        let requestIds = (0..<writes).map { _ in UUID() }
        let committed = Mutex(0)
        let readers = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: readers) {
                var isDone = false
                while !isDone {
                    let count = committed.withLock { $0 }
                    isDone = count == writes
                    guard count > 0 else { continue }
                    do throws(StorageError) {
                        let grant = try pool.withReader { store throws(StorageError) in
                            try store.newestGrant(requestId: requestIds[count - 1])
                        }
                        if grant == nil { throw .nameTaken("a commit was not seen") }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
            }
        }
        for requestId in requestIds {
            try store.insertGrant(.sample(requestId: requestId))
            committed.withLock { $0 += 1 }
        }
        readers.wait()
        #expect(failures.withLock { $0 } == [])
    }

    @Test func `a reader is used again, also after an error`() throws {
        _ = try fixture.open()
        let pool = ReaderPool(path: fixture.path)
        let first = try pool.withReader { store throws(StorageError) in ObjectIdentifier(store) }
        #expect(throws: StorageError.nameNotAllowed) {
            try pool.withReader { store throws(StorageError) in
                try store.connection.begin()
                throw .nameNotAllowed
            }
        }
        let again = try pool.withReader { store throws(StorageError) in
            #expect(store.connection.isInTransaction == false)
            return ObjectIdentifier(store)
        }
        #expect(again == first)
    }

    @Test func `a pool of an absent database says so at each use`() throws {
        let pool = ReaderPool(path: fixture.path)
        for _ in 0..<2 {
            #expect(throws: StorageError.cannotOpen(path: fixture.path, reason: "no such file or directory")) {
                try pool.withReader { _ in }
            }
        }
        _ = try fixture.open()
        try pool.withReader { store throws(StorageError) in #expect(try store.apiKeys() == []) }
    }
}
