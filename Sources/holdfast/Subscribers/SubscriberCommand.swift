/// `holdfast subscriber`: what is known of one customer's subscription.
enum SubscriberCommand {
    static let command = Command(
        "subscriber",
        summary: "Show one subscriber, or erase what is known of one",
        subcommands: [SubscriberShowCommand.command, SubscriberEraseCommand.command])
}
