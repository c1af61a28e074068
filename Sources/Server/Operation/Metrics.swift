import AppStore
import CampaignCore
import Storage
import Synchronization

/// Everything that `GET /metrics` tells; it outlives reloads, which replace the service but not its history.
final class Metrics: Sendable {
    let counters = Counters()
    let connections: ConnectionCounts
    private let lane: DatabaseLane
    private let readers: ReaderPool
    private let retention: LogRetention
    private let log: Log
    private let startDate: Instant
    private let now: @Sendable () -> Instant
    private let reloads: Mutex<Reloads>

    private struct Reloads {
        var isGood = true
        var areCampaignsGood = true
        /// When the set in force was loaded.
        var loadedDate: Instant
        var loaded = 0
        var refused = 0
    }

    init(
        lane: DatabaseLane, readers: ReaderPool, retention: LogRetention, log: Log, environment: Environment
    ) {
        self.lane = lane
        self.readers = readers
        self.retention = retention
        self.log = log
        connections = ConnectionCounts(log: log, now: environment.now)
        now = environment.now
        startDate = environment.now()
        reloads = Mutex(Reloads(loadedDate: startDate))
    }

    /// A reload put another set in force.
    func reloaded(at now: Instant) {
        reloads.withLock { reloads in
            reloads.isGood = true
            reloads.loadedDate = now
            reloads.loaded += 1
        }
    }

    /// A reload was refused, and the old set stays in force.
    func reloadRefused() {
        reloads.withLock { reloads in
            reloads.isGood = false
            reloads.refused += 1
        }
    }

    /// Whether the campaign files, as they were last found, were taken over.
    func campaignsLoaded(_ areGood: Bool) {
        reloads.withLock { $0.areCampaignsGood = areGood }
    }

    /// Prometheus text of all of it; `chains` is how the cache of the service in force has fared, `apps` are its apps.
    func prometheusText(chains: VerifiedChainCounters, apps: [BundleID: App]) -> String {
        var text = PrometheusText()
        counters.write(to: &text)
        connections.write(to: &text)
        lane.writeMetrics(to: &text)
        text.value("holdfast_chain_cache_hits_total", .counter, "Certificate chains found proven.", chains.hits)
        text.value(
            "holdfast_chain_cache_misses_total", .counter, "Certificate chains that had to be proven.", chains.misses)
        text.value("holdfast_chain_cache_entries", .gauge, "Certificate chains kept as proven.", chains.entries)
        writeReloads(to: &text)
        retention.write(to: &text)
        writeDatabaseSize(to: &text)
        writeCodes(of: apps, to: &text)
        text.value(
            "holdfast_log_dropped_lines_total", .counter, "Log lines that could not be written in time.",
            log.droppedLines)
        text.seconds(
            "process_start_time_seconds", "When the service started, by its own clock.",
            milliseconds: startDate.millisecondsSince1970)
        return text.text
    }

    private func writeReloads(to text: inout PrometheusText) {
        let reloads = reloads.withLock { $0 }
        text.value(
            "holdfast_reload_ok", .gauge, "1 when the last reload was taken over, or none was asked; 0 when refused.",
            reloads.isGood ? 1 : 0)
        text.value(
            "holdfast_campaigns_loaded", .gauge,
            "1 when the campaign files as they were last found are in force; 0 when they were refused.",
            reloads.areCampaignsGood ? 1 : 0)
        text.seconds(
            "holdfast_reload_timestamp_seconds", "When the configuration in force was loaded.",
            milliseconds: reloads.loadedDate.millisecondsSince1970)
        text.samples(
            "holdfast_reloads_total", .counter, "Reloads by outcome.",
            [
                .init(reloads.loaded, [(name: "outcome", value: "loaded")]),
                .init(reloads.refused, [(name: "outcome", value: "refused")]),
            ])
    }

    /// Left out when the database cannot be read: the answers' own metrics tell that.
    private func writeDatabaseSize(to text: inout PrometheusText) {
        guard let size = try? readers.withReader({ store throws(StorageError) in try store.size() }) else { return }
        text.value("holdfast_database_file_bytes", .gauge, "Size of the database file.", Int(size.file))
        text.value("holdfast_database_free_bytes", .gauge, "Unused bytes inside the file.", Int(size.free))
        text.value("holdfast_database_log_bytes", .gauge, "Size of the write-ahead log.", Int(size.writeAheadLog))
    }

    /// Left out when the database cannot be read, as its size is.
    private func writeCodes(of apps: [BundleID: App], to text: inout PrometheusText) {
        let now = now()
        let stocks = try? readers.withReader { store throws(StorageError) in
            try store.codeStocks(of: store.codeBatches(now: now), redemptions: [:], now: now) { pool in
                apps[pool.bundleId]?.offerCodes.stockRule(of: pool.offer, in: pool.environment) ?? .none
            }
        }
        stocks?.write(to: &text)
    }
}
