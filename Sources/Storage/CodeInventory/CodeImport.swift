public import CampaignCore
import Crypto
import Glibc

/// One import of one-time codes: takes codes one by one in any number and order, and loads all of them or none.
///
/// Memory stays bounded however many there are: codes are sorted a million at a time and merged from temporary files.
/// Others read and write meanwhile; what is loaded becomes visible by one small commit at the end.
public final class CodeImport {
    /// What goes on, for a line of progress.
    public enum Step: Sendable {
        case checking
        case loading
    }

    private let store: Store
    private var connection: Connection { store.connection }
    private var sorter: CodeSorter?
    private let stop: CodeImportStop
    /// How many codes were added, duplicates among them.
    public private(set) var count: Int64 = 0

    /// Wipes what killed imports have left. Errors: those of the database, and `full` for a volume without space.
    ///
    /// - Parameter stop: who ends the import early from another thread; then it throws `stopped`.
    public init(into store: Store, stop: CodeImportStop = CodeImportStop()) throws(StorageError) {
        self.store = store
        self.stop = stop
        try store.wipeAbandonedImports()
        sorter = try CodeSorter(beside: store.connection.path)
    }

    /// Takes a code in upper case of 1 to 64 letters and digits; `place` is told when the app has it already.
    public func add(_ code: UnsafeBufferPointer<UInt8>, at place: CodePlace) throws(StorageError) {
        count += 1
        if count & 0xffff == 0 { try stop.check() }
        try sorter?.add(code, at: place)
    }

    /// The batch that was loaded from these very bytes on these terms, so that nothing needs to be read again.
    public static func known(
        _ source: CodeSource, _ terms: CodeBatchTerms, in store: Store
    ) throws(StorageError) -> LoadedCodes? {
        guard let appId = try store.appId(terms.bundleId, terms.environment) else { return nil }
        let found = try store.connection.rows(
            """
            SELECT \(raw: StoredBatch.columns) FROM code_batch
            WHERE app_id = \(appId) AND state <> 'loading' AND file_digest = \(source.digest)
            AND file_bytes = \(source.bytes)
            """
        ) { row throws(StorageError) in try StoredBatch(&row) }
        return found.first { $0.difference(from: terms) == nil && (terms.name ?? $0.name) == $0.name }
            .map { $0.unchanged(read: $0.linesWithCodes) }
    }

    /// Whether a batch of the app was loaded from so many bytes, so that it is worth while to look closer.
    public static func hasBatch(
        ofBytes bytes: Int64, bundleId: BundleID, environment: AppStoreEnvironment, in store: Store
    ) throws(StorageError) -> Bool {
        guard let appId = try store.appId(bundleId, environment) else { return false }
        let count = try store.connection.value(
            """
            SELECT count(*) FROM code_batch
            WHERE app_id = \(appId) AND state <> 'loading' AND file_bytes = \(bytes)
            """, Int64.self)
        return count != 0
    }

