import Storage
import Synchronization

/// The code files that come in over HTTP: a few at once are received, and one after the other is loaded.
///
/// Loading one takes as long as its size wants, so it has a thread of its own and never keeps a loop or the lane.
final class CodeUploads: Sendable {
    /// Ends what is being loaded, and all that wait.
    let stopSignal = CodeImportStop()
    private let queue = WorkQueue<@Sendable () -> Void>(limit: Limits.uploads)
    private let thread: DedicatedThread
    private let open = Atomic(0)
    private let judge: @Sendable (Request, CodeUploads) -> Result<CodeUpload, Problem>

    /// - Parameter judge: what takes the body of a request, or why that is refused.
    init(judge: @escaping @Sendable (Request, CodeUploads) -> Result<CodeUpload, Problem>) {
        self.judge = judge
        let queue = queue
        thread = DedicatedThread {
            while let work = queue.take(most: 1).first { work() }
        }
    }

    /// What takes the body of a request of which only the headers are there.
    func begin(_ request: Request) -> Result<CodeUpload, Problem> { judge(request, self) }

    /// Whether one more may be received; then `leave` has to follow.
    func enter() -> Bool {
        guard open.add(1, ordering: .relaxed).newValue <= Limits.uploads else {
            leave()
            return false
        }
        return true
    }

    func leave() {
        open.subtract(1, ordering: .relaxed)
    }

    /// Does `work` after what waits already; false once the service ends.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool { queue.push(work) }

    /// Gives up what is under way, answers all that wait, and ends the thread; whether there was any.
    @discardableResult
    func giveUp() -> Bool {
        let hadSome = open.load(ordering: .relaxed) > 0
        stopSignal.stop()
        queue.close()
        thread.join()
        return hadSome
    }
}
