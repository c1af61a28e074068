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

    /// Takes in every line of every file; a line that is refused is told and passed over.
    mutating func run() throws(CommandError) {
        for path in files.paths {
            let lines = try LineReader(path, limit: Limits.payloadFileBytes)
            while let line = try lines.next() {
                try take(line, at: "\(path):\(lines.number)")
                if let text = progress.text(counts, bytes: files.bytesBefore(path) + lines.readBytes, of: files.bytes) {
                    output.progress(text)
                }
            }
        }
        try commit()
        output.progress("")
        if counts.refused > Limits.refusedLinesTold {
            output.error("\(counts.refused - Limits.refusedLinesTold) more lines were refused")
        }
    }

    private mutating func take(_ line: LineReader.Line, at place: String) throws(CommandError) {
        switch line {
        case .tooLong:
            refuse("more than \(Limits.payloadFileBytes) bytes, which no notification has", at: place)
        case .text(let bytes):
            guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return }
            guard let jws = signedPayload(bytes, at: place) else { return }
            do throws(AppStoreError) {
                let notification = try verifier.notification(jws, innerSignatures: .coveredByOuter)
                waiting.append(
                    NotificationIntake(
                        notification, payload: packer.pack(notification.jws), receivedDate: Instant(Date())))
            } catch {
                refuse("\(error.code): \(error)", at: place)
                return
            }
            if waiting.count >= Limits.importBatch { try commit() }
        }
    }

    /// The JWS of a line, bare or in a JSON object.
    private mutating func signedPayload(_ line: [UInt8], at place: String) -> String? {
        let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard text.first == UInt8(ascii: "{") else {
            guard let jws = String(validating: text, as: UTF8.self) else {
                refuse("the line is not UTF-8", at: place)
                return nil
            }
            return String(jws.reversed().drop(while: \.isWhitespace).reversed())
        }
        do throws(JSONSyntaxError) {
            let object = try JSON.parse(Array(text))
            if let jws = object["signedPayload"]?.string { return jws }
            refuse("the object has no text 'signedPayload'", at: place)
        } catch {
            refuse("\(error)", at: place)
        }
        return nil
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

    var text: String {
        let counted = NotificationOutcome.allCases.compactMap { outcome in
            outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
        }
        let all = counted + (refused > 0 ? ["\(refused) refused"] : [])
        return "\(read) notifications read" + (all.isEmpty ? "" : ": " + all.joined(separator: ", ")) + "\n"
    }
}
