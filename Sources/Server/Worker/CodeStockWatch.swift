import CampaignCore
import Storage
import Synchronization

/// Looks at the stock of offer codes once a minute: says when one becomes low, and when a pool drains unusually fast.
///
/// It reads on a thread of its own, so neither the lane nor whoever calls `look` waits for it.
final class CodeStockWatch: Sendable {
    private let queue = WorkQueue<Instant>(limit: 1)
    private let thread: DedicatedThread
    private let due: Mutex<Instant>

    /// - Parameter rule: how the stock of a pool is judged, by the configuration in force.
    init(
        readers: ReaderPool, log: Log, now: Instant, rule: @escaping @Sendable (CodePool) -> CodeStockRule
    ) {
        due = Mutex(now)
        let queue = queue
        thread = DedicatedThread {
            var told = CodeStockTold()
            while let now = queue.take(most: 1).first {
                // What keeps the database from being read is told by those who ask for something.
                guard
                    let stocks = try? readers.withReader({ store throws(StorageError) in
                        try store.codeStocks(
                            of: store.codeBatches(now: now), redemptions: [:], now: now, rule: rule)
                    })
                else { continue }
                told.tell(stocks, log, at: now)
            }
        }
    }

    /// Has the stock looked at when it is time.
    func look(at now: Instant) {
        let isDue = due.withLock { due in
            guard due <= now else { return false }
            due = now.adding(milliseconds: Limits.stockRoundMilliseconds)
            return true
        }
        if isDue { _ = queue.push(now) }
    }

    func stop() {
        queue.close()
        thread.join()
    }
}

/// What was told of the stock, so that nothing is told every minute.
private struct CodeStockTold {
    private var low: Set<CodePool> = []
    private var alarms: [CodePool: Instant] = [:]

    mutating func tell(_ stocks: [CodeStock], _ log: Log, at now: Instant) {
        for stock in stocks {
            if stock.isLow, low.insert(stock.pool).inserted {
                log.write(
                    .warning, "codeStockLow", at: now,
                    Self.fields(stock) + [.init("lowStockThreshold", .integer(stock.lowStockThreshold ?? 0))])
            } else if !stock.isLow {
                low.remove(stock.pool)
            }
            guard stock.drain.isUnusual else { continue }
            if let last = alarms[stock.pool], now < last.adding(milliseconds: Limits.drainAlarmMilliseconds) {
                continue
            }
            alarms[stock.pool] = now
            log.write(
                .warning, "codePoolDraining", at: now,
                Self.fields(stock) + [
                    .init("claimedInTwoHours", .integer(stock.drain.claimedLately)),
                    .init("claimedInWeekBefore", .integer(stock.drain.claimedBefore)),
                ])
        }
    }

    private static func fields(_ stock: CodeStock) -> [JSON.Member] {
        [
            .init("bundleId", .string(stock.pool.bundleId.rawValue)),
            .init("environment", .string(stock.pool.environment.rawValue)),
            .init("offer", .string(stock.pool.offer.rawValue)), .init("free", .integer(stock.free)),
            .init("claimable", .integer(stock.claimable)),
        ]
    }
}
