import CampaignCore
import FoundationEssentials
import Server
import Storage

// Offer codes: loaded as a marketer does, handed out as a back end does, and the books of it.
extension DemoJobs {
    /// In this order: each builds on the one before.
    var codeJobs: [(name: String, job: () throws -> String)] {
        var loaded = LoadedCodes(codes: [], batch: "")
        var first = ClaimedCode(customer: "", code: "")
        return [
            (
                "a marketer loads a file of offer codes",
                {
                    loaded = try load()
                    return "\(loaded.codes.count) codes of \(DemoCatalog.codeOffer), ready and free"
                }
            ),
            (
                "a customer gets a code of the offer",
                {
                    first = try claimed(from: loaded)
                    return "granted \(first.code), one less is free"
                }
            ),
            ("the same customer gets the same code again", { try claimedAgain(first) }),
            ("the books of every batch of codes are right", books),
        ]
    }

    private struct LoadedCodes {
        let codes: [String]
        let batch: String
    }

    private struct ClaimedCode {
        let customer: String
        let code: String
    }

    private func load() throws -> LoadedCodes {
        let codes = Demo.makeCodes()
        let answer = try demo.load(codes, requestId: environment.makeUUID())
        guard answer["new"]?.integer == Int64(codes.count), let batch = answer["batch"]?.string,
            try free()[batch] == Int64(codes.count)
        else { throw Fault(description: "not so: \(String(decoding: answer.bytes, as: UTF8.self))") }
        return LoadedCodes(codes: codes, batch: batch)
    }

    private func claimed(from loaded: LoadedCodes) throws -> ClaimedCode {
        let customer = environment.makeUUID().lowercaseString
        let before = try free()
        let answer = try claim(customer)
        guard let code = answer["code"]?.string, answer["productId"]?.string == DemoCatalog.codeProductId.rawValue,
            answer["redemptionURL"]?.string?.hasSuffix("&id=\(DemoFolder.appAppleId)&code=\(code)") == true
        else { throw Fault(description: "not so: \(String(decoding: answer.bytes, as: UTF8.self))") }
        // A folder that was used before has older batches, which expire earlier and so go first.
        let after = try free()
        let changed = before.keys.filter { before[$0] != after[$0] }
        guard changed.count == 1, let batch = changed.first, after[batch] == before[batch].map({ $0 - 1 }),
            batch != loaded.batch || loaded.codes.contains(code)
        else { throw Fault(description: "'\(code)' was granted, but is not what is missing from \(changed)") }
        return ClaimedCode(customer: customer, code: code)
    }

    private func claimedAgain(_ first: ClaimedCode) throws -> String {
        let before = try free()
        let answer = try claim(first.customer)
        guard answer["code"]?.string == first.code, try free() == before else {
            throw Fault(description: "not '\(first.code)': \(String(decoding: answer.bytes, as: UTF8.self))")
        }
        return "granted \(first.code) to another requestId, and none is taken"
    }

    private func books() throws -> String {
        let faults = try Store(reading: demo.folder.databasePath).codeFaults()
        guard faults.isEmpty else { throw Fault(description: faults.joined(separator: "; ")) }
        return "counts, codes, claims, ledger and blocks agree"
    }

    private func claim(_ customer: String) throws -> JSON {
        let body = demo.claim(environment.makeUUID(), customer: customer).bytes
        let answer = try client.send("POST", "/v1/codes/claims", bearer: demo.clientKey, body: body)
        guard answer.status == 200, let json = JSON.read(answer.body), json["decision"] == "granted" else {
            throw Fault(
                description: "not granted: status \(answer.status), \(String(decoding: answer.body, as: UTF8.self))")
        }
        return json
    }

    /// How many codes of each batch that is ready are free, as the service tells a marketer.
    private func free() throws -> [String: Int64] {
        let answer = try client.send("GET", "/v1/code-batches", bearer: demo.marketerKey)
        guard answer.status == 200, case .array(let batches)? = JSON.read(answer.body)?["batches"] else {
            throw Fault(description: "status \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        var free: [String: Int64] = [:]
        for one in batches where one["state"] == "ready" {
            if let batch = one["batch"]?.string, let count = one["free"]?.integer { free[batch] = count }
        }
        return free
    }
}
