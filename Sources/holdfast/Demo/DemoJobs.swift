import AppStore
import CampaignCore
import Crypto
import FoundationEssentials
import Server
import PrivateAppStore

/// Each main job done once over HTTP, its result verified and printed.
struct DemoJobs {
    let demo: Demo
    let environment: Server.Environment
    let output: Output

    private static let path = "/v1/signatures/promotional-offer"

    /// Why a job did not do what it should, as a sentence.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// Does every job; true when all of them did what they should.
    func run() -> Bool {
        let jobs: [(name: String, job: () throws -> String)] =
            [
                ("the service is ready", ready),
                ("a subscriber gets a signed offer", signedOffer),
                ("the same requestId gets the same answer", repeatedRequest),
                ("a device proves itself with its own signed transaction", deviceOffer),
                ("a refusal names every reason", refusal),
                ("a request without a key is turned away", withoutKey),
            ] + campaignJobs + subscriberJobs + codeJobs
        var failures = 0
        for (name, job) in jobs {
            do {
                let result = try job()
                output.write("\(output.coloured("ok", .green))    \(name)\n      \(result)\n")
            } catch {
                failures += 1
                let fault = (error as? CommandError)?.messages.joined(separator: "; ") ?? "\(error)"
                output.write("\(output.coloured("FAIL", .red))  \(name)\n      \(fault)\n")
            }
        }
        output.write(
            failures == 0 ? "all \(jobs.count) jobs done and verified\n" : "\(failures) of \(jobs.count) failed\n")
        return failures == 0
    }

    var client: HTTPClient { HTTPClient(port: demo.port) }

    private func ask(_ body: JSON, key: String? = nil) throws -> (status: Int, answer: JSON, bytes: [UInt8]) {
        let answer = try client.send("POST", Self.path, bearer: key ?? demo.clientKey, body: body.bytes)
        guard let json = JSON.read(answer.body) else { throw Fault(description: "the answer is no JSON") }
        return (answer.status, json, answer.body)
    }

    private func ready() throws -> String {
        let answer = try client.send("GET", "/health/ready")
        guard answer.status == 200 else { throw Fault(description: "status \(answer.status)") }
        return "GET /health/ready: 200"
    }

    private func signedOffer() throws -> String {
        let (_, answer, _) = try ask(demo.request(environment.makeUUID(), customer: demo.namedCustomer))
        return try verified(answer, token: demo.leaving?.appAccountToken)
    }

    private func repeatedRequest() throws -> String {
        let request = demo.request(environment.makeUUID(), customer: demo.namedCustomer)
        let (first, second) = (try ask(request), try ask(request))
        guard first.bytes == second.bytes, first.status == 200 else { throw Fault(description: "the answers differ") }
        return "\(first.bytes.count) bytes, twice the same"
    }

    private func deviceOffer() throws -> String {
        guard var transaction = demo.leaving?.transaction else {
            throw Fault(description: "the demo has no subscriber")
        }
        transaction.signedDate = environment.now()
        let jws = try demo.folder.appStore.signedTransaction(transaction)
        let request = demo.request(
            environment.makeUUID(), offer: "free_month", customer: [.init("signedTransactionInfo", .string(jws))])
        let (_, answer, _) = try ask(request, key: demo.deviceKey)
        return try verified(answer, token: nil)
    }

    private func refusal() throws -> String {
        let nobody: [JSON.Member] = [.init("originalTransactionId", "2000001999999999")]
        let (status, answer, _) = try ask(
            demo.request(environment.makeUUID(), product: "reader.annual", customer: nobody))
        guard status == 200, answer["decision"] == "refused", case .array(let reasons)? = answer["reasons"] else {
            throw Fault(description: "not a refusal: status \(status)")
        }
        let codes = reasons.compactMap { $0["code"] }
        guard codes == ["offerNotOnProduct", "neverSubscribed"] else {
            throw Fault(description: "other reasons: \(String(decoding: answer.bytes, as: UTF8.self))")
        }
        return "refused: offerNotOnProduct, neverSubscribed"
    }

    private func withoutKey() throws -> String {
        let answer = try client.send("POST", Self.path, body: [UInt8]("{}".utf8))
        guard answer.status == 401 else { throw Fault(description: "status \(answer.status)") }
        return "401 keyMissing"
    }

    /// Checks both signatures of an answer with the public key, as StoreKit would.
    func verified(_ answer: JSON, token: UUID?) throws -> String {
        guard answer["decision"] == "offered", let v1 = answer["v1"],
            let compactJWS = answer["v2"]?["compactJWS"]?.string
        else { throw Fault(description: "not offered: \(String(decoding: answer.bytes, as: UTF8.self))") }
        let publicKey = try P256PublicKey(
            pem: String(
                decoding: try readFile(demo.folder.publicKeyPath, limit: Limits.certificateFileBytes), as: UTF8.self))
        let check = SignatureCheck(
            keys: [.init(keyId: DemoFolder.keyId, publicKey: publicKey)], bundleIds: [DemoFolder.bundleId],
            issuerIds: [DemoFolder.issuerId], products: [], now: environment.now())
        let received = ReceivedSignature(
            bundleId: DemoFolder.bundleId.rawValue, keyIdentifier: v1["keyIdentifier"]?.string ?? "",
            productId: answer["productId"]?.string ?? "", offerIdentifier: answer["offerIdentifier"]?.string ?? "",
            appAccountToken: token?.lowercaseString, nonce: v1["nonce"]?.string ?? "",
            timestamp: v1["timestamp"]?.prettyText ?? "", signature: v1["signature"]?.string ?? "")
        let faults = check.faults(of: received) + check.faults(ofCompactJWS: compactJWS)
        guard faults.isEmpty else { throw Fault(description: faults.map { "\($0)" }.joined(separator: "; ")) }
        let offer = "\(received.offerIdentifier) on \(received.productId)"
        return "offered \(offer), V1 and V2 verify\(token == nil ? "" : ", token signed")"
    }
}
