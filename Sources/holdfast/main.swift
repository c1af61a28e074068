runHoldfast(CommandLine.arguments)
