// Replaced by the first real file of Server.
