import CampaignCore
import Crypto
import FoundationEssentials
import Storage

/// The loading of one code file that came in over HTTP, by the rules and with the words of `codes import`.
struct CodeLoad {
    private let asked: CodeLoadRequest
    private let keyName: String
    private let store: Store
    private let stop: CodeImportStop
    private let now: Instant
    private var rejected: [Rejected] = []
    private var rejectedCount: Int64 = 0

    /// One line that is refused.
    private struct Rejected {
        let line: Int64
        let detail: String
    }

    enum Outcome {
        /// The body of the answer, and the word that it is counted by.
        case answer([UInt8], outcome: String)
        case problem(Problem)
    }

    init(_ asked: CodeLoadRequest, keyName: String, store: Store, stop: CodeImportStop, now: Instant) {
        self.asked = asked
        self.keyName = keyName
        self.store = store
        self.stop = stop
        self.now = now
    }

    mutating func run(_ spool: CodeSpool) throws(StorageError) -> Outcome {
        try stop.check()
        let source = try source(of: spool)
        let digest = SHA256.digest(asked.digested + source.digest)
        if let earlier = try store.newestGrant(requestId: asked.requestId) {
            guard earlier.bodyDigest == digest else { return .problem(Service.requestIdReused(asked.requestId)) }
            if now < earlier.expiresDate { return .answer(earlier.answer, outcome: "repeated") }
        }
        let offers = asked.app.catalog.subscription(asked.terms.productId)?.codeOffers ?? []
        guard offers.contains(where: { $0.offerIdentifier == asked.terms.offer }) else {
            let missing = asked.app.catalog.missingCodeOffer(asked.terms.offer)
            let detail =
                missing?.detail
                ?? "the subscription '\(asked.terms.productId)' has no code offer '\(asked.terms.offer)'; "
                + "name the product that has it"
            return try refused("noCodeOffer", detail, digest)
        }
        if let known = try CodeImport.known(source, asked.terms, in: store) {
            return try remembered(answer("unchanged", known), digest, outcome: "unchanged")
        }
        return try load(spool, source, digest)
    }

    private func source(of spool: CodeSpool) throws(StorageError) -> CodeSource {
        let stream = SHA256Stream()
        try spool.forEachPiece { piece throws(StorageError) in
            try stop.check()
            stream.update(piece)
        }
        return CodeSource(digest: stream.finish(), bytes: spool.bytes)
    }

    private mutating func load(
        _ spool: CodeSpool, _ source: CodeSource, _ digest: [UInt8]
    ) throws(StorageError) -> Outcome {
        let codes = try CodeImport(into: store, stop: stop)
        var reader = CodeStreamReader(appAppleId: asked.app.appAppleId)
        try spool.forEachPiece { piece throws(StorageError) in
            try reader.read(piece) { read, line throws(StorageError) in try take(read, line, codes) }
        }
        _ = try reader.finish { read, line throws(StorageError) in try take(read, line, codes) }
        // Codes that the app has are told beside the lines that are none, so that one look finds all.
        let hasRefusedLines = rejectedCount > 0
        if hasRefusedLines, codes.count == 0 { return try refusedLines(digest) }
        var body: [UInt8] = []
        let result = try codes.finish(
            asked.terms, source: source, quota: asked.quota, now: now, isDryRun: hasRefusedLines,
            conflict: { place, code, owner in
                reject(
                    line: place.line,
                    "the code \(code.masked) is \(owner.place(askedFor: asked.terms.environment)) already")
            },
            published: { loaded throws(StorageError) in
                body = answer("loaded", loaded).bytes
                try store.insertGrant(grant(.granted, digest, body))
            })
        if hasRefusedLines { return try refusedLines(digest) }
        switch result {
        case .loaded: return .answer(body, outcome: "loaded")
        case .unchanged(let known), .wouldLoad(let known):
            return try remembered(answer("unchanged", known), digest, outcome: "unchanged")
        case .refused(let refusal): return try refused(refusal.code, refusal.description, digest)
        }
    }

    private mutating func take(_ read: CodeRead, _ line: Int64, _ codes: CodeImport) throws(StorageError) {
        switch read {
        case .code(let code): try codes.add(code, at: CodePlace(file: 0, line: line))
        case .fault(let fault): reject(line: line, fault.description)
        }
    }

    private mutating func reject(line: Int64, _ detail: String) {
        rejectedCount += 1
        if rejected.count < Limits.refusedLinesTold { rejected.append(Rejected(line: line, detail: detail)) }
    }

    // MARK: - Answers

    private func refusedLines(_ digest: [UInt8]) throws(StorageError) -> Outcome {
        let isOne = rejectedCount == 1
        return try refused(
            "linesRefused",
            "\(rejectedCount) \(isOne ? "line was" : "lines were") refused, so nothing was loaded; correct "
                + "\(isOne ? "it" : "them") and load the file again", digest)
    }

    private func refused(_ code: String, _ detail: String, _ digest: [UInt8]) throws(StorageError) -> Outcome {
        try remembered(answer("refused", nil, reason: (code, detail)), digest, outcome: "refused")
    }

    private func remembered(_ answer: JSON, _ digest: [UInt8], outcome: String) throws(StorageError) -> Outcome {
        let body = answer.bytes
        try store.insertGrant(grant(outcome == "refused" ? .refused : .granted, digest, body))
        return .answer(body, outcome: outcome)
    }

    private func grant(_ decision: Grant.Decision, _ digest: [UInt8], _ body: [UInt8]) -> Grant {
        var grant = Grant(
            requestId: asked.requestId, kind: Route.loadCodes.name, bodyDigest: digest, keyName: keyName,
            bundleId: asked.terms.bundleId, environment: asked.terms.environment, productId: asked.terms.productId,
            decision: decision, issuedDate: now,
            expiresDate: now.adding(milliseconds: Limits.claimAnswerMilliseconds), answer: body)
        grant.offerIdentifier = asked.terms.offer
        return grant
    }

    private func answer(_ decision: String, _ codes: LoadedCodes?, reason: (String, String)? = nil) -> JSON {
        [
            "decision": .string(decision), "batch": .text(codes?.batch),
            "new": codes.map { .integer($0.new) } ?? .null,
            "duplicates": codes.map { .integer($0.duplicates) } ?? .null,
            "expiresDate": .instant(codes?.expiresDate),
            "quota": codes?.quota.map { $0.json(zone: asked.quota.zone.name) } ?? .null,
            "reasons": .array(
                [reason].compactMap(\.self).map { ["code": .string($0.0), "detail": .string($0.1)] }),
            "linesRefused": .integer(rejectedCount),
            "lines": .array(rejected.map { ["line": .integer($0.line), "detail": .string($0.detail)] }),
        ]
    }
}

extension CodeLoad {
    /// Every `code` of its reasons.
    static let reasonCodes = CodeImportRefusal.allCodes + ["linesRefused", "noCodeOffer"]
}