    /// Checks all that was added against the app's inventory and loads it.
    ///
    /// - `quota` counts for Production alone.
    /// - `conflict` hears of each code that the app has already, in order of the codes.
    /// - `progress` hears how many codes are through a step.
    /// - `published` writes what belongs to the same commit as the batch.
    public func finish(
        _ terms: CodeBatchTerms, source: CodeSource, quota: CodeQuota, now: Instant, isDryRun: Bool,
        conflict: (CodePlace, OfferCode, CodeOwner) -> Void = { _, _, _ in },
        progress: (Step, Int64) -> Void = { _, _ in },
        published: (LoadedCodes) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CodeImportResult {
        guard count > 0, let sorter else { return .refused(.noCodes) }
        let sorted = try sorter.finish()
        self.sorter = nil
        let inventory = try Inventory(of: terms.bundleId, store)
        let writer = try CodeBlockWriter(beside: connection.path)
        let conflicts = try check(
            sorted, against: inventory, writer: writer, conflict: { _, _, _ in }, progress: progress)
        let blocks = try writer.finish()
        if let answer = try sameContent(blocks, terms) { return answer }
        if conflicts > 0 {
            // Told in a second pass, because of the same content not one of them is worth telling.
            _ = try check(sorted, against: inventory, writer: nil, conflict: conflict, progress: progress)
            return .refused(.knownCodes(conflicts))
        }
        if let refusal = try refusal(blocks, terms, quota) { return .refused(refusal) }
        let name = try batchName(blocks, terms)
        if isDryRun {
            let use = try quotaUse(terms, quota).map {
                CodeQuotaUse(quarter: $0.quarter, used: $0.used + blocks.total, quota: quota)
            }
            return .wouldLoad(loaded(blocks, terms, name: name, quota: use))
        }
        let lock = try ImportLock(beside: connection.path)
        let batch = try begin(blocks, terms, source, name: name, now: now, lock)
        let result: CodeImportResult
        do throws(StorageError) {
            try CodeBlockLoader(connection, batch: batch).load(blocks) { done throws(StorageError) in
                try stop.check()
                progress(.loading, done)
            }
            result = try publish(
                batch, blocks, sorted, terms, quota, now, checked: inventory, conflict: conflict, progress: progress,
                published: published)
        } catch {
            // What cannot be wiped now is left to the next import.
            try? store.wipe(batch: batch)
            throw error
        }
        if case .loaded = result { return result }
        try store.wipe(batch: batch)
        return result
    }

    /// Makes the batch visible once everything that became ready meanwhile has been compared too.
    private func publish(
        _ batch: Int64, _ blocks: CodeBlocks, _ sorted: SortedCodes, _ terms: CodeBatchTerms, _ quota: CodeQuota,
        _ now: Instant, checked: Inventory, conflict: (CodePlace, OfferCode, CodeOwner) -> Void,
        progress: (Step, Int64) -> Void, published: (LoadedCodes) throws(StorageError) -> Void
    ) throws(StorageError) -> CodeImportResult {
        var checked = checked
        while true {
            let result = try connection.transaction { () throws(StorageError) -> CodeImportResult? in
                // Looked at under the lock, so that nothing can come between.
                guard try Inventory(of: terms.bundleId, store) == checked else { return nil }
                if let refusal = try refusal(blocks, terms, quota) { return .refused(refusal) }
                let name = try batchName(blocks, terms)
                try show(batch, blocks, name: name, now: now)
                let loaded = loaded(blocks, terms, name: name, quota: try quotaUse(terms, quota))
                try published(loaded)
                return .loaded(loaded)
            }
            if let result { return result }
            let present = try Inventory(of: terms.bundleId, store)
            let conflicts = try check(
                sorted, against: present.without(checked), writer: nil, conflict: { _, _, _ in }, progress: progress)
            if conflicts > 0 {
                // Another import of the very same codes was faster, perhaps.
                if let answer = try sameContent(blocks, terms) { return answer }
                _ = try check(
                    sorted, against: present.without(checked), writer: nil, conflict: conflict, progress: progress)
                return .refused(.knownCodes(conflicts))
            }
            checked = present
        }
    }

    /// What an app has, both environments together.
    private struct Inventory: Equatable {
        private(set) var batches: [KnownBatch]
        private(set) var customCodes: [String]

        init(of bundleId: BundleID, _ store: Store) throws(StorageError) {
            batches = try store.knownBatches(of: bundleId)
            customCodes = try store.customCodes(of: bundleId)
        }

        /// What came since `earlier`.
        func without(_ earlier: Inventory) -> Inventory {
            var new = self
            let (batches, codes) = (Set(earlier.batches), Set(earlier.customCodes))
            new.batches.removeAll { batches.contains($0) }
            new.customCodes.removeAll { codes.contains($0) }
            return new
        }
    }

    /// Counts the codes that the app has already; the first time they are put into blocks on the way.
    private func check(
        _ sorted: SortedCodes, against inventory: Inventory, writer: CodeBlockWriter?,
        conflict: (CodePlace, OfferCode, CodeOwner) -> Void, progress: (Step, Int64) -> Void
    ) throws(StorageError) -> Int64 {
        var known = try KnownCodes(
            batches: inventory.batches, customCodes: inventory.customCodes, connection)
        var conflicts: Int64 = 0
        var seen: Int64 = 0
        try sorted.forEach { code, place throws(StorageError) in
            try writer?.append(code)
            if let owner = try known.owner(of: code) {
                conflicts += 1
                if let code = OfferCode(rawValue: String(decoding: code, as: UTF8.self)) {
                    conflict(place, code, owner)
                }
            }
            seen += 1
            if seen & 0xffff == 0 {
                try stop.check()
                progress(.checking, seen)
            }
        }
        return conflicts
    }

    /// The answer when a batch of the same app and environment has exactly these codes.
    private func sameContent(_ blocks: CodeBlocks, _ terms: CodeBatchTerms) throws(StorageError) -> CodeImportResult? {
        guard let appId = try store.appId(terms.bundleId, terms.environment) else { return nil }
        let found = try connection.row(
            """
            SELECT \(raw: StoredBatch.columns) FROM code_batch
            WHERE app_id = \(appId) AND state <> 'loading' AND content_digest = \(blocks.contentDigest)
            """
        ) { row throws(StorageError) in try StoredBatch(&row) }
        guard let found else { return nil }
        if let difference = found.difference(from: terms) {
            return .refused(.otherTerms(batch: found.name, difference: difference))
        }
        if let name = terms.name, name != found.name {
            return .refused(.otherTerms(batch: found.name, difference: "that name"))
        }
        return .unchanged(found.unchanged(read: count))
    }

    /// What keeps a batch from being loaded, apart from its codes.
    private func refusal(
        _ blocks: CodeBlocks, _ terms: CodeBatchTerms, _ quota: CodeQuota
    ) throws(StorageError) -> CodeImportRefusal? {
        if let name = terms.name, try isTaken(name, terms) { return .nameTaken(name) }
        guard let use = try quotaUse(terms, quota), use.isPassed(by: blocks.total) else { return nil }
        return .quotaPassed(use, asked: blocks.total, timeZone: quota.zone.name)
    }

    private func quotaUse(_ terms: CodeBatchTerms, _ quota: CodeQuota) throws(StorageError) -> CodeQuotaUse? {
        guard terms.environment == .production else { return nil }
        let quarter = CalendarQuarter(at: terms.createdDate, in: quota.zone)
        return try store.codeQuotaUse(bundleId: terms.bundleId, quarter: quarter, quota: quota)
    }

    private func isTaken(_ name: String, _ terms: CodeBatchTerms) throws(StorageError) -> Bool {
        guard let appId = try store.appId(terms.bundleId, terms.environment) else { return false }
        return try connection.value(
            "SELECT count(*) FROM code_batch WHERE app_id = \(appId) AND state <> 'loading' AND name = \(name)",
            Int64.self) != 0
    }

    /// The name that was asked for, else the offer, the day and as much of the content's digest as no other has.
    private func batchName(_ blocks: CodeBlocks, _ terms: CodeBatchTerms) throws(StorageError) -> String {
        if let name = terms.name { return name }
        let hex = blocks.contentDigest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for digits in stride(from: 12, through: hex.count, by: 4) {
            let name = "\(terms.offer)-\(terms.createdDate.description.prefix(10))-\(hex.prefix(digits))"
            if try !isTaken(name, terms) { return name }
        }
        return "\(terms.offer)-\(hex)"
    }

    private func loaded(
        _ blocks: CodeBlocks, _ terms: CodeBatchTerms, name: String, quota: CodeQuotaUse?
    ) -> LoadedCodes {
        LoadedCodes(
            batch: name, new: blocks.total, duplicates: count - blocks.total, expiresDate: terms.expiresDate,
            quota: quota)
    }

    /// Makes the row of a batch that is loading and takes its lock before anyone can see it.
    private func begin(
        _ blocks: CodeBlocks, _ terms: CodeBatchTerms, _ source: CodeSource, name: String, now: Instant,
        _ lock: ImportLock
    ) throws(StorageError) -> Int64 {
        try connection.transaction { () throws(StorageError) in
            let appId = try store.madeAppId(terms.bundleId, terms.environment)
            let id = try connection.value(
                """
                INSERT INTO code_batch (
                    app_id, product_id, offer, name, state, created_date, expires_date, time_zone, loaded_date,
                    content_digest, file_digest, file_bytes, lines_with_codes, total)
                VALUES (
                    \(appId), \(terms.productId), \(terms.offer), \(name), 'loading', \(terms.createdDate),
                    \(terms.expiresDate), \(terms.timeZone), \(now), \(blocks.contentDigest), \(source.digest),
                    \(source.bytes), \(count), \(blocks.total))
                RETURNING id
                """, Int64.self)
            guard let id else { throw .corruptRow(table: "code_batch", column: "id") }
            // Who has just wiped a batch of this number holds its lock for a moment longer.
            for _ in 0..<CodeLimits.lockAttempts where !lock.take(batch: id) { usleep(1_000) }
            guard lock.take(batch: id) else { throw .busy(path: connection.path) }
            return id
        }
    }

    /// Makes the batch visible.
    private func show(_ batch: Int64, _ blocks: CodeBlocks, name: String, now: Instant) throws(StorageError) {
        try connection.run(
            """
            UPDATE code_batch SET state = 'ready', is_open = 1, name = \(name), loaded_date = \(now)
            WHERE id = \(batch) AND state = 'loading'
            """)
        try connection.run(
            """
            INSERT INTO code_ledger (batch_id, movement, count, moved_date)
            VALUES (\(batch), 'loaded', \(blocks.total), \(now))
            """)
    }
}
