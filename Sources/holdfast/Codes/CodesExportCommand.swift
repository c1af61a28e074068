import CampaignCore
import Server
import Storage

/// `holdfast codes export`: every code of a batch with what became of it.
enum CodesExportCommand {
    private static let batch = Option.text(
        "batch", "NAME", help: "one batch (default every batch of the app and environment)")

    static let command = Command(
        "export",
        summary: "Write every code with its batch, state and customer, for accounting",
        details: """
            The codes are written in full: keep the output as carefully as the codes themselves. Custom codes follow the \
            batches, with the state 'custom' and without a batch; '--batch' leaves them out.
            """,
        options: [batch, .app, .environment, .format(.csv, .json), .at],
        examples: [
            Example("holdfast codes export --batch spring --format csv", "one batch"),
            Example("holdfast codes export --format json", "all of them, one object a line"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let target = try CodeTarget(arguments)
        let store = try target.openReader(arguments)
        let name = arguments.text(batch)
        do throws(StorageError) {
            let batches = try store.codeBatches(now: arguments.now).filter {
                $0.bundleId == target.app.bundleId && $0.environment == target.environment
                    && (name == nil || $0.batch == name)
            }
            if let name, batches.isEmpty {
                output.error("there is no batch \(quotedName(name)); 'holdfast codes status' lists all")
                return .refused
            }
            if arguments.format == .csv {
                output.write(csv: [
                    "code", "batch", "productId", "offer", "state", "customer", "claimedDate", "expiresDate",
                ])
            }
            for one in batches {
                _ = try store.exportCodes(
                    batch: one.batch, bundleId: one.bundleId, environment: one.environment, now: arguments.now
                ) { code in
                    write(code, of: one, as: arguments.format, output)
                    return output.isOpen
                }
            }
            guard name == nil else { return .done }
            for one in try store.customCodes()
            where one.bundleId == target.app.bundleId && one.environment == target.environment {
                write(one, as: arguments.format, output)
            }
        } catch {
            throw .failed(error)
        }
        return .done
    }

    private static func write(_ code: CustomCode, as format: OutputFormat, _ output: Output) {
        if format == .json {
            let object: JSON = [
                "code": .string(code.code.rawValue), "batch": .null, "productId": .string(code.productId.rawValue),
                "offer": .string(code.offer.rawValue), "state": "custom",
                "redemptionLimit": .integer(code.redemptionLimit), "customer": .null, "claimedDate": .null,
                "expiresDate": .instant(code.expiresDate),
            ]
            return output.write(String(decoding: object.bytes, as: UTF8.self) + "\n")
        }
        output.write(csv: [
            code.code.rawValue, "", code.productId.rawValue, code.offer.rawValue, "custom", "", "",
            code.expiresDate.map { "\($0)" } ?? "",
        ])
    }

    private static func write(
        _ code: ExportedCode, of batch: CodeBatchStatus, as format: OutputFormat, _ output: Output
    ) {
        if format == .json {
            let object: JSON = [
                "code": .string(code.code.rawValue), "batch": .string(batch.batch),
                "productId": .string(batch.productId.rawValue), "offer": .string(batch.offer.rawValue),
                "state": .string(code.state), "customer": .text(code.customer),
                "claimedDate": .instant(code.claimedDate), "expiresDate": .instant(batch.expiresDate),
            ]
            return output.write(String(decoding: object.bytes, as: UTF8.self) + "\n")
        }
        output.write(csv: [
            code.code.rawValue, batch.batch, batch.productId.rawValue, batch.offer.rawValue, code.state,
            code.customer ?? "", code.claimedDate.map { "\($0)" } ?? "", "\(batch.expiresDate)",
        ])
    }
}
