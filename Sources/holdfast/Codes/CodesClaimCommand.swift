import CampaignCore
import Glibc
import Server
import Storage
import YAML

/// `holdfast codes claim`: a code for one customer, or for everyone of a mailing.
enum CodesClaimCommand {
    private static let customer = Option.text("customer", "ID", help: "your own id for the person")
    private static let customers = Option.text(
        "customers", "FILE", help: "CSV with an id in the first column of each line, or - for standard input")

    static let command = Command(
        "claim",
        summary: "Give a customer a code, or every customer of a file",
        details: """
            A customer has one code of an offer: asking again gives the same one. Codes that expire first go first, and \
            none that expires within 'expiryMargin'.

            With '--customers' the answer is CSV: the id, the code, its link and its expiry. When codes run out, those \
            who got none have empty cells and the exit code is 2. A run that was interrupted is taken up by running it \
            again. A first line that begins with 'customer', 'id', 'email', 'user', 'customer_id' or 'user_id' is a \
            header.
            """,
        options: [
            CodeOptions.offer, customer, customers, .app, .environment, .format(.text, .json, .csv), .at,
        ],
        examples: [
            Example("holdfast codes claim --offer BACK30 --customer 4711", "one customer"),
            Example("holdfast codes claim --offer BACK30 --customers mailing.csv --format csv", "a whole mailing"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        guard (arguments.text(customer) == nil) != (arguments.text(customers) == nil) else {
            throw arguments.wrongUsage("name one customer with '--customer' or a file of them with '--customers'")
        }
        if let id = arguments.text(customer), CodeCustomer.isBlank(id) {
            throw arguments.wrongUsage("'--customer' is blank; give the id of a customer")
        }
        if arguments.text(customers) != nil, arguments.format == .json {
            throw arguments.wrongUsage("a mailing is CSV; use '--format csv' with '--customers', or leave it out")
        }
        let target = try CodeTarget(arguments)
        let offer = OfferIdentifier(arguments.requiredText(CodeOptions.offer))
        let known = try target.app.readCatalog().subscriptions.flatMap(\.codeOffers)
            .compactMap(\.offerIdentifier?.rawValue)
        guard known.contains(offer.rawValue) else {
            throw .refused(
                "no subscription has a code offer \(quotedName(offer.rawValue))"
                    + (didYouMean(offer.rawValue, among: known).isEmpty
                        ? "; 'holdfast catalog show' lists all" : didYouMean(offer.rawValue, among: known)))
        }
        let store = try arguments.openStore(of: target.configuration)
        if let file = arguments.text(customers) {
            return try claimAll(file, offer, target, store, arguments, output)
        }
        guard let id = CodeCustomer.id(arguments.text(customer) ?? "") else {
            throw .refused("a customer's id has 1 to 255 bytes without control characters")
        }
        guard let claimed = try claim([id], offer, target, store, arguments)[0] else {
            throw .refused(
                "no codes left for offer '\(offer)' in \(target.environment.rawValue); load more with "
                    + "'holdfast codes import'")
        }
        let url = claimed.code.redemptionURL(appAppleId: target.app.appAppleId)
        switch arguments.format {
        case .json:
            output.write([
                "decision": "granted", "code": .string(claimed.code.rawValue), "redemptionURL": .string(url),
                "expiresDate": .instant(claimed.expiresDate), "productId": .string(claimed.productId.rawValue),
            ])
        case .csv: output.write(csv: [id, claimed.code.rawValue, url, "\(claimed.expiresDate)"])
        case .text: output.write("\(claimed.code.rawValue)\n\(url)\nexpires \(claimed.expiresDate)\n")
        }
        return .done
    }

    /// Everyone of a file, some at a time; what is written was committed before.
    private static func claimAll(
        _ file: String, _ offer: OfferIdentifier, _ target: CodeTarget, _ store: Store, _ arguments: Arguments,
        _ output: Output
    ) throws(CommandError) -> ExitCode {
        // Read to its end first: a line that is refused refuses the run before anybody has a code.
        let ids = try readCustomers(file)
        output.write(csv: ["customer", "code", "redemptionURL", "expiresDate"])
        var without = 0
        var start = 0
        while start < ids.count, output.isOpen {
            let some = Array(ids[start..<min(start + Limits.claimBatch, ids.count)])
            for (id, claimed) in zip(some, try claim(some, offer, target, store, arguments)) {
                without += claimed == nil ? 1 : 0
                output.write(csv: [
                    id, claimed?.code.rawValue ?? "",
                    claimed?.code.redemptionURL(appAppleId: target.app.appAppleId) ?? "",
                    claimed.map { "\($0.expiresDate)" } ?? "",
                ])
            }
            start += some.count
            // Longer than the first naps of whoever waits to write.
            usleep(3_000)
            output.progress("\(start) of \(ids.count) customers")
        }
        output.progress("")
        guard without > 0 else { return .done }
        output.error(
            "no codes left for \(without) of \(ids.count) customers; load more with 'holdfast codes import' and run it "
                + "again")
        return .refused
    }

    private static func claim(
        _ customers: [String], _ offer: OfferIdentifier, _ target: CodeTarget, _ store: Store, _ arguments: Arguments
    ) throws(CommandError) -> [ClaimedCode?] {
        let margin = target.app.offerCodes.expiryMarginMilliseconds
        let now = arguments.now
        do throws(StorageError) {
            return try store.connection.transaction { () throws(StorageError) in
                try customers.map { id throws(StorageError) in
                    try store.claimCode(
                        CodeClaim(
                            bundleId: target.app.bundleId, environment: target.environment, offer: offer,
                            customer: id, expiryMarginMilliseconds: margin),
                        now: now)
                }
            }
        } catch {
            throw .failed(error)
        }
    }

    /// The first column of each line.
    private static func readCustomers(_ path: String) throws(CommandError) -> [String] {
        let lines = try LineReader(path, limit: Limits.customerLineBytes)
        var ids: [String] = []
        while let line = try lines.next() {
            let place = "\(shown(path, limit: Limits.quotedPath)):\(lines.number)"
            guard case .text(var bytes) = line else { throw .refused("\(place): the line is too long") }
            if lines.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw .refused("\(place): the line is not UTF-8; save the file as UTF-8")
            }
            let cell: String
            do throws(CodeLineFault) {
                cell = String(decoding: try DelimitedLine.cells(bytes).first ?? [], as: UTF8.self)
            } catch {
                throw .refused("\(place): \(error.description)")
            }
            if CodeCustomer.isBlank(cell) { continue }
            guard let id = CodeCustomer.id(cell) else {
                throw .refused(
                    "\(place): a customer's id has 1 to 255 bytes without control characters")
            }
            if lines.number == 1, CodeCustomer.isColumnName(id) { continue }
            ids.append(id)
        }
        guard !ids.isEmpty else { throw .refused("'\(path)' names no customer; give it an id on each line") }
        return ids
    }
}
