import AppStore
import CampaignCore
import FoundationEssentials
import Server
import Storage
import YAML

/// One run of `notifications import`.
struct NotificationsImport {
    private let files: InputFiles
    private let verifier: SignedDataVerifier
    private let store: Store
    private let output: Output
    private let packer = PayloadPacker()
    private var waiting: [NotificationIntake] = []
    private var progress = ImportProgress()
    private(set) var counts = ImportCounts()

    init(files: InputFiles, verifier: SignedDataVerifier, store: Store, output: Output) {
        self.files = files
        self.verifier = verifier
        self.store = store
        self.output = output
    }

    /// Takes in everything in every file; what is refused is told and passed over.
    mutating func run() throws(CommandError) {
        for path in files.paths {
            if let document = try ImportedDocument(path, bytes: files.size(of: path)) {
                try take(document, at: path)
                continue
            }
            let lines = try LineReader(path, limit: Limits.payloadFileBytes)
            while let line = try lines.next() {
                try take(line, at: "\(path):\(lines.number)")
                tellProgress(bytes: files.bytesBefore(path) + lines.readBytes)
            }
        }
        try commit()
        output.progress("")
        if counts.refused > Limits.refusedLinesTold {
            output.error("\(counts.refused - Limits.refusedLinesTold) more were refused")
        }
    }

    private mutating func tellProgress(bytes: Int64) {
        if let text = progress.text(counts, bytes: bytes, of: files.bytes) { output.progress(text) }
    }

    private mutating func take(_ document: ImportedDocument, at path: String) throws(CommandError) {
        switch document {
        case .refused(let reason): refuse(reason, at: path)
        case .payloads(let payloads):
            for payload in payloads { try take(payload, at: path) }
            tellProgress(bytes: files.bytesBefore(path) + (files.size(of: path) ?? 0))
        }
    }

    private mutating func take(_ line: LineReader.Line, at place: String) throws(CommandError) {
        switch line {
        case .tooLong:
            refuse("more than \(Limits.payloadFileBytes) bytes, which no notification has", at: place)
        case .text(let bytes):
            switch ImportedDocument(line: bytes) {
            case nil: return
            case .refused(let reason): refuse(reason, at: place)
            case .payloads(let payloads): for payload in payloads { try take(payload, at: place) }
            }
        }
    }

    private mutating func take(_ jws: String, at place: String) throws(CommandError) {
        guard try !isLogged(jws) else {
            counts.count(.duplicate)
            return
        }
        do throws(AppStoreError) {
            let notification = try verifier.notification(jws, innerSignatures: .coveredByOuter)
            waiting.append(
                NotificationIntake(notification, payload: packer.pack(notification.jws), receivedDate: Instant(Date())))
        } catch {
            refuse("\(error.code): \(error)", at: place)
            return
        }
        if waiting.count >= Limits.importBatch { try commit() }
    }

    /// Whether the very same payload is in the log; it was verified then, and need not be again.
    private func isLogged(_ jws: String) throws(CommandError) -> Bool {
        guard let payload = try? JWS(jws).payload,
            let uuid = JSON.read(payload)?["notificationUUID"]?.string.flatMap({ UUID(strict: $0) })
        else { return false }
        do throws(StorageError) {
            return try store.isLogged(jws, as: uuid)
        } catch {
            throw .failed(error)
        }
    }

    private mutating func refuse(_ reason: String, at place: String) {
        counts.refused += 1
        guard counts.refused <= Limits.refusedLinesTold else { return }
        output.progress("")
        output.error("\(shown(place, limit: Limits.quotedPath)): \(reason)")
    }

    /// Logs and folds what waits in one commit, which is short, so that the service goes on meanwhile.
    private mutating func commit() throws(CommandError) {
        guard !waiting.isEmpty else { return }
        let batch = waiting
        waiting.removeAll(keepingCapacity: true)
        let received: [ReceivedNotification]
        do throws(StorageError) {
            received = try store.connection.transaction { () throws(StorageError) in
                try batch.map { intake throws(StorageError) in try intake.take(store) }
            }
        } catch {
            throw .failed(error)
        }
        for one in received { counts.count(one.outcome) }
    }
}

/// How many lines came to what.
struct ImportCounts {
    var refused = 0
    private var outcomes: [NotificationOutcome: Int] = [:]

    mutating func count(_ outcome: NotificationOutcome) {
        outcomes[outcome, default: 0] += 1
    }

    var read: Int { outcomes.values.reduce(refused, +) }

    var json: JSON {
        let counted = NotificationOutcome.allCases.map { outcome in
            JSON.Member(outcome.rawValue, .integer(Int64(outcomes[outcome] ?? 0)))
        }
        return .object(
            [JSON.Member("read", .integer(Int64(read)))] + counted + [.init("refused", .integer(Int64(refused)))])
    }

    /// One line an outcome that came up, with what it means.
    var text: String {
        let rows = NotificationOutcome.allCases.compactMap { outcome in
            outcomes[outcome].map { ["  \($0)", outcome.rawValue, outcome.meaning] }
        }
        let all =
            rows + (refused > 0 ? [["  \(refused)", "refused", "not from the App Store, or no notification"]] : [])
        return (["\(read) notifications read"] + columns(all)).joined(separator: "\n") + "\n"
    }
}

extension NotificationOutcome {
    fileprivate var meaning: String {
        switch self {
        case .folded: "new, and part of their subscription now"
        case .stale: "kept; they tell nothing that was not known"
        case .notFolded: "kept; their type tells nothing of a subscription"
        case .unknownType: "kept; their type is unknown to this version"
        case .failed: "kept; what they carry cannot be read, 'subscriber show' says why"
        case .duplicate: "here already"
        case .conflicting: "kept; other content under the notificationUUID of another one"
        case .erased: "not kept; signed before their customer was erased"
        }
    }
}
