import AppStore
import CampaignCore
import Storage
import YAML

extension Service {
    /// `POST /v1/app-store/notifications`: verified on the event loop, logged and folded in one commit on the lane.
    ///
    /// What can never verify, or is no notification, is a 4xx with one line in the log; the App Store will send it again
    /// and be told the same. Whatever is wrong with the facts of a verified one is not the App Store's business: it is
    /// kept, marked and answered with 200 (design, section 4).
    func receiveNotification(_ request: Request) throws(Problem) -> LaneWork {
        let route = Route.receiveNotification.name
        let now = environment.now()
        let jws = try signedPayload(request)
        let notification: VerifiedNotification
        do throws(AppStoreError) {
            notification = try verifier.notification(jws, innerSignatures: .coveredByOuter)
        } catch {
            var problem = Problem(
                .unverifiableProof, "'signedPayload': \(error.code): \(error)", fields: ["signedPayload"])
            problem.fault = error.fault
            throw problem
        }
        let intake = NotificationIntake(notification, payload: packer.pack(notification.jws), receivedDate: now)
        let catalog = apps[notification.bundleId]?.catalog
        return { [self] context throws(StorageError) in
            let received = try intake.take(context.store)
            context.afterCommit { [self] in
                counters.count(received.outcome.rawValue, on: route)
                counters.countNotification(NotificationType(rawValue: intake.notificationType))
                if let catalog, let subscription = received.subscription {
                    counters.countUnknownWinBackOffers(subscription.unknownWinBackOfferIds(catalog: catalog).count)
                }
                audit(received, intake, at: now)
            }
            return .json((["outcome": .string(received.outcome.rawValue)] as JSON).bytes)
        }
    }

    /// The JWS of the body; unknown fields are ignored, because Apple adds some without a new version.
    private func signedPayload(_ request: Request) throws(Problem) -> SignedText {
        let body: JSONText.Value
        do throws(JSONSyntaxError) {
            body = try JSONText(request.body).root
        } catch {
            throw Problem(.notJSON, "\(error); send '{\"signedPayload\": \"…\"}' in UTF-8")
        }
        guard body.isObject else { throw Problem(.wrongShape, "the body is \(body.json.kind); send an object") }
        guard let field = body["signedPayload"], !field.isNull else {
            throw Problem(.wrongShape, "'signedPayload' is missing", fields: ["signedPayload"])
        }
        guard let text = field.utf8 else {
            throw Problem(.wrongShape, "'signedPayload' is \(field.json.kind); send text", fields: ["signedPayload"])
        }
        return SignedText(utf8: text)
    }

    /// One line for each notification that did not do what notifications do; the ordinary ones are told at `debug`.
    private func audit(_ received: ReceivedNotification, _ notification: NotificationIntake, at now: Instant) {
        // Who has just entered the URL asks the App Store for a test and looks here.
        let isTest = notification.notificationType == NotificationType.test.rawValue
        let level: Log.Level =
            switch received.outcome {
            case _ where isTest: .info
            case .failed, .conflicting, .unknownType: .warning
            case .folded: received.otherClaims > 0 ? .warning : .debug
            case .stale, .notFolded, .duplicate, .erased: .debug
            }
        guard log.writes(level) else { return }
        log.write(
            level, "notification", at: now,
            [
                .init("outcome", .string(received.outcome.rawValue)),
                .init(
                    "notificationType",
                    .string(shown(notification.notificationType, limit: Limits.quotedValue))),
                .init("notificationUUID", .text(notification.notificationUUID.lowercaseString)),
                .init("signedDate", .instant(notification.signedDate)),
                .init("otherClaims", .integer(Int64(received.otherClaims))),
                .init("detail", .text(received.detail)),
            ])
    }
}
