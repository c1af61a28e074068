public import Storage

/// What a request does on the lane: reads, decides, signs and writes; what it throws undoes its writes alone.
public typealias LaneWork = @Sendable (LaneContext) throws(StorageError) -> Response

/// One thread that owns one database connection and runs requests in batches with one commit each.
///
/// Nothing is answered before the commit of its batch, so whatever leaves the process is durable (design, section 1).
public final class DatabaseLane: Sendable {
    private let queue = WorkQueue<Job>(limit: Limits.laneQueue)
    private let thread: DedicatedThread
    private let metrics: LaneMetrics

    /// One request with what happens once its batch is durable.
    fileprivate struct Job {
        let work: LaneWork
        let answer: @Sendable (Response) -> Void
    }

    /// Starts the lane; `open` runs on the lane's own thread, so that the connection never changes threads.
    public init(open: @escaping @Sendable () throws(StorageError) -> LaneContext) throws(StorageError) {
        let queue = queue
        let metrics = LaneMetrics()
        self.metrics = metrics
        let opened = WorkQueue<Result<Void, StorageError>>(limit: 1)
        thread = DedicatedThread {
            do throws(StorageError) {
                let context = try open()
                _ = opened.push(.success(()))
                DatabaseLane.run(queue, context, metrics)
            } catch {
                _ = opened.push(.failure(error))
            }
        }
        try opened.take(most: 1).first?.get()
    }

    /// Queues `work`; `answer` is called on the lane's thread after the commit, or here at once when the queue is full.
    func submit(_ work: @escaping LaneWork, answer: @escaping @Sendable (Response) -> Void) {
        guard queue.push(Job(work: work, answer: answer)) else {
            answer(Problem(.busy, "\(Limits.laneQueue) requests are waiting; try again").response)
            return
        }
    }

    /// Finishes what is queued and ends the thread; later work is refused as busy.
    public func stop() {
        queue.close()
        thread.join()
    }

    func writeMetrics(to text: inout PrometheusText) {
        metrics.write(to: &text)
        text.value("holdfast_lane_queue_length", .gauge, "Requests that wait for the lane.", queue.count)
    }

    private static func run(_ queue: WorkQueue<Job>, _ context: LaneContext, _ metrics: LaneMetrics) {
        while true {
            var batch = queue.take(most: Limits.laneBatch)
            guard !batch.isEmpty else { return }
            let responses = commit(&batch, joinedFrom: queue, context, metrics)
            for (job, response) in zip(batch, responses) { job.answer(response) }
        }
    }

    private static func begin(_ context: LaneContext) throws(StorageError) {
        try context.store.connection.begin()
        try context.transactionBegan()
    }

    /// The answers of a batch in which nothing fails, and of what has come meanwhile, which joins it; nil when something
    /// fails, and then all of it is to be undone.
    ///
    /// A savepoint for each request would copy every page that the request changes.
    private static func work(
        _ batch: inout [Job], joinedFrom queue: WorkQueue<Job>, _ context: LaneContext
    ) -> [Response]? {
        var responses: [Response] = []
        while responses.count < batch.count {
            guard let response = try? batch[responses.count].work(context) else { return nil }
            responses.append(response)
            if responses.count == batch.count, batch.count < Limits.joinedLaneBatch {
                batch += queue.takeWaiting(most: Limits.joinedLaneBatch - batch.count)
            }
        }
        return responses
    }

    /// The answers of a batch in which each request can be undone alone.
    private static func workApart(_ batch: [Job], _ context: LaneContext) throws(StorageError) -> [Response] {
        try batch.map { job throws(StorageError) in
            let effectCount = context.effectCount
            let result = try context.store.connection.withSavepoint { () throws(StorageError) in
                try job.work(context)
            }
            switch result {
            case .success(let response): return response
            case .failure(let error):
                context.forgetEffects(after: effectCount)
                return context.response(to: error)
            }
        }
    }

    /// Runs a batch in one transaction; when that fails as a whole, every answer says so and nothing was done.
    private static func commit(
        _ batch: inout [Job], joinedFrom queue: WorkQueue<Job>, _ context: LaneContext, _ metrics: LaneMetrics
    ) -> [Response] {
        let connection = context.store.connection
        do throws(StorageError) {
            try begin(context)
            let responses: [Response]
            if let quick = work(&batch, joinedFrom: queue, context) {
                responses = quick
            } else {
                // One of them failed, which is rare. Each gets a savepoint now, so that the others go on without it.
                try connection.rollback()
                try begin(context)
                responses = try workApart(batch, context)
            }
            let began = context.environment.monotonicNanoseconds()
            try connection.commit()
            metrics.committed(
                requests: batch.count, nanoseconds: context.environment.monotonicNanoseconds() - began)
            context.transactionEnded()
            return responses
        } catch {
            // After a failed commit there is nothing left to undo.
            if connection.isInTransaction { try? connection.rollback() }
            metrics.failedBatch()
            let response = context.response(to: error)
            return batch.map { _ in response }
        }
    }
}
