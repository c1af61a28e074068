import CampaignCore
import Crypto
import FoundationEssentials
import Storage
import YAML

extension Service {
    /// `POST /v1/code-batches`: what takes the body as it comes, or why the request is refused before it.
    ///
    /// Key, app and every parameter are judged here, so that nobody sends half a gigabyte in vain.
    func beginUpload(_ request: Request, of uploads: CodeUploads) -> Result<CodeUpload, Problem> {
        do throws(Problem) {
            let key = try authorize(request, for: .loadCodes)
            let now = environment.now()
            let asked = try codeLoadRequest(request, key: key, now: now)
            guard uploads.enter() else {
                throw Problem(
                    .busy, "\(Limits.uploads) code files are on their way; try again", requestId: asked.requestId)
            }
            do throws(StorageError) {
                let spool = try CodeSpool(beside: readers.path)
                return .success(
                    CodeUpload(into: spool, of: uploads) { [self] spool, stop in
                        loadCodes(asked, keyName: key.name, spool, stop, now: now)
                    })
            } catch {
                uploads.leave()
                throw fault(error, asked)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Loads a whole file and gives the answer; what fails is told, and nothing was done.
    private func loadCodes(
        _ asked: CodeLoadRequest, keyName: String, _ spool: CodeSpool, _ stop: CodeImportStop, now: Instant
    ) -> Response {
        let began = environment.monotonicNanoseconds()
        defer {
            counters.record(nanoseconds: environment.monotonicNanoseconds() - began, on: Route.loadCodes.name)
        }
        do throws(StorageError) {
            var load = CodeLoad(asked, keyName: keyName, store: try Store(readers.path, now: now), stop: stop, now: now)
            switch try load.run(spool) {
            case .problem(let problem): return answer(problem, on: Route.loadCodes.name)
            case .answer(let body, let outcome):
                counters.count(outcome, on: Route.loadCodes.name)
                return .json(body)
            }
        } catch {
            return answer(fault(error, asked), on: Route.loadCodes.name)
        }
    }

    private func fault(_ error: StorageError, _ asked: CodeLoadRequest) -> Problem {
        log.write(
            .error, "storage", pacedAs: error.problem.code.rawValue, at: environment.now(),
            [.init("detail", .string("\(error)"))])
        return Problem(error.problem.code, error.problem.detail, requestId: asked.requestId)
    }
}
