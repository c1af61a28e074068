import CampaignCore
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Code files on their way in, with a load that goes on until it is told to stop.
@Suite(.serialized) struct `Code files on their way in` {
    /// A server whose loads never end by themselves.
    private struct StuckServer {
        let http: HTTPServer
        let uploads: CodeUploads
        /// Loads that have begun.
        let begun = Begun()
        private let folder: TemporaryFolder

        final class Begun: Sendable {
            let count = Atomic<Int>(0)
        }

        init() throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            let path = folder.path("lane.sqlite")
            let begun = begun
            let lane = try DatabaseLane { () throws(StorageError) in
                LaneContext(
                    store: try Store(path, now: TestServer.start),
                    environment: Server.Environment(now: { TestServer.start }, makeUUID: { UUID() }), log: Log())
            }
            uploads = CodeUploads { _, uploads in
                guard uploads.enter() else { return .failure(Problem(.busy, "full")) }
                guard let spool = try? CodeSpool(beside: path) else { return .failure(Problem(.busy, "no file")) }
                return .success(
                    CodeUpload(into: spool, of: uploads) { _, stop in
                        begun.count.add(1, ordering: .relaxed)
                        do throws(StorageError) {
                            while true {
                                try stop.check()
                                Thread.sleep(forTimeInterval: 0.01)
                            }
                        } catch {
                            return error.problem.response
                        }
                    })
            }
            http = try HTTPServer(
                socket: ListeningSocket(#require(ListenAddress("127.0.0.1:0"))), lane: lane, uploads: uploads
            ) { _ in .now(.text("done")) }
        }
    }

    @Test func `are four at most, and a service that ends answers each of them`() throws {
        let server = try StuckServer()
        let port = server.http.port
        let answers = Mutex<[CurlAnswer?]>([])
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                let answer = try? curl("POST", port: port, path: "/v1/code-batches", body: Data("A1\n".utf8))
                answers.withLock { $0.append(answer) }
            }
        }
        for _ in 0..<6000 where !isFull(server.uploads) { Thread.sleep(forTimeInterval: 0.01) }
        let fifth = try curl("POST", port: port, path: "/v1/code-batches", body: Data("A1\n".utf8))
        #expect(fifth.status == 503 && fifth.problem == "busy", "\(fifth)")
        // One is loaded after the other, and other requests are answered meanwhile.
        #expect(server.begun.count.load(ordering: .relaxed) == 1)
        #expect(try curl("GET", port: port, path: "/").text == "done")
        server.http.stop()
        group.wait()
        let all = answers.withLock { $0 }
        #expect(all.map { $0?.status } == [503, 503, 503, 503], "\(all)")
        #expect(all.allSatisfy { $0?.problem == "storageUnavailable" }, "\(all)")
    }

    private func isFull(_ uploads: CodeUploads) -> Bool {
        guard uploads.enter() else { return true }
        uploads.leave()
        return false
    }
}
