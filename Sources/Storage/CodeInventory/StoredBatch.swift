import CampaignCore

/// What an import compares itself with.
struct StoredBatch {
    let name: String
    let productId: ProductID
    let offer: OfferIdentifier
    let expiresDate: Instant
    let linesWithCodes: Int64

    static let columns = SQL.Fragment("name, product_id, offer, expires_date, lines_with_codes")

    init(_ row: inout Row) throws(StorageError) {
        name = try row.next()
        productId = try row.next()
        offer = try row.next()
        expiresDate = try row.next()
        linesWithCodes = try row.next()
    }

    /// On which other terms it was loaded; nil when they are the same.
    func difference(from terms: CodeBatchTerms) -> String? {
        if offer != terms.offer { return "the offer '\(offer)'" }
        if productId != terms.productId { return "the product '\(productId)'" }
        return expiresDate == terms.expiresDate ? nil : "the expiry \(expiresDate)"
    }

    func unchanged(read: Int64) -> LoadedCodes {
        LoadedCodes(batch: name, new: 0, duplicates: read, expiresDate: expiresDate, quota: nil)
    }
}

extension Store {
    /// Every batch of an app whose codes are taken, those of both environments and void ones among them, by number.
    func knownBatches(of bundleId: BundleID) throws(StorageError) -> [KnownBatch] {
        try connection.rows(
            """
            SELECT b.id, b.total, b.name, app.environment FROM code_batch AS b JOIN app ON app.id = b.app_id
            WHERE app.bundle_id = \(bundleId) AND b.state <> 'loading' ORDER BY b.id
            """
        ) { row throws(StorageError) in
            let (id, total) = (try row.next(Int64.self), try row.next(Int64.self))
            let (name, environment) = (try row.next(String.self), try row.next(AppStoreEnvironment.self))
            return KnownBatch(id: id, total: total, owner: .batch(name: name, isSandbox: environment == .sandbox))
        }
    }

    /// The custom codes of an app in order, those of both environments.
    func customCodes(of bundleId: BundleID) throws(StorageError) -> [String] {
        try connection.rows(
            """
            SELECT c.code FROM custom_code AS c JOIN app ON app.id = c.app_id
            WHERE app.bundle_id = \(bundleId) ORDER BY c.code
            """
        ) { row throws(StorageError) in try row.next(String.self) }
    }
}
