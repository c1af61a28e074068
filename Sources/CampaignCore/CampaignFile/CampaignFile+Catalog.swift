public import YAML

extension CampaignFile {
    /// What the file and the configuration disagree about: apps, products, offers, periods and messages.
    ///
    /// - Parameters:
    ///   - surroundings: nil when there is no configuration; then only the messages are checked.
    ///   - messages: those of `messages.yaml` beside the file; nil when that could not be read.
    public func check(
        against surroundings: CampaignSurroundings?, messages: RetentionMessages?, into diagnostics: Diagnostics
    ) {
        if let messages { checkMessages(messages, diagnostics) }
        guard let surroundings, !campaign.audience.bundleId.rawValue.isEmpty else { return }
        guard let app = surroundings.app(campaign.audience.bundleId) else {
            let known = surroundings.apps.map(\.bundleId.rawValue)
            let text =
                "no app \(quoted(campaign.audience.bundleId.rawValue)) is configured"
                + cure(campaign.audience.bundleId.rawValue, among: known)
            tell(text, at: places.bundleId, diagnostics)
            return
        }
        if places.knowsAudience, !app.environments.contains(campaign.audience.environment) {
            let known = app.environments.map { "'\($0.rawValue)'" }.joined(separator: " and ")
            tell(
                "the app is configured for \(known), not for '\(campaign.audience.environment.rawValue)'; correct one of "
                    + "the two", at: places.environment, diagnostics)
        }
        guard let catalog = app.catalog else { return }
        let isKnown = checkNames(catalog, diagnostics)
        let check = CatalogCheck(
            catalog: catalog, audience: campaign.audience, knowsProducts: isKnown && places.knowsAudience,
            diagnostics: diagnostics)
        for (rule, place) in zip(campaign.rules, places.rules) {
            check.products(of: place)
            check.rule(rule, place)
        }
    }

    /// A draft waits, as that of 'init' does until it is given the app's bundle identifier; others must fit.
    private func tell(_ text: String, at mark: Mark, _ diagnostics: Diagnostics) {
        if campaign.status == .draft {
            diagnostics.warning(text, at: mark)
        } else {
            diagnostics.error(text, at: mark)
        }
    }

    /// The products and groups of the audience; whether the catalogue knows all of the products.
    private func checkNames(_ catalog: Catalog, _ diagnostics: Diagnostics) -> Bool {
        let groups = Set(catalog.groups.map(\.identifier))
        for group in places.groups where !groups.contains(group.value) {
            // A file that was never synchronised has identifiers of Xcode's own.
            diagnostics.warning(
                "the catalogue has no subscription group \(quoted(group.value.rawValue))"
                    + cure(group.value.rawValue, among: groups.map(\.rawValue).sorted()), at: group.mark)
        }
        var isKnown = true
        for product in places.products {
            guard let fault = catalog.fault(of: product.value) else { continue }
            diagnostics.error(fault, at: product.mark)
            isKnown = false
        }
        return isKnown
    }

    private func checkMessages(_ messages: RetentionMessages, _ diagnostics: Diagnostics) {
        let names = messages.messageIdentifiers.keys.map(\.rawValue).sorted()
        for (rule, place) in zip(campaign.rules, places.rules) {
            guard let message = rule.retentionMessage, let mark = place.retentionMessage,
                messages.messageIdentifiers[message] == nil
            else { continue }
            diagnostics.error(
                "'messages.yaml' has no message \(quoted(message.rawValue))" + cure(message.rawValue, among: names),
                at: mark)
        }
    }
}

/// `; did you mean 'save'?`, or what there is.
func cure(_ text: String, among known: [String]) -> String {
    if let near = closestMatch(to: text, among: known) { return "; did you mean '\(near)'?" }
    guard !known.isEmpty else { return "; there is none, so add it or remove the name" }
    let listed = known.prefix(Limits.listedProducts).map { quoted($0) }.joined(separator: ", ")
    let more = known.count - Limits.listedProducts
    return "; known are \(listed)" + (more > 0 ? " and \(more) more" : "")
}

extension Catalog {
    /// Why a name is no subscription product; nil when it is one.
    func fault(of productId: ProductID) -> String? {
        switch product(productId) {
        case .subscription: nil
        case .other(let other):
            "\(quoted(productId.rawValue)) is of type \(quoted(other.type.rawValue)); only auto-renewable subscriptions have "
                + "offers"
        case nil:
            "the catalogue has no product \(quoted(productId.rawValue))"
                + cure(productId.rawValue, among: subscriptions.map(\.productId.rawValue))
        }
    }
}
